"""Large pools, made while people save: computed outside every writing transaction, written in portions.

Until its last transaction the pool belongs to no campaign and nobody sees it, so that a process that is
killed leaves nothing half-done. That transaction checks that what the pool was computed from is unchanged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, PoolEntryRow, PoolRow
from workbench.workflow.pools.drafts import Rebuilt, forget, is_as_it_was, rebuilt, replace_entries
from workbench.workflow.pools.listing import PoolReport, pool_report
from workbench.workflow.pools.making import (
    NewPool,
    chosen_runs,
    exclude_known_pairs,
    made_meanwhile,
    name_for,
    new_row,
    pool_by_recipe,
    recipe_of,
    write_entries,
)
from workbench.workflow.pools.pool_rows import locked_pool, pool_row
from workbench.workflow.runs.packed_store import pack_runs_one_by_one

PORTION = 250
"""Pairs in a transaction: some milliseconds, for which people who save wait."""
PAUSE = 1
"""Between two portions the database is left to others, for so many times as long as one takes."""
TRIES = 3
AT_ONCE = 2_000
"""Pairs of a draft that are replaced in one transaction."""
LEFT_AFTER = timedelta(hours=12)
"""A pool that has been in the making for so long was left by a process that ended."""

Entries = Collection[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Inputs:
    """What a pool is computed from: its runs with their hashes and, supplementary, the other pools."""

    runs: Sequence[tuple[str, str]]
    others: Mapping[int, int]


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
            entries = pool_by_recipe(db, row, inputs.runs)
        with _Unseen(database, row, entries.values()) as unseen:
            name = _shown(database, new, inputs, unseen, finish)
        if name is not None:
            with database.reading() as db:
                return pool_report(db, new.campaign_id, name)
    raise Conflict("the runs or pools changed while the pool was being made", remedy="make it again")


def remove_leftovers(database: Database, *, older: timedelta = LEFT_AFTER) -> None:
    """Remove pools that a process began to make, or somebody deleted, and that nobody sees."""
    with database.reading() as db:
        begun = select(PoolRow.id).where(
            PoolRow.campaign_id.is_(None), PoolRow.created_at < datetime.now(UTC) - older
        )
        left = db.scalars(begun).all()
    for pool_id in left:
        _remove(database, pool_id)


def _inputs(db: Session, new: NewPool, *, locked: bool = False) -> _Inputs:
    others: dict[int, int] = {}
    if new.recipe.supplementary:
        opened = select(PoolRow.id, PoolRow.pairs).where(
            PoolRow.campaign_id == new.campaign_id, PoolRow.opened_at.is_not(None)
        )
        others = dict(db.execute(opened).all())
    return _Inputs(chosen_runs(db, new.campaign_id, new.recipe, locked=locked), others)


class _Unseen:
    """A pool that is written and that nobody sees; removed at the end unless it was shown."""

    def __init__(self, database: Database, row: PoolRow, entries: Entries) -> None:
        self._database, self._row, self._entries = database, row, entries
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
                created_at=datetime.now(UTC),
                per_pair=row.per_pair,
            )
            db.add(unseen)
            db.flush()
            self.id = unseen.id
        try:
            for portion in chunks(list(self._entries), PORTION):
                begun = time.monotonic()
                with self._database.writing() as db:
                    write_entries(db, self.id, portion)
                time.sleep(PAUSE * (time.monotonic() - begun))
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
            # One after the other, also where writers do not exclude each other; answers do not wait for it.
            campaign = select(CampaignRow.id).where(CampaignRow.id == new.campaign_id)
            db.execute(campaign.with_for_update(key_share=True))
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
            if not new.draft:
                exclude_known_pairs(db, row)
            if finish is not None:
                finish(db, row)
            return name
    except IntegrityError:
        raise made_meanwhile(name) from None


def rebuild_in_portions(database: Database, campaign_id: int, name: str) -> Rebuilt:
    """Rebuild a draft as `drafts.rebuild_draft` does, and raise as it does, while others write.

    A large one gets another number: it takes the name of the old one, which is removed afterwards.
    """
    for _ in range(TRIES):
        pack_runs_one_by_one(database, campaign_id)
        with database.reading() as db:
            found = rebuilt(db, pool_row(db, campaign_id, name))
        if len(found.entries) <= AT_ONCE:
            with database.writing() as db:
                old = locked_pool(db, campaign_id, name)
                if is_as_it_was(db, old, found):
                    replace_entries(db, old, found)
                    done = found
                    break
            continue
        with _Unseen(database, found.row, found.entries.values()) as unseen, database.writing() as db:
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
    recipe = recipe_of(new, inputs.runs)
    for other in db.scalars(made.order_by(PoolRow.id)):
        is_named = not new.name.strip() or other.name == " ".join(new.name.split())
        is_same = all(other.recipe.get(part) == value for part, value in recipe.items())
        if is_named and is_same and (other.opened_at is None) == new.draft:
            return other.name
    return None


def _remove(database: Database, pool_id: int) -> None:
    """Remove a pool topic by topic, if nobody sees it."""
    entry = PoolEntryRow
    with database.reading() as db:
        row = db.get(PoolRow, pool_id)
        if row is None or row.campaign_id is not None:
            return
        topics = db.scalars(select(entry.topic).where(entry.pool_id == pool_id).distinct()).all()
    for topic in topics:
        begun = time.monotonic()
        with database.writing() as db:
            db.execute(delete(entry).where(entry.pool_id == pool_id, entry.topic == topic))
        time.sleep(PAUSE * (time.monotonic() - begun))
    with database.writing() as db:
        db.execute(delete(PoolRow).where(PoolRow.id == pool_id, PoolRow.campaign_id.is_(None)))
