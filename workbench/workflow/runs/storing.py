"""Keeping a run that was checked: under a free tag, or on purpose in the place of the one that has it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput
from workbench.records import Verdict
from workbench.storage.tables import PoolRow, RunRow
from workbench.workflow.clock import utc_now
from workbench.workflow.runs.run_metadata import Kind


@dataclass(frozen=True, slots=True)
class NewRun:
    """A checked file that holds a run; `content_gzip` is the whole of it, `sha256` of its plain bytes."""

    tag: str
    file_name: str
    content_gzip: bytes
    sha256: str
    topics: int
    lines: int
    warnings: list[Any]


def store_run(
    db: Session,
    campaign_id: int,
    new: NewRun,
    *,
    added_by: int | None = None,
    group_id: int | None = None,
    kind: Kind | None = None,
    description: str = "",
    priority: int | None = None,
    verdict: Verdict = Verdict.ACCEPTED,
    replacing: bool = False,
    of_group_only: bool = False,
) -> int:
    """Keep a run and give its row's number.

    With `replacing` the run that has the tag is kept beside it as an earlier version, and what is not said of
    the new one is taken over from it. With `of_group_only` the run there is replaced only if it is of
    `group_id` and in no pool, and of any other nothing is said but that its tag is taken.
    Raises InvalidInput where the tag is taken, Conflict where somebody else took it at this moment.
    """
    there = db.scalar(
        select(RunRow)
        .where(RunRow.campaign_id == campaign_id, RunRow.tag == new.tag, RunRow.replaced_at.is_(None))
        .with_for_update()
    )
    if there is not None:
        refusal = _refusal(db, there, new, group_id, replacing=replacing, of_group_only=of_group_only)
        if refusal is not None:
            raise InvalidInput([refusal])
    now = utc_now(None)
    row = RunRow(
        campaign_id=campaign_id,
        tag=new.tag,
        file_name=new.file_name,
        content_gzip=new.content_gzip,
        sha256=new.sha256,
        topics=new.topics,
        lines=new.lines,
        warnings=new.warnings,
        added_by=added_by,
        added_at=now,
        group_id=group_id,
        kind=kind,
        description=description,
        priority=priority,
        verdict=verdict,
    )
    if there is not None:
        row.group_id = there.group_id if group_id is None else group_id
        row.kind = there.kind if kind is None else kind
        row.description = description or there.description
        row.priority = there.priority if priority is None else priority
        there.replaced_at = now
    try:
        db.flush()
        db.add(row)
        db.flush()
    except IntegrityError:
        raise Conflict(
            f"a run {new.tag} was sent at this very moment by somebody else", remedy="look at it, then decide"
        ) from None
    return row.id


def _refusal(
    db: Session, there: RunRow, new: NewRun, group_id: int | None, *, replacing: bool, of_group_only: bool
) -> Finding | None:
    source, tag = new.file_name, new.tag
    if of_group_only and there.group_id != group_id:
        # Whose it is, and whether it is this very file, is nobody's business but the organiser's.
        return Finding(source, None, "tag-taken", f"the tag {tag} is taken", "give this run another tag")
    if there.sha256 == new.sha256:
        return Finding(source, None, "same-content", f"this very file is here already as run {tag}")
    if not replacing:
        remedy = "give this run its own tag, or say that it replaces the one there"
        return Finding(source, None, "tag-taken", f"a run {tag} is here already", remedy)
    if of_group_only and _pooled(db, there):
        message = f"run {tag} is in use and can no longer be replaced"
        return Finding(source, None, "in-use", message, "ask the organiser, or send it under another tag")
    return None


def _pooled(db: Session, there: RunRow) -> bool:
    recipes = db.scalars(select(PoolRow.recipe).where(PoolRow.campaign_id == there.campaign_id))
    return any(run["tag"] == there.tag for recipe in recipes for run in recipe["runs"])
