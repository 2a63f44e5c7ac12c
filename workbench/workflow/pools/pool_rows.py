"""Pools as rows, for the use-cases that change one: found, locked, and only in the state that allows it.

Whoever changes a pool locks its row; whoever writes something that hangs on its state, an answer or an
assignment, takes a shared lock. So nothing is written into a pool that is being closed, and no draft is
opened while it is being rebuilt. SQLite has one writer at a time and needs no locks.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from sqlalchemy import Select, Text, cast, func, select
from sqlalchemy.orm import Session, object_session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Adaptive
from workbench.pooling.strategies import ADAPTIVE, start
from workbench.pooling.strategy import named
from workbench.records import Run, TieRule
from workbench.storage.tables import (
    PoolEntryRow,
    PoolRow,
)
from workbench.workflow.pools.pool_log import ChoiceReason, TopicEvent, events_of
from workbench.workflow.runs.packed_store import run_for_use

LONGEST_NAME = 120
REMOVED = "taken_out"
"""In a recipe: what was added by hand and removed again."""
_CHANGED = "pools changed"
# In the `info` of a session: what stands for the contents of each pool that it changed, by number.


class PoolState(StrEnum):
    """A draft can still become anything; an open pool is judged and grows; a closed one never changes."""

    DRAFT = "draft"
    OPEN = "open"
    CLOSED = "closed"


def state_of(row: PoolRow) -> PoolState:
    """The state of a pool."""
    if row.closed_at is not None:
        return PoolState.CLOSED
    return PoolState.DRAFT if row.opened_at is None else PoolState.OPEN


def pool_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of the pool with this name; raises NotFound."""
    return _named(db, campaign_id, name, select(PoolRow))


def locked_pool(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row as it is now, kept from everybody else until the transaction ends; raises NotFound."""
    locked = select(PoolRow).with_for_update().execution_options(populate_existing=True)
    return _named(db, campaign_id, name, locked)


def _named(db: Session, campaign_id: int, name: str, chosen: Select[PoolRow]) -> PoolRow:
    row = db.scalar(chosen.where(PoolRow.campaign_id == campaign_id, PoolRow.name == name))
    if row is None:
        raise NotFound(f"there is no pool {name!r} in this campaign")
    return row


def share_locked_pool(db: Session, pool_id: int) -> PoolRow:
    """The row as it is now, in its state until the transaction ends; many may hold it. Raises NotFound."""
    row = db.scalar(
        select(PoolRow)
        .where(PoolRow.id == pool_id)
        .with_for_update(read=True)
        .execution_options(populate_existing=True)
    )
    if row is None:
        raise NotFound("there is no such pool")
    return row


def require_open(row: PoolRow) -> None:
    """Raise Conflict unless a pool is open for judging."""
    if state_of(row) is PoolState.DRAFT:
        raise Conflict(f"pool {row.name!r} is a draft", remedy="open it for judging first")
    require_not_closed(row)


def require_draft(row: PoolRow, act: str) -> None:
    """Raise Conflict unless a pool is a draft; `act` is what only a draft allows, as "deleted"."""
    state = state_of(row)
    if state is not PoolState.DRAFT:
        raise Conflict(f"pool {row.name!r} is {state}", remedy=f"choose a draft: only a draft can be {act}")


def require_not_closed(row: PoolRow) -> None:
    """Raise Conflict for a closed pool."""
    if state_of(row) is PoolState.CLOSED:
        raise Conflict(f"pool {row.name!r} is closed", remedy="create a new pool for more judging")


def contents_of(row: PoolRow) -> Hashable:
    """What differs whenever the pairs of an opened pool do: no pair leaves it without a note in its recipe.

    The moment at which it was made tells it from the pool of this number in another database. What a
    transaction has changed is its own until the end: it may be undone, and another change count the same.
    """
    db = object_session(row)
    changed = None if db is None else db.info.get(_CHANGED, {}).get(row.id)
    found = row.created_at, row.pairs, len(row.recipe.get(REMOVED, ()))
    return found if changed is None else (*found, changed)


def recount(db: Session, row: PoolRow) -> None:
    """Keep with a pool how many pairs it has, after some came or went."""
    db.info.setdefault(_CHANGED, {})[row.id] = object()
    db.flush()
    row.pairs = db.scalar(select(func.count()).where(PoolEntryRow.pool_id == row.id)) or 0
    db.flush()


def name_taken(db: Session, campaign_id: int, name: str) -> bool:
    """Whether a pool of the campaign has this name."""
    return (
        db.scalar(select(func.count()).where(PoolRow.campaign_id == campaign_id, PoolRow.name == name)) != 0
    )


def checked_name(db: Session, campaign_id: int, name: str) -> str:
    """A name for a pool as it is kept, empty where none was given.

    Raises WorkbenchError for one that is too long, Conflict for one that is taken.
    """
    name = storable(" ".join(name.split()))
    if len(name) > LONGEST_NAME:
        raise WorkbenchError(f"the name has {len(name)} characters", remedy=f"at most {LONGEST_NAME}")
    if name and name_taken(db, campaign_id, name):
        raise Conflict(f"there is already a pool {name!r}", remedy="choose another name")
    return name


def is_adaptive(pool: PoolRow) -> bool:
    """Whether the documents of a pool are chosen while people judge."""
    return bool(pool.recipe.get("adaptive", False))


def totals(pool: PoolRow) -> dict[str, int]:
    """How many documents an adaptive pool asks for at most, by topic."""
    found: dict[str, int] = pool.recipe.get("totals", {})
    return found


def topics_of_pool(db: Session, pool: PoolRow) -> set[str]:
    """The topics in which a pool has something to judge, or will have."""
    if is_adaptive(pool):
        return {topic for topic, total in totals(pool).items() if total}
    return set(db.scalars(select(PoolEntryRow.topic).where(PoolEntryRow.pool_id == pool.id).distinct()))


def adaptive_recipe(pool: Adaptive) -> dict[str, Any]:
    """What the recipe of an adaptive pool adds: that it is one, and its number of documents by topic."""
    return {"adaptive": True, "totals": {topic: pool.left(topic) for topic in pool.topics}}


def most_pairs(pool: Adaptive) -> int:
    """How many documents a pool still asks for at most, in all topics."""
    return sum(pool.left(topic) for topic in pool.topics)


def pool_events(db: Session, campaign_id: int, name: str) -> tuple[TopicEvent, ...]:
    """All that happened in an adaptive pool, by topic (bytes), in order; raises as `adaptive_pool_row`."""
    return events_of(db, adaptive_pool_row(db, campaign_id, name).id)


def reasons_of(db: Session, pool_id: int, topic: str) -> dict[str, ChoiceReason]:
    """Why a learner's pool handed out each document of a topic, the last time; empty for other pools."""
    return {one.docno: one.reason for one in events_of(db, pool_id, topic) if one.reason is not None}


def adaptive_pool_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of an adaptive pool; raises NotFound, and WorkbenchError where the pool is of another kind."""
    pool = pool_row(db, campaign_id, name)
    if not is_adaptive(pool):
        raise WorkbenchError(
            f"pool {name!r} is not adaptive",
            remedy="name an adaptive pool: the documents of this one were chosen when it was made",
        )
    return pool


def initial_adaptive_pool(db: Session, pool: PoolRow) -> Adaptive:
    """An adaptive pool as its recipe makes it from its runs; raises Conflict where a run has changed."""
    recipe = pool.recipe
    values = named(ADAPTIVE, recipe["strategy"]).values(recipe["parameters"])
    ties = TieRule(recipe["ties"])
    runs = _runs(db, pool, values["depth"], ties)
    return start(runs, strategy=recipe["strategy"], ties=ties, parameters=values)


def _runs(db: Session, pool: PoolRow, depth: int, ties: TieRule) -> Iterator[Run]:
    for run in pool.recipe["runs"]:
        try:
            yield run_for_use(db, pool.campaign_id, run["tag"], depth=depth, ties=ties, sha256=run["sha256"])
        except NotFound:
            raise Conflict(
                f"run {run['tag']} has changed since pool {pool.name!r} was made",
                remedy="add that version again: an adaptive pool chooses from the runs it was made from",
            ) from None


@frozen_dataclass
class Contributed:
    """By tag, how many pairs of a pool the run brought, and how many no other run and no person did."""

    pairs: Mapping[str, int]
    alone: Mapping[str, int]


def contributions_of(db: Session, pool: PoolRow) -> Contributed:
    """What each run brought to a pool."""
    pairs, alone = Counter[str](), Counter[str]()
    for _, _, brought in contributors(db, pool.id):
        for tags in brought:
            pairs.update(tags)
            if len(tags) == 1:
                alone.update(tags)
    entry = PoolEntryRow
    by_hand = select(entry.brought_by).where(
        entry.pool_id == pool.id, entry.added_at.is_not(None), entry.run_count == 1
    )
    for ((tag, _),) in db.scalars(by_hand):
        alone[tag] -= 1
    return Contributed(pairs, +alone)


def contributors(db: Session, pool_id: int) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Of each topic of a pool its docnos, and the tags of the runs that brought each."""
    entry = PoolEntryRow
    # Joined by the database, both in one order, whichever that is: a tenth of the time that rows take, one by
    # one.
    statement = (
        select(
            entry.topic,
            func.aggregate_strings(entry.docno, "\n"),
            func.aggregate_strings(cast(entry.brought_by, Text), ","),
        )
        .where(entry.pool_id == pool_id)
        .group_by(entry.topic)
    )
    for topic, docnos, texts in db.connection().execute(statement, execution_options={"yield_per": 10}):
        brought = json.loads(f"[{texts}]")
        yield topic, docnos.split("\n"), [[tag for tag, _ in each] for each in brought]
