"""A participant's view: the runs and uploads of the participant's own groups, and nothing else.

Every use-case here asks for the account, and looks only at rows of groups for which it sends runs. The
result contains no pool, no name of an organiser, and no warning that compares a run with another one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound
from workbench.formats.run_report import RunReport
from workbench.records import Verdict
from workbench.storage.tables import AccountRow, GroupMemberRow, RunRow
from workbench.workflow.people.groups import own_groups
from workbench.workflow.runs.run_checks import Opening, RunChecker, check_file, run_checker
from workbench.workflow.runs.run_metadata import RunMetadata
from workbench.workflow.runs.run_records import CampaignRun, change_record, plain_size, run_record, runs_of
from workbench.workflow.runs.store import remove_run, require_tag, run_content, store_runs
from workbench.workflow.runs.uploads import Batch, batch_of

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


def own_checker(
    db: Session, campaign_id: int, *, batch: str | None = None, opening: Opening | None = None
) -> RunChecker:
    """What a group's files are checked against: a comparison with other runs refuses none of them."""
    expected = run_checker(db, campaign_id, batch=batch, opening=opening)
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


@dataclass(frozen=True, slots=True)
class OwnRun:
    """A run of one's group; `in_use` says that it stays as it is, `added_by` is a colleague or empty."""

    tag: str
    group: str
    about: RunMetadata
    file_name: str
    topics: int
    lines: int
    sha256: str
    warnings: tuple[Finding, ...]
    added_by: str
    added_at: datetime
    verdict: Verdict
    verdict_reason: str
    in_use: bool


@dataclass(frozen=True, slots=True)
class OwnVersion:
    """An earlier version of a run of one's group."""

    sha256: str
    file_name: str
    topics: int
    lines: int
    added_by: str
    added_at: datetime
    replaced_at: datetime


@dataclass(frozen=True, slots=True)
class OwnRecord:
    """Everything that a group may know of its run; the latest earlier version comes first."""

    run: OwnRun
    size: int
    versions: tuple[OwnVersion, ...]


def own_runs(db: Session, campaign_id: int, account_id: int) -> tuple[OwnRun, ...]:
    """The runs of the groups for which an account sends runs, by tag."""
    groups = own_groups(db, campaign_id, account_id)
    colleagues = _colleagues(db, list(groups))
    return tuple(_own(line, colleagues) for line in runs_of(db, campaign_id, group_ids=list(groups)))


def own_record(db: Session, campaign_id: int, account_id: int, tag: str) -> OwnRecord:
    """One run of one's groups with its earlier versions; raises NotFound for every other."""
    line = _line(db, campaign_id, account_id, tag)
    groups = own_groups(db, campaign_id, account_id)
    colleagues = _colleagues(db, list(groups))
    versions = tuple(
        OwnVersion(
            one.sha256,
            one.file_name,
            one.topics,
            one.lines,
            one.added_by if one.added_by in colleagues else "",
            one.added_at,
            one.replaced_at,
        )
        for one in run_record(db, campaign_id, tag).versions
        if one.group in groups.values()
    )
    return OwnRecord(_own(line, colleagues), plain_size(db, line.id), versions)


def own_content(
    db: Session, campaign_id: int, account_id: int, tag: str, *, sha256: str | None = None
) -> tuple[str, bytes]:
    """A run of one's groups, or an earlier version of it, as it was sent; raises NotFound for every other."""
    record = own_record(db, campaign_id, account_id, tag)
    if sha256 is not None and sha256 not in {record.run.sha256, *(one.sha256 for one in record.versions)}:
        raise _nothing()
    return run_content(db, campaign_id, tag, sha256=sha256 or record.run.sha256)


def replace_own(db: Session, campaign_id: int, account_id: int, tag: str, file: tuple[str, BinaryIO]) -> None:
    """Replace a run of one's groups by a file with the same tag; it is received anew, its record stays.

    Raises NotFound for every other run, Conflict where it is in use, InvalidInput for a file that is refused.
    """
    line = _free_line(db, campaign_id, account_id, tag)
    done = store_runs(
        db,
        campaign_id,
        [check_file(own_checker(db, campaign_id), *file)],
        added_by=account_id,
        about=RunMetadata(group_id=line.about.group_id),
        verdict=Verdict.RECEIVED,
        replacing=True,
        of_group_only=True,
    )
    if done.refused:
        raise InvalidInput(done.refused[0].findings)
    require_tag(done.added[0].tag, tag, source=done.added[0].file_name)


def change_own(db: Session, campaign_id: int, account_id: int, tag: str, about: RunMetadata) -> None:
    """Say something else of a run of one's groups; it stays with its group, whatever `about` says.

    Raises NotFound for every other run and Conflict where it is in use.
    """
    line = _free_line(db, campaign_id, account_id, tag)
    kept = RunMetadata(line.about.group_id, about.kind, about.description, about.priority)
    change_record(db, campaign_id, tag, kept)


def withdraw_own(db: Session, campaign_id: int, account_id: int, tag: str) -> None:
    """Take a run of one's groups back, with its earlier versions.

    Raises NotFound for every other run and Conflict where it is in use.
    """
    _free_line(db, campaign_id, account_id, tag)
    remove_run(db, campaign_id, tag)


def _line(db: Session, campaign_id: int, account_id: int, tag: str) -> CampaignRun:
    groups = own_groups(db, campaign_id, account_id)
    for line in runs_of(db, campaign_id, group_ids=list(groups)):
        if line.tag == tag:
            return line
    raise _nothing()


def _free_line(db: Session, campaign_id: int, account_id: int, tag: str) -> CampaignRun:
    # Locked, lest a pool be made of it or a colleague replace it meanwhile.
    db.execute(
        select(RunRow.id).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag).with_for_update()
    )
    line = _line(db, campaign_id, account_id, tag)
    if line.in_use:
        raise Conflict("this run is in use and stays as it is", remedy="ask the organiser")
    return line


def _own(line: CampaignRun, colleagues: frozenset[str]) -> OwnRun:
    return OwnRun(
        tag=line.tag,
        group=line.group,
        about=line.about,
        file_name=line.file_name,
        topics=line.topics,
        lines=line.lines,
        sha256=line.sha256,
        warnings=tuple(one for one in line.warnings if one.code in ABOUT_THE_FILE),
        added_by=line.added_by if line.added_by in colleagues else "",
        added_at=line.added_at,
        verdict=line.verdict,
        verdict_reason=line.verdict_reason,
        in_use=line.in_use,
    )


def _colleagues(db: Session, group_ids: list[int]) -> frozenset[str]:
    return frozenset(
        db.scalars(
            select(AccountRow.name)
            .join(GroupMemberRow, GroupMemberRow.account_id == AccountRow.id)
            .where(GroupMemberRow.group_id.in_(group_ids))
        )
    )


def _nothing() -> NotFound:
    # One answer for a run that is not there and for one of another group.
    return NotFound("your group has no such run", remedy="see the list of your runs")
