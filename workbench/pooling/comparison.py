"""Two pools side by side: the pairs that enter, leave and stay, by topic and run, and what is unjudged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from workbench.pooling.pool import Pair, Pool
from workbench.records import sorted_ids


@dataclass(frozen=True, slots=True)
class PoolDifference:
    """The pairs that enter, leave and stay when one pool takes the place of another."""

    added: frozenset[Pair]
    removed: frozenset[Pair]
    kept: frozenset[Pair]


def difference(before: Pool, after: Pool) -> PoolDifference:
    """What changes from the pool before to the pool after."""
    return PoolDifference(
        added=after.pairs - before.pairs,
        removed=before.pairs - after.pairs,
        kept=before.pairs & after.pairs,
    )


def without_pairs(pool: Pool, pairs: Iterable[Pair]) -> Pool:
    """The supplementary pool: what of a pool is not among these pairs, such as judged or pooled ones.

    Weights, inclusion probabilities and strata stay those of the drawing; the pairs taken away have none.
    """
    gone = frozenset(pairs)
    return replace(
        pool,
        entries=tuple(entry for entry in pool.entries if (entry.topic, entry.docno) not in gone),
        weights={pair: weight for pair, weight in pool.weights.items() if pair not in gone},
        inclusion={pair: share for pair, share in pool.inclusion.items() if pair not in gone},
        strata={pair: number for pair, number in pool.strata.items() if pair not in gone},
    )


@dataclass(frozen=True, slots=True)
class PoolChange:
    """What changes of a topic, of what a run contributed, or of what was added by hand, in pairs.

    Of those in the pool after, nobody has judged `to_judge` yet.
    """

    name: str
    before: int
    after: int
    added: int
    removed: int
    kept: int
    to_judge: int


@dataclass(frozen=True, slots=True, eq=False)
class PoolMembers:
    """The pairs of a pool, which of its runs brought each, and what was added by hand.

    Pair number i was brought by `counts[i]` runs: their places in `tags` follow one another in `brought`.
    """

    pairs: tuple[Pair, ...]
    tags: tuple[str, ...]
    brought: NDArray[np.int64]
    counts: NDArray[np.int64]
    added: frozenset[Pair] = frozenset()

    @classmethod
    def of(cls, pool: Pool, *, added: Collection[Pair] = frozenset()) -> PoolMembers:
        """The members of a pool that is in memory."""
        place = {tag: number for number, tag in enumerate(pool.tags)}
        brought = [place[one.tag] for entry in pool.entries for one in entry.contributions]
        return cls(
            tuple((entry.topic, entry.docno) for entry in pool.entries),
            pool.tags,
            np.array(brought, np.int64),
            np.array([len(entry.contributions) for entry in pool.entries], np.int64),
            frozenset(added),
        )


@dataclass(frozen=True, slots=True)
class PoolComparison:
    """What changes from one pool to another.

    `by_topic` and `by_run` are sorted (bytes) and have every topic and run of either pool; `by_hand` is what
    people added, `total` everything. A pair that several runs contributed counts for each of them, and one
    that a run contributes to one pool only enters or leaves for that run even if it stays in the pool.
    """

    difference: PoolDifference
    total: PoolChange
    by_topic: tuple[PoolChange, ...]
    by_run: tuple[PoolChange, ...]
    by_hand: PoolChange
    unjudged: frozenset[Pair]


def compare_pairs(before: PoolMembers, after: PoolMembers, *, judged: Set[Pair]) -> PoolComparison:
    """Compare two pools, given the pairs that are judged."""
    were, are = frozenset(before.pairs), frozenset(after.pairs)
    unjudged, kept = are - judged, were & are
    by_topic = _PairCounts(*(Counter(topic for topic, _ in pairs) for pairs in (were, are, kept, unjudged)))
    by_hand = before.added, after.added, before.added & after.added, after.added & unjudged
    return PoolComparison(
        difference=PoolDifference(are - were, were - are, kept),
        total=_change("", *map(len, (were, are, kept, unjudged))),
        by_topic=by_topic.changes(sorted_ids({*by_topic.before, *by_topic.after})),
        by_run=_by_run(before, after, unjudged),
        by_hand=_change("", *map(len, by_hand)),
        unjudged=unjudged,
    )


@dataclass(frozen=True, slots=True)
class _PairCounts:
    """Pairs by name: in the pool before, in the pool after, in both, and unjudged in the pool after."""

    before: Mapping[str, int]
    after: Mapping[str, int]
    kept: Mapping[str, int]
    to_judge: Mapping[str, int]

    def changes(self, names: Iterable[str]) -> tuple[PoolChange, ...]:
        counted = self.before, self.after, self.kept, self.to_judge
        return tuple(_change(name, *(one.get(name, 0) for one in counted)) for name in names)


def _change(name: str, before: int, after: int, kept: int, to_judge: int) -> PoolChange:
    return PoolChange(name, before, after, after - kept, before - kept, kept, to_judge)


def _by_run(before: PoolMembers, after: PoolMembers, unjudged: frozenset[Pair]) -> tuple[PoolChange, ...]:
    tags = sorted_ids({*before.tags, *after.tags})
    of_tag = {tag: number for number, tag in enumerate(tags)}
    place = {pair: number for number, pair in enumerate(dict.fromkeys(chain(before.pairs, after.pairs)))}
    judging = np.fromiter((pair in unjudged for pair in place), np.bool_, len(place))

    def contributed(pool: PoolMembers) -> NDArray[np.int64]:
        """A number for every run and pair that it brought, in order."""
        numbers = np.array([of_tag[tag] for tag in pool.tags], np.int64)
        places = np.fromiter(map(place.__getitem__, pool.pairs), np.int64, len(pool.pairs))
        return np.sort(numbers[pool.brought] * len(place) + np.repeat(places, pool.counts))

    def by_tag(keys: NDArray[np.int64]) -> Mapping[str, int]:
        counts = np.bincount(keys // max(len(place), 1), minlength=len(tags))
        return dict(zip(tags, counts.tolist(), strict=True))

    were, are = contributed(before), contributed(after)
    to_judge = are[judging[are % max(len(place), 1)]]
    kept = np.intersect1d(were, are, assume_unique=True)
    return _PairCounts(*map(by_tag, (were, are, kept, to_judge))).changes(tags)
