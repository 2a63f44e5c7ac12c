"""A pool from state to state: a draft is renamed, rebuilt, deleted or opened; an open pool is closed."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session, aliased
from typing_extensions import TypedDict

from workbench.errors import Conflict, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.strategies import ALL_STRATEGIES
from workbench.pooling.strategy import named
from workbench.records import id_bytes, sorted_ids
from workbench.storage import locks
from workbench.storage.engine import Database
from workbench.storage.tables import AssignmentRow, DocumentRow, PoolEntryRow, PoolRow
from workbench.workflow.pools.listing import MadePoolJson, PoolLine, PoolReport, pool_report, pool_summary
from workbench.workflow.pools.making import (
    TRIES,
    KnownPairs,
    begin_with,
    current_runs,
    exclude_known_pairs,
    known_pairs_of,
    manual_entry,
    opened_sizes,
    pool_by_recipe,
    write_entries,
)
from workbench.workflow.pools.planning import Pace, pace_of
from workbench.workflow.pools.pool_rows import (
    PoolState,
    checked_name,
    contents_of,
    is_adaptive,
    locked_pool,
    pool_row,
    require_draft,
    require_open,
    state_of,
    topics_of_pool,
)
from workbench.workflow.pools.pooled_topics import ByTopic, graded_of_pool, pooled_by_topic, read_by_topic
from workbench.workflow.runs.packed_store import pack_runs_one_by_one

Pair = tuple[str, str]
_UNMARKED: Mapping[str, Any] = {"added_by": None, "added_at": None, "reason": None}


class RebuiltPool(TypedDict):
    """A rebuilt draft: pairs added and removed, and the pairs added by hand that were kept."""

    pool: MadePoolJson
    entered: int
    left: int
    kept: int


@frozen_dataclass
class ChangedRun:
    """A run of a recipe that is not what it was: its hash then, and now; no hash now where it is gone."""

    tag: str
    sha256: str
    sha256_now: str | None


@frozen_dataclass
class Rebuilt:
    """A rebuilt draft: pairs added and removed, and the pairs added by hand that were kept."""

    pool: PoolReport
    entered: int
    left: int
    kept: int


def changed_runs(db: Session, campaign_id: int, name: str) -> tuple[ChangedRun, ...]:
    """The runs of a pool's recipe that were replaced or removed since, by tag; raises NotFound."""
    holding, row = current_runs(db, campaign_id), pool_row(db, campaign_id, name)
    found = (ChangedRun(run["tag"], run["sha256"], holding.get(run["tag"])) for run in row.recipe["runs"])
    return tuple(one for one in found if one.sha256 != one.sha256_now)


def rename_draft(db: Session, campaign_id: int, name: str, new_name: str) -> None:
    """Rename a draft.

    Raises NotFound, Conflict for a pool that is no draft or a name that is taken, WorkbenchError for no name.
    """
    row = locked_pool(db, campaign_id, name)
    require_draft(row, "renamed")
    if " ".join(new_name.split()) == row.name:
        return
    new_name = checked_name(db, campaign_id, new_name)
    if not new_name:
        raise WorkbenchError("a pool needs a name")
    row.name = new_name
    db.flush()


def delete_draft(db: Session, campaign_id: int, name: str) -> None:
    """Delete a draft, with what was added to it by hand; raises NotFound, and Conflict where it is none."""
    row = locked_pool(db, campaign_id, name)
    require_draft(row, "deleted")
    db.execute(delete(PoolEntryRow).where(PoolEntryRow.pool_id == row.id))
    db.delete(row)
    db.flush()


def rebuild(database: Database, campaign_id: int, name: str) -> Rebuilt:
    """Rebuild a draft by its recipe, from the runs as they are now and what is pooled or judged now.

    It is computed before others have to wait. Runs that are gone are left out; what was added by hand is
    kept, and stays marked where a run brings it now too. Raises NotFound, and Conflict for a pool that is no
    draft, has no run left or changes again and again.
    """
    for _ in range(TRIES):
        pack_runs_one_by_one(database, campaign_id)
        with database.reading() as db:
            row = pool_row(db, campaign_id, name)
            contents, runs, before = contents_of(row), current_runs(db, campaign_id), _marks(db, row.id)
            new, entries = _rebuilt(db, row, runs, before)
        with database.writing() as db:
            locks.change(db, campaign_id)
            row = locked_pool(db, campaign_id, name)
            require_draft(row, "rebuilt")
            if (contents_of(row), current_runs(db, campaign_id, locked=True)) != (contents, runs):
                continue
            db.execute(delete(PoolEntryRow).where(PoolEntryRow.pool_id == row.id))
            write_entries(db, row.id, entries.values())
            row.recipe, row.pairs, row.largest_possible = new.recipe, new.pairs, new.largest_possible
            db.flush()
            return Rebuilt(
                pool_report(db, campaign_id, name),
                entered=len(entries.keys() - before.keys()),
                left=len(before.keys() - entries.keys()),
                kept=sum(mark["added_at"] is not None for mark in before.values()),
            )
    raise Conflict("the draft or its runs changed while it was being rebuilt", remedy="rebuild it again")


def _rebuilt(
    db: Session, row: PoolRow, runs: Mapping[str, str], before: Mapping[Pair, Mapping[str, Any]]
) -> tuple[PoolRow, Mapping[Pair, dict[str, Any]]]:
    """A draft and its pairs as its recipe makes them now, with nothing written."""
    require_draft(row, "rebuilt")
    chosen = [(run["tag"], runs[run["tag"]]) for run in row.recipe["runs"] if run["tag"] in runs]
    if not chosen and named(ALL_STRATEGIES, row.recipe["strategy"]).reads_runs:
        raise Conflict(f"no run of {row.name!r} is left", remedy="delete the draft and pool other runs")
    new = PoolRow(campaign_id=row.campaign_id, name=row.name, recipe=row.recipe)
    entries = pool_by_recipe(db, new, chosen)
    kept = {pair: mark for pair, mark in before.items() if mark["added_at"] is not None}
    merged = {pair: {**manual_entry(pair), **mark} for pair, mark in kept.items()}
    merged |= {pair: {**_UNMARKED, **values, **kept.get(pair, {})} for pair, values in entries.items()}
    if not is_adaptive(new):
        new.pairs = len(merged)
    return new, merged


def _marks(db: Session, pool_id: int) -> dict[tuple[str, str], dict[str, Any]]:
    """The pairs of a pool, each with by whom, when and why it was added by hand."""
    entry = PoolEntryRow
    rows = db.execute(
        select(entry.topic, entry.docno, entry.added_by, entry.added_at, entry.reason).where(
            entry.pool_id == pool_id
        )
    )
    return {
        (topic, docno): {"added_by": by, "added_at": at, "reason": reason}
        for topic, docno, by, at, reason in rows
    }


@frozen_dataclass
class SharedPairs:
    """Another pool that was opened, and how many pairs it has in common with this one."""

    pool: str
    state: PoolState
    pairs: int


@frozen_dataclass
class BeforeOpening:
    """What opening a draft means; `sha256` is of its pairs, so that only what was shown is opened.

    `judged` of its pairs a person has graded by now, `without_text` are documents that nobody could read.
    """

    pool: PoolLine
    topics: int
    pace: Pace
    judged: int
    shared: tuple[SharedPairs, ...]
    without_text: int
    changed: tuple[ChangedRun, ...]
    sha256: str

    @property
    def hours(self) -> float:
        """The hours in which one assessor judges all of it."""
        return self.pace.hours(self.pool.pairs)


@frozen_dataclass
class BeforeClosing:
    """The consequences of closing a pool: of its pairs a person has graded `judged`; assignments in force."""

    pool: PoolLine
    judged: int
    assignments: int


def before_opening(db: Session, campaign_id: int, name: str) -> BeforeOpening:
    """Everything to be known before a draft is opened; raises NotFound, and Conflict where it is none."""
    row = pool_row(db, campaign_id, name)
    require_draft(row, "opened")
    pooled = read_by_topic(db, row.id)
    return BeforeOpening(
        pool=pool_summary(db, campaign_id, name),
        topics=len(topics_of_pool(db, row)),
        pace=pace_of(db, campaign_id),
        judged=graded_of_pool(db, campaign_id, pooled),
        shared=shared_with(db, campaign_id, name),
        without_text=_without_text(db, row),
        changed=changed_runs(db, campaign_id, name),
        sha256=_hash(pooled),
    )


def open_while_others_write(
    database: Database, campaign_id: int, name: str, *, seen: str | None = None
) -> bool:
    """Open a draft as `open_pool` does, and raise as it does.

    What a supplementary adaptive pool begins with is computed before others have to wait.
    """
    with database.reading() as db:
        row = pool_row(db, campaign_id, name)
        known = known_pairs_of(db, row) if row.opened_at is None else None
        inputs = row.id, row.recipe, opened_sizes(db, campaign_id)
    with database.writing() as db:
        locks.change(db, campaign_id)
        row = locked_pool(db, campaign_id, name)
        is_same = inputs == (row.id, row.recipe, opened_sizes(db, campaign_id))
        return open_pool(db, campaign_id, name, seen=seen, known=known if is_same else None)


def open_pool(
    db: Session, campaign_id: int, name: str, *, seen: str | None = None, known: KnownPairs | None = None
) -> bool:
    """Open a draft for judging; returns False where it is open already.

    `seen` is the hash of the pairs that somebody looked at before; `known` is what a supplementary adaptive
    pool begins with, where that is computed already. Raises NotFound, Conflict for a closed pool, an empty
    one, or one whose pairs are others than those seen.
    """
    row = locked_pool(db, campaign_id, name)
    if state_of(row) is PoolState.OPEN:
        return False
    require_draft(row, "opened")
    if not row.pairs:
        raise Conflict(f"pool {name!r} has no pairs", remedy="rebuild it, or delete it")
    if seen is not None and seen != _hash(read_by_topic(db, row.id)):
        raise Conflict(
            f"draft {name!r} has changed since you looked at it",
            remedy="look at it again before you open it",
        )
    row.opened_at = datetime.now(UTC)
    db.flush()
    if known is None:
        exclude_known_pairs(db, row)
    else:
        begin_with(db, row, known)
    return True


def before_closing(db: Session, campaign_id: int, name: str) -> BeforeClosing:
    """Everything to be known before an open pool is closed; raises NotFound, and Conflict for a draft."""
    row = pool_row(db, campaign_id, name)
    if state_of(row) is PoolState.DRAFT:
        require_open(row)
    return BeforeClosing(
        pool=pool_summary(db, campaign_id, name),
        judged=graded_of_pool(db, campaign_id, pooled_by_topic(db, row)),
        assignments=db.scalar(
            select(func.count()).where(AssignmentRow.pool_id == row.id, AssignmentRow.revoked_at.is_(None))
        )
        or 0,
    )


def close_pool(db: Session, campaign_id: int, name: str) -> bool:
    """Close a pool: no judgment, assignment or addition is taken for it any more.

    Returns False where it is closed already. Raises NotFound, and Conflict for a draft.
    """
    row = locked_pool(db, campaign_id, name)
    if state_of(row) is PoolState.CLOSED:
        return False
    require_open(row)
    row.closed_at = datetime.now(UTC)
    db.flush()
    return True


def shared_with(db: Session, campaign_id: int, name: str) -> tuple[SharedPairs, ...]:
    """The other pools that were opened and have pairs of this one, oldest first; raises NotFound."""
    row = pool_row(db, campaign_id, name)
    own, other = aliased(PoolEntryRow), aliased(PoolEntryRow)
    counts = dict(
        db.execute(
            select(other.pool_id, func.count())
            .select_from(own)
            .join(other, (other.topic == own.topic) & (other.docno == own.docno))
            .where(
                own.pool_id == row.id,
                other.pool_id.in_(
                    select(PoolRow.id).where(
                        PoolRow.campaign_id == campaign_id,
                        PoolRow.id != row.id,
                        PoolRow.opened_at.is_not(None),
                    )
                ),
            )
            .group_by(other.pool_id)
        ).all()
    )
    others = db.scalars(select(PoolRow).where(PoolRow.id.in_(list(counts))).order_by(PoolRow.id))
    return tuple(SharedPairs(one.name, state_of(one), counts[one.id]) for one in others)


def _hash(pooled: ByTopic) -> str:
    """The SHA-256 of the pairs, one a line, sorted by topic and docno as bytes."""
    digest = hashlib.sha256()
    for topic in sorted_ids(pooled):
        begin = id_bytes(topic) + b"\t"
        digest.update(begin + pooled[topic].joined.replace(b"\n", b"\n" + begin) + b"\n")
    return digest.hexdigest()


def _without_text(db: Session, row: PoolRow) -> int:
    known = select(DocumentRow.docno).where(DocumentRow.campaign_id == row.campaign_id)
    lacking = select(func.count(PoolEntryRow.docno.distinct())).where(
        PoolEntryRow.pool_id == row.id, PoolEntryRow.docno.not_in(known)
    )
    return db.scalar(lacking) or 0
