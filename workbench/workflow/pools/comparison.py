"""Two pools side by side, drafts or not; or one beside everything that people have judged."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from workbench.pooling.comparison import PoolComparison, PoolMembers, compare_pairs
from workbench.pooling.pool import Pair
from workbench.records import id_bytes
from workbench.storage.tables import PoolEntryRow
from workbench.workflow.pools.judged_pairs import graded_by_people
from workbench.workflow.pools.listing import PoolLine, origin, pool_summary
from workbench.workflow.pools.pace import Pace, pace_of

PORTION = 10_000
"""Rows whose runs are decoded at a time."""


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
    second = _members(db, line)
    first = _judged(judged) if line_before is None else _members(db, line_before)
    found = compare_pairs(first, second, judged=judged)
    origins = {**({} if line_before is None else _origins(first)), **_origins(second)}
    return ComparedPools(line_before, line, found, pace_of(db, campaign_id), _pairs(found, judged, origins))


def _judged(judged: set[Pair]) -> PoolMembers:
    nothing = np.empty(0, np.int64)
    return PoolMembers(tuple(judged), (), nothing, np.zeros(len(judged), np.int64))


def _members(db: Session, line: PoolLine) -> PoolMembers:
    entry = PoolEntryRow
    place = {tag: number for number, tag in enumerate(line.tags)}
    pairs: list[Pair] = []
    added: set[Pair] = set()
    brought, counts = [], []
    # The runs as text: to decode many values at once takes a quarter of the time of one after the other.
    rows = db.connection().execute(
        select(entry.topic, entry.docno, cast(entry.brought_by, Text), entry.added_at).where(
            entry.pool_id == line.id
        ),
        execution_options={"yield_per": PORTION},
    )
    for part in rows.partitions():
        topics, docnos, texts, moments = zip(*part, strict=True)
        here = list(zip(topics, docnos, strict=True))
        pairs += here
        added.update(pair for pair, moment in zip(here, moments, strict=True) if moment is not None)
        decoded = json.loads(f"[{','.join(texts)}]")
        counts.append(np.fromiter(map(len, decoded), np.int64, len(decoded)))
        brought.append(np.array([place[tag] for one in decoded for tag, _ in one], np.int64))
    nothing = np.empty(0, np.int64)
    return PoolMembers(
        tuple(pairs),
        tuple(line.tags),
        np.concatenate([nothing, *brought]),
        np.concatenate([nothing, *counts]),
        frozenset(added),
    )


def _origins(pool: PoolMembers) -> dict[Pair, str]:
    by_runs = (pool.counts > 0).tolist()
    return {pair: origin(runs, pair in pool.added) for pair, runs in zip(pool.pairs, by_runs, strict=True)}


def _pairs(found: PoolComparison, judged: set[Pair], origins: dict[Pair, str]) -> tuple[ComparedPair, ...]:
    changed = found.difference
    turns = {
        **dict.fromkeys(changed.added, PairChange.ADDED),
        **dict.fromkeys(changed.removed, PairChange.REMOVED),
        **dict.fromkeys(changed.kept, PairChange.KEPT),
    }
    # Of plain letters the order is that of the bytes.
    plain = all(topic.isascii() and docno.isascii() for topic, docno in turns)
    ordered = sorted(turns) if plain else sorted(turns, key=_in_bytes)
    return tuple(
        ComparedPair(turns[pair], *pair, judged=pair in judged, origin=origins.get(pair, "judged"))
        for pair in ordered
    )


def _in_bytes(pair: Pair) -> tuple[bytes, bytes]:
    return id_bytes(pair[0]), id_bytes(pair[1])
