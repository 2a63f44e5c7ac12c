"""Releases: listed, downloaded, made public, withdrawn with a reason, and what the next one would have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session, aliased

from workbench.consensus.rules import RuleChoice
from workbench.errors import Conflict, Finding, NotFound, Severity, rejected
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.releases import read_parts
from workbench.storage.tables import AccountRow, ReleaseRow
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.checks import record_of, storable
from workbench.workflow.clock import utc_now
from workbench.workflow.pools.pooled_topics import opened_by_topic
from workbench.workflow.qrels.qrels import make_qrels, unjudged_pairs

LONGEST_REASON = 2000
FIRST = "1.0"


@frozen_dataclass
class Release:
    """A release in the list. `rule` is the label of its rule, `kappa` the pooled kappa of people.

    `size` is in bytes. A release is public from `public_at` on; a withdrawn one has `withdrawn_at` and a
    reason.
    """

    id: int
    version: str
    title: str
    rule: str
    lines: int
    relevant: int
    relevant_from: int
    topics: int
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    kappa_pairs: int
    included: tuple[str, ...]
    sha256: str
    size: int
    made_by: str
    made_at: datetime
    public_at: datetime | None
    withdrawn_by: str
    withdrawn_at: datetime | None
    withdrawn_reason: str

    @property
    def public(self) -> bool:
        """Whether outsiders may see it."""
        return self.public_at is not None

    @property
    def withdrawn(self) -> bool:
        """Whether it was withdrawn."""
        return self.withdrawn_at is not None

    @property
    def file_name(self) -> str:
        """What its zip is called, without the campaign's name before it."""
        return f"{self.version}.zip"


@frozen_dataclass
class ReleaseReadiness:
    """What a release would freeze now: a version to propose, and how much is still open.

    `lines` of the `pairs`, which are pooled or judged, would be in the qrels.
    """

    version: str
    lines: int
    pairs: int
    warnings: tuple[Finding, ...]


def release_readiness(db: Session, campaign_id: int, choice: RuleChoice) -> ReleaseReadiness:
    """What a release by this rule would freeze now, and what is still open; raises as the rule does."""
    report = make_qrels(db, campaign_id, choice)
    pooled = opened_by_topic(db, campaign_id)
    open_ = [one for one in report.settled.unsettled if one.topic in pooled]
    judged = sum(id_bytes(one.docno) in pooled[one.topic].docnos for one in open_)
    unjudged = unjudged_pairs(db, campaign_id, report) - judged
    disputes = dispute_counts(db, campaign_id)
    waiting = sum(count for state, count in disputes.items() if state in (State.OPEN, State.BACK))
    lines, unsettled = report.summary.settled, report.summary.unsettled
    warnings = []
    for count, code, message, remedy in (
        (waiting, "disputes", "disputed {} no decision", "decide them, or say so in the description"),
        (unjudged, "unjudged", "pooled {} no judgment", "most measures count them as not relevant"),
        (
            unsettled,
            "unsettled",
            "judged {} no grade by this rule",
            "choose another rule, or decide them",
        ),
    ):
        if count:
            words = message.format("pair has" if count == 1 else "pairs have")
            warnings.append(Finding("Release", None, code, f"{count:,} {words}", remedy, Severity.WARNING))
    empty = len(report.summary.without_relevant)
    if empty:
        words = f"{counted(empty, 'topic')} without a relevant document"
        remedy = "most measures give every run 0 there, and every mean counts it"
        warnings.append(Finding("Release", None, "empty-topics", words, remedy, Severity.WARNING))
    return ReleaseReadiness(
        version=next_version(db, campaign_id),
        lines=lines,
        pairs=lines + unsettled + unjudged,
        warnings=tuple(warnings),
    )


def next_version(db: Session, campaign_id: int) -> str:
    """The version after the latest release, its last number one higher; 1.0 for the first."""
    existing = set(db.scalars(select(ReleaseRow.version).where(ReleaseRow.campaign_id == campaign_id)))
    found = releases_of(db, campaign_id)
    version = found[0].version if found else FIRST
    while version in existing:
        numbers = re.fullmatch(r"(.*?)(\d{1,9})", version)
        version = f"{numbers[1]}{int(numbers[2]) + 1}" if numbers else f"{version}.1"
    return version


def releases_of(db: Session, campaign_id: int) -> tuple[Release, ...]:
    """The releases of a campaign, the latest first."""
    rows = db.execute(_chosen(campaign_id).order_by(ReleaseRow.id.desc()))
    return tuple(_release(*row) for row in rows)


def release_by_version(db: Session, campaign_id: int, version: str) -> Release:
    """The release with this version; raises NotFound."""
    row = db.execute(_chosen(campaign_id).where(ReleaseRow.version == version)).one_or_none()
    if row is None:
        raise _no_release(version)
    return _release(*row)


def release_parts(db: Session, release: Release) -> Iterator[bytes]:
    """The bytes of a release's zip, as they were made, in parts."""
    yield from read_parts(db, release.id)


def publish_release(db: Session, campaign_id: int, version: str, *, now: datetime | None = None) -> Release:
    """Let outsiders see a release; raises NotFound, Conflict for one that is public or withdrawn."""
    row = _locked(db, campaign_id, version)
    if row.withdrawn_at is not None:
        raise Conflict(f"release {version} was withdrawn", remedy="create a new version")
    if row.public_at is not None:
        raise Conflict(f"release {version} is already public", remedy="reload the page")
    row.public_at = utc_now(now)
    db.flush()
    return release_by_version(db, campaign_id, version)


def unpublish_release(db: Session, campaign_id: int, version: str) -> Release:
    """Show a release to members only; raises NotFound, Conflict for one that is not public.

    A withdrawn release that was public stays so: its address has to say why it was withdrawn.
    """
    row = _locked(db, campaign_id, version)
    if row.public_at is None:
        raise Conflict(f"release {version} is not public", remedy="reload the page")
    if row.withdrawn_at is not None:
        raise Conflict(f"release {version} was withdrawn", remedy="its page stays, so that readers see why")
    row.public_at = None
    db.flush()
    return release_by_version(db, campaign_id, version)


def withdraw_release(
    db: Session,
    campaign_id: int,
    version: str,
    *,
    reason: str,
    by: int | None = None,
    now: datetime | None = None,
) -> Release:
    """Withdraw a release for a reason that stays visible; its bytes stay, for whoever must check a paper.

    Raises NotFound, Conflict for one that was withdrawn before, InvalidInput without a reason.
    """
    row = _locked(db, campaign_id, version)
    reason = storable(reason.strip())
    if row.withdrawn_at is not None:
        raise Conflict(f"release {version} was withdrawn before", remedy="reload the page")
    if not reason or len(reason) > LONGEST_REASON:
        message = "the reason is missing" if not reason else f"the reason has {len(reason):,} characters"
        remedy = "say what is wrong with it" if not reason else f"at most {LONGEST_REASON:,}"
        raise rejected("Reason", None, "reason", message, remedy)
    row.withdrawn_at, row.withdrawn_by, row.withdrawn_reason = utc_now(now), by, reason
    db.flush()
    return release_by_version(db, campaign_id, version)


def _chosen(campaign_id: int) -> Select[ReleaseRow, str | None, str | None]:
    maker, withdrawer = aliased(AccountRow), aliased(AccountRow)
    return (
        select(ReleaseRow, maker.name, withdrawer.name)
        .outerjoin(maker, maker.id == ReleaseRow.made_by)
        .outerjoin(withdrawer, withdrawer.id == ReleaseRow.withdrawn_by)
        .where(ReleaseRow.campaign_id == campaign_id)
    )


def _release(row: ReleaseRow, made_by: str | None, withdrawn_by: str | None) -> Release:
    figures = row.figures
    value, low, high, pairs = figures["kappa"] or (None, None, None, 0)
    return record_of(
        Release,
        row,
        title=figures["title"],
        rule=row.rule["label"],
        lines=figures["counts"]["lines"],
        relevant=figures["counts"]["relevant"],
        relevant_from=figures["relevant_from"],
        topics=figures["counts"]["topics_judged"],
        kappa=value,
        kappa_low=low,
        kappa_high=high,
        kappa_pairs=pairs,
        included=tuple(figures["included"]),
        made_by=made_by or "",
        withdrawn_by=withdrawn_by or "",
    )


def _locked(db: Session, campaign_id: int, version: str) -> ReleaseRow:
    row = db.scalar(
        select(ReleaseRow)
        .where(ReleaseRow.campaign_id == campaign_id, ReleaseRow.version == version)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    if row is None:
        raise _no_release(version)
    return row


def _no_release(version: str) -> NotFound:
    message = f"there is no release {version[:40]!r} of this campaign"
    return NotFound(message, remedy="see the list of its releases")
