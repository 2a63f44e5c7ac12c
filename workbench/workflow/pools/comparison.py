"""Two pools side by side, drafts or not; or one beside everything that people have judged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.pooling.comparison import PoolComparison, compare_pairs
from workbench.pooling.pool import Pair, Pool
from workbench.records import Contribution, PoolEntry, id_bytes
from workbench.storage.tables import PoolEntryRow
from workbench.workflow.pools.judged_pairs import graded_by_people
from workbench.workflow.pools.listing import PoolLine, origin, pool_summary
from workbench.workflow.pools.pace import Pace, pace_of


class PairChange(StrEnum):
    """What becomes of a pair from one pool to the other."""

    ADDED = "entering"
    REMOVED = "leaving"
    KEPT = "staying"


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A pair of either pool: what becomes of it, whether a person has judged it, and where it comes from.

    The origin is `runs`, `manual` or `runs+manual` in the pool after, else in the one before, or `judged`.
    """

    turn: PairChange
    topic: str
    docno: str
    judged: bool
    origin: str


@dataclass(frozen=True, slots=True)
class _PoolSide:
    """One of the two: its pool, and the pairs of it that were added by hand."""

    pool: Pool
    added: frozenset[Pair]


@dataclass(frozen=True, slots=True)
class ComparedPools:
    """A comparison and its two pools; without a pool before, it is with everything that is judged.

    `pairs` are sorted by topic and docno as bytes.
    """

    before: PoolLine | None
    after: PoolLine
    comparison: PoolComparison
    pace: Pace
    pairs: tuple[ComparedPair, ...]

    @property
    def hours(self) -> float:
        """The hours for what of the pool after is not judged."""
        return self.pace.hours(self.comparison.total.to_judge)


def compare_pools(db: Session, campaign_id: int, before: str | None, after: str) -> ComparedPools:
    """Compare the pool before, or all that is judged where None, with the pool after; raises NotFound."""
    judged = graded_by_people(db, campaign_id)
    line = pool_summary(db, campaign_id, after)
    line_before = None if before is None else pool_summary(db, campaign_id, before)
    second = _side(db, line)
    first = _judged_side(judged) if line_before is None else _side(db, line_before)
    found = compare_pairs(
        first.pool, second.pool, judged=judged, added_before=first.added, added_after=second.added
    )
    origins = {**({} if line_before is None else _origins(first)), **_origins(second)}
    return ComparedPools(line_before, line, found, pace_of(db, campaign_id), _pairs(found, judged, origins))


def _judged_side(judged: set[Pair]) -> _PoolSide:
    return _PoolSide(Pool(tuple(PoolEntry(*pair, ()) for pair in judged), (), {}), frozenset())


def _side(db: Session, line: PoolLine) -> _PoolSide:
    entry = PoolEntryRow
    rows = db.execute(
        select(entry.topic, entry.docno, entry.brought_by, entry.added_at).where(entry.pool_id == line.id)
    )
    # The same few tags and ranks come with very many pairs.
    contribution = cache(Contribution)
    entries, added = [], set()
    for topic, docno, brought, added_at in rows:
        entries.append(PoolEntry(topic, docno, tuple(contribution(tag, rank) for tag, rank in brought)))
        if added_at is not None:
            added.add((topic, docno))
    return _PoolSide(Pool(tuple(entries), line.tags, {}), frozenset(added))


def _origins(side: _PoolSide) -> dict[Pair, str]:
    return {
        (pair := (entry.topic, entry.docno)): origin(bool(entry.contributions), pair in side.added)
        for entry in side.pool.entries
    }


def _pairs(found: PoolComparison, judged: set[Pair], origins: dict[Pair, str]) -> tuple[ComparedPair, ...]:
    changed = found.difference
    turns = {
        **dict.fromkeys(changed.added, PairChange.ADDED),
        **dict.fromkeys(changed.removed, PairChange.REMOVED),
        **dict.fromkeys(changed.kept, PairChange.KEPT),
    }
    ordered = sorted(turns, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1])))
    return tuple(
        ComparedPair(turns[pair], *pair, judged=pair in judged, origin=origins.get(pair, "judged"))
        for pair in ordered
    )
