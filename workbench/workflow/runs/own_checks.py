"""A group's dry run: files that its people have checked, before they are sent as runs."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.formats.run_report import RunReport
from workbench.workflow.people.groups import own_groups
from workbench.workflow.runs.batches import Batch, batch_of
from workbench.workflow.runs.run_checks import Expected, Opening, expected_of

# Warnings about a file alone. One that compares runs would name another group's, so what is not listed here
# is not shown.
ABOUT_THE_FILE = frozenset(
    {
        "second-column", "tag-length", "tag-name", "topics-missing", "short-topics", "rank", "rank-repeated",
        "rank-order", "ties", "near-ties", "unknown-topic", "too-many", "unknown-document",
    }
)  # fmt: skip


# Findings that tell of other runs or of pools: the organiser is told, and no group is refused for them.
COMPARING = frozenset({"same-content", "near-identical", "tag-alike", "cut-ties"})


def own_expected(
    db: Session, campaign_id: int, *, batch: str | None = None, opening: Opening | None = None
) -> Expected:
    """What a group's files are checked against: a comparison with other runs refuses none of them."""
    expected = expected_of(db, campaign_id, batch=batch, opening=opening)
    treated = {code: one for code, one in expected.rules.changed.items() if code not in COMPARING}
    return replace(expected, rules=replace(expected.rules, changed=treated))


def require_own_group(db: Session, campaign_id: int, account_id: int, group_id: int | None) -> int:
    """The group, if the account sends runs for it; raises NotFound for any other."""
    if group_id is None or group_id not in own_groups(db, campaign_id, account_id):
        raise NotFound("you do not send runs for such a group", remedy="ask the organiser for a link")
    return group_id


def own_batch(db: Session, campaign_id: int, account_id: int, batch: str) -> Batch:
    """A batch of one's groups as they may see it; raises NotFound for that of anybody else."""
    groups = list(own_groups(db, campaign_id, account_id))
    found = batch_of(db, campaign_id, batch, groups=groups)
    return replace(found, files=tuple(replace(one, report=shown_report(one.report)) for one in found.files))


def shown_report(report: RunReport) -> RunReport:
    """What a group may be told of its file: nothing that compares it with other runs."""
    return replace(report, warnings=tuple(one for one in report.warnings if one.code in ABOUT_THE_FILE))
