"""Large pools, made while people save: computed outside every writing transaction, written in portions.

Until its last transaction the pool belongs to no campaign and nobody sees it, so that a process that is
killed leaves nothing half-done. That transaction checks that what the pool was computed from is unchanged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Self, TypeVar

from sqlalchemy import delete, func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage import locks
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database
from workbench.storage.tables import PoolEntryRow, PoolEventRow, PoolRow
from workbench.workflow.clock import shared_now
from workbench.workflow.pools.drafts import (
    Rebuilt,
    draft_pairs,
    forget,
    is_as_it_was,
    open_pool,
    rebuilt,
    replace_entries,
)
from workbench.workflow.pools.listing import PoolReport, pool_report
from workbench.workflow.pools.making import (
    KnownPairs,
    NewPool,
    begin_with,
    chosen_runs,
    known_pairs_of,
    made_meanwhile,
    name_for,
    new_row,
    pool_by_recipe,
    recipe_of,
    write_entries,
)
from workbench.workflow.pools.pool_log import append_pool_events
from workbench.workflow.pools.pool_rows import locked_pool, pool_row
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_records import lines_of_runs

PORTION = 250
"""Pairs in a transaction: some milliseconds, for which people who save wait."""
PAUSE = 1
"""Between two portions the database is left to others, for so many times as long as one takes."""
TRIES = 3
AT_ONCE = 2_000
"""Pairs of a draft that are replaced in one transaction."""
LEFT_AFTER = timedelta(hours=12)
"""A pool that has been in the making for so long was left by a process that ended."""

FEW_LINES = 200_000
"""Lines of runs that take about a second."""

Entries = Collection[dict[str, Any]]


_Inputs = tuple[Sequence[tuple[str, str]], Mapping[int, int]]
"""What a pool is computed from: its runs with their hashes and, supplementary, the other pools."""


def make_in_portions(
    database: Database, new: NewPool, *, finish: Callable[[Session, PoolRow], None] | None = None
) -> PoolReport:
    """Make a pool as `making.make_pool` does, and raise as it does, while others write.

    The same asked twice at once by one account, as by a double click, makes one pool. `finish` is called in
    the last transaction, and can refuse the pool. Raises Conflict where runs or pools change again and again.
    """
    remove_leftovers(database)
    for _ in range(TRIES):
        pack_runs_one_by_one(database, new.campaign_id)
        with database.reading() as db:
            inputs = _inputs(db, new)
            same = _made_by_a_double_click(db, new, inputs)
            if same is not None:
                return pool_report(db, new.campaign_id, same)
            row = new_row(db, new)
            entries = pool_by_recipe(db, row, inputs[0])
            known = None if new.draft else known_pairs_of(db, row)
        with _Unseen(database, row, entries.values(), known) as unseen:
            name = _shown(database, new, inputs, unseen, finish)
        if name is not None:
            with database.reading() as db:
                return pool_report(db, new.campaign_id, name)
    raise Conflict("the runs or pools changed while the pool was being made", remedy="make it again")


def reads_few_lines(db: Session, campaign_id: int) -> bool:
    """Whether the runs of a campaign are read so soon that a request can do it itself."""
    return lines_of_runs(db, campaign_id) <= FEW_LINES


def remove_leftovers(database: Database, *, older: timedelta = LEFT_AFTER) -> None:
    """Remove pools that a process began to make, or somebody deleted, and that nobody sees."""
    with database.reading() as db:
        begun = select(PoolRow.id).where(
            PoolRow.campaign_id.is_(None), PoolRow.created_at < shared_now(db) - older
        )
        left = db.scalars(begun).all()
    for pool_id in left:
        _remove(database, pool_id)


def _inputs(db: Session, new: NewPool, *, locked: bool = False) -> _Inputs:
    others = _opened(db, new.campaign_id) if new.recipe.supplementary else {}
    return chosen_runs(db, new.campaign_id, new.recipe, locked=locked), others


def _opened(db: Session, campaign_id: int) -> dict[int, int]:
    """The pools that were opened, each with its number of pairs."""
    opened = select(PoolRow.id, PoolRow.pairs).where(
        PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None)
    )
    return dict(db.execute(opened).all())


class _Unseen:
    """A pool that is written and that nobody sees; removed at the end unless it was shown."""

    def __init__(
        self, database: Database, row: PoolRow, entries: Entries, known: KnownPairs | None = None
    ) -> None:
        self._database, self._row, self._entries, self.known = database, row, entries, known
        self.id = 0

    def __enter__(self) -> Self:
        """Write it in portions."""
        row = self._row
        with self._database.writing() as db:
            unseen = PoolRow(
                campaign_id=None,
                name=row.name,
                recipe=row.recipe,
                pairs=row.pairs,
                largest_possible=row.largest_possible,
                created_by=row.created_by,
                created_at=shared_now(db),
                per_pair=row.per_pair,
            )
            db.add(unseen)
            db.flush()
            self.id = unseen.id
        try:
            _write(self._database, list(self._entries), lambda db, some: write_entries(db, self.id, some))
            if self.known is not None:
                _write_events(self._database, self.id, self.known)
        except BaseException:
            _remove(self._database, self.id)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Remove it unless it was shown."""
        _remove(self._database, self.id)


def _shown(
    database: Database,
    new: NewPool,
    inputs: _Inputs,
    unseen: _Unseen,
    finish: Callable[[Session, PoolRow], None] | None,
) -> str | None:
    """Show a pool; returns its name, or None where what it was made from has changed."""
    name = new.name
    try:
        with database.writing() as db:
            locks.change(db, new.campaign_id)
            same = _made_by_a_double_click(db, new, inputs)
            if same is not None:
                return same
            if _inputs(db, new, locked=True) != inputs:
                return None
            row = db.get_one(PoolRow, unseen.id)
            now = datetime.now(UTC)
            name = name_for(db, new)
            row.campaign_id, row.name = new.campaign_id, name
            row.created_at, row.opened_at = now, None if new.draft else now
            db.flush()
            if unseen.known is not None:
                begin_with(db, row, unseen.known)
            if finish is not None:
                finish(db, row)
            return name
    except IntegrityError:
        raise made_meanwhile(name) from None


T = TypeVar("T")


def _write(database: Database, rows: Sequence[T], write: Callable[[Session, Sequence[T]], None]) -> None:
    for portion in chunks(rows, PORTION):
        begun = time.monotonic()
        with database.writing() as db:
            write(db, portion)
        time.sleep(PAUSE * (time.monotonic() - begun))


def _write_events(database: Database, pool_id: int, known: KnownPairs) -> None:
    _write(database, known.events, lambda db, some: append_pool_events(db, pool_id, some))


def open_in_portions(database: Database, campaign_id: int, name: str, *, seen: str | None = None) -> bool:
    """Open a draft as `drafts.open_pool` does, and raise as it does, while others write.

    Its pairs and what a supplementary adaptive pool begins with are read outside the transaction that opens
    it. Events that a process left in a draft when it was killed are removed first. Raises Conflict where
    pools change again and again.
    """
    for _ in range(TRIES):
        with database.reading() as db:
            row = pool_row(db, campaign_id, name)
            known = known_pairs_of(db, row) if row.opened_at is None else None
            pairs = draft_pairs(db, row)
            inputs = row.id, row.recipe, _opened(db, campaign_id)
        try:
            if known is not None:
                _remove_rows(database, row.id, PoolEventRow)
                _write_events(database, row.id, known)
            with database.writing() as db:
                locks.change(db, campaign_id)
                now = locked_pool(db, campaign_id, name)
                if known is None or (
                    inputs == (now.id, now.recipe, _opened(db, campaign_id))
                    and _events(db, now.id) == len(known.events)
                ):
                    return open_pool(db, campaign_id, name, seen=seen, known=known, now=pairs)
        except IntegrityError:  # the draft was rebuilt or deleted, or somebody else opens it now
            continue
    raise Conflict("the draft or other pools changed while it was being opened", remedy="open it again")


def _events(db: Session, pool_id: int) -> int:
    counted = select(func.count()).select_from(PoolEventRow).where(PoolEventRow.pool_id == pool_id)
    return db.scalar(counted) or 0


def rebuild_in_portions(database: Database, campaign_id: int, name: str) -> Rebuilt:
    """Rebuild a draft while others write; raises NotFound, and Conflict as `drafts.rebuilt` does.

    A large one gets another number: it takes the name of the old one, which is removed afterwards.
    """
    for _ in range(TRIES):
        pack_runs_one_by_one(database, campaign_id)
        with database.reading() as db:
            found = rebuilt(db, pool_row(db, campaign_id, name))
        if len(found.entries) <= AT_ONCE:
            with database.writing() as db:
                locks.change(db, campaign_id)
                old = locked_pool(db, campaign_id, name)
                if is_as_it_was(db, old, found):
                    replace_entries(db, old, found)
                    done = found
                    break
            continue
        with _Unseen(database, found.row, found.entries.values()) as unseen, database.writing() as db:
            locks.change(db, campaign_id)
            old = locked_pool(db, campaign_id, name)
            if is_as_it_was(db, old, found):
                new = db.get_one(PoolRow, unseen.id)
                new.created_at = old.created_at
                forget(old)
                db.flush()
                new.campaign_id = campaign_id
                done = found
                break
    else:
        raise Conflict("the draft or its runs changed while it was being rebuilt", remedy="rebuild it again")
    remove_leftovers(database)
    with database.reading() as db:
        return Rebuilt(pool_report(db, campaign_id, name), done.entered, done.left, done.kept)


def _made_by_a_double_click(db: Session, new: NewPool, inputs: _Inputs) -> str | None:
    """The name of the same pool, which the same account has made since this one was asked for."""
    if new.created_by is None:
        return None
    made = select(PoolRow).where(
        PoolRow.campaign_id == new.campaign_id,
        PoolRow.created_by == new.created_by,
        PoolRow.created_at >= new.asked_at,
    )
    recipe = recipe_of(new, inputs[0])
    for other in db.scalars(made.order_by(PoolRow.id)):
        is_named = not new.name.strip() or other.name == " ".join(new.name.split())
        is_same = all(other.recipe.get(part) == value for part, value in recipe.items())
        if is_named and is_same and (other.opened_at is None) == new.draft:
            return other.name
    return None


def _remove(database: Database, pool_id: int) -> None:
    """Remove a pool topic by topic, if nobody sees it."""
    with database.reading() as db:
        row = db.get(PoolRow, pool_id)
        if row is None or row.campaign_id is not None:
            return
    for table in (PoolEventRow, PoolEntryRow):
        _remove_rows(database, pool_id, table)
    with database.writing() as db:
        db.execute(delete(PoolRow).where(PoolRow.id == pool_id, PoolRow.campaign_id.is_(None)))


def _remove_rows(database: Database, pool_id: int, table: type[PoolEntryRow] | type[PoolEventRow]) -> None:
    """Remove the rows of a pool from a table, topic by topic."""
    with database.reading() as db:
        topics = db.scalars(select(table.topic).where(table.pool_id == pool_id).distinct()).all()
    for topic in topics:
        begun = time.monotonic()
        with database.writing() as db:
            db.execute(delete(table).where(table.pool_id == pool_id, table.topic == topic))
        time.sleep(PAUSE * (time.monotonic() - begun))
