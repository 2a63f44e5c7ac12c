"""Two pools side by side, drafts or not; or one beside everything that people have judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy.orm import Session

from workbench.pooling.comparison import Comparison, compare
from workbench.pooling.pool import Pair, Pool
from workbench.records import PoolEntry, id_bytes
from workbench.workflow.effort import Pace, pace_of
from workbench.workflow.pools import PooledPair, PoolLine, pool_entries, pool_report
from workbench.workflow.progress import graded_by_people


class Turn(StrEnum):
    """What becomes of a pair from one pool to the other."""

    ENTERING = "entering"
    LEAVING = "leaving"
    STAYING = "staying"


@dataclass(frozen=True, slots=True)
class ComparedPair:
    """A pair of either pool: what becomes of it, whether a person has judged it, and where it comes from.

    The origin is `runs`, `manual` or `runs+manual` in the pool after, else in the one before, or `judged`.
    """

    turn: Turn
    topic: str
    docno: str
    judged: bool
    origin: str


@dataclass(frozen=True, slots=True)
class ComparedPools:
    """A comparison with the pools that it is of; no pool before stands for everything that is judged.

    `pairs` are sorted by topic and docno as bytes.
    """

    before: PoolLine | None
    after: PoolLine
    comparison: Comparison
    pace: Pace | None
    pairs: tuple[ComparedPair, ...]

    @property
    def hours(self) -> float | None:
        """The hours for what of the pool after is not judged, None where the time of a pair is not known."""
        return None if self.pace is None else self.pace.hours(self.comparison.total.to_judge)


def compare_pools(db: Session, campaign_id: int, before: str | None, after: str) -> ComparedPools:
    """Compare the pool before, or all that is judged where None, with the pool after; raises NotFound."""
    judged = graded_by_people(db, campaign_id)
    second_line = pool_report(db, campaign_id, after).pool
    second = pool_entries(db, campaign_id, after)
    first_line = None if before is None else pool_report(db, campaign_id, before).pool
    first = () if before is None else pool_entries(db, campaign_id, before)
    found = compare(
        _judged_pool(judged) if first_line is None else _pool(first_line, first),
        _pool(second_line, second),
        judged=judged,
        added_before=_added(first),
        added_after=_added(second),
    )
    origins = {(one.topic, one.docno): one.origin for one in (*first, *second)}
    return ComparedPools(
        first_line, second_line, found, pace_of(db, campaign_id), _pairs(found, judged, origins)
    )


def _pool(line: PoolLine, entries: Iterable[PooledPair]) -> Pool:
    return Pool(tuple(PoolEntry(one.topic, one.docno, one.contributions) for one in entries), line.tags, {})


def _judged_pool(judged: Iterable[Pair]) -> Pool:
    return Pool(tuple(PoolEntry(topic, docno, ()) for topic, docno in judged), (), {})


def _added(entries: Iterable[PooledPair]) -> frozenset[Pair]:
    return frozenset((one.topic, one.docno) for one in entries if one.added is not None)


def _pairs(found: Comparison, judged: set[Pair], origins: dict[Pair, str]) -> tuple[ComparedPair, ...]:
    changed = found.difference
    turns = {
        **dict.fromkeys(changed.entering, Turn.ENTERING),
        **dict.fromkeys(changed.leaving, Turn.LEAVING),
        **dict.fromkeys(changed.staying, Turn.STAYING),
    }
    ordered = sorted(turns, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1])))
    return tuple(
        ComparedPair(turns[pair], *pair, judged=pair in judged, origin=origins.get(pair, "judged"))
        for pair in ordered
    )
