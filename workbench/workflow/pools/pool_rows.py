"""Pools as rows, for the use-cases that change one: found, locked, and only in the state that allows it.

Whoever changes a pool locks its row; whoever writes something that hangs on its state, an answer or an
assignment, takes a shared lock. So nothing is written into a pool that is being closed, and no draft is
opened while it is being rebuilt. SQLite has one writer at a time and needs no locks.
"""

from __future__ import annotations

from collections.abc import Hashable
from enum import StrEnum

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, object_session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.checks import storable

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
