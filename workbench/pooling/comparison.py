"""Two pools side by side: the pairs that enter, leave and stay, by topic and run, and what is unjudged."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

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


def compare_pairs(
    before: Pool,
    after: Pool,
    *,
    judged: Collection[Pair],
    added_before: Collection[Pair] = frozenset(),
    added_after: Collection[Pair] = frozenset(),
) -> PoolComparison:
    """Compare two pools, given the pairs that are judged and those of either that were added by hand."""
    were, are = before.pairs, after.pairs
    unjudged = are - frozenset(judged)
    first, second = _by_topic(were), _by_topic(are)
    brought_before, brought_after = _by_run(before), _by_run(after)
    nothing: frozenset[Pair] = frozenset()
    return PoolComparison(
        difference=PoolDifference(are - were, were - are, were & are),
        total=_change("", were, are, unjudged),
        by_topic=tuple(
            _change(topic, first.get(topic, nothing), second.get(topic, nothing), unjudged)
            for topic in sorted_ids({*first, *second})
        ),
        by_run=tuple(
            _change(tag, brought_before.get(tag, nothing), brought_after.get(tag, nothing), unjudged)
            for tag in sorted_ids({*brought_before, *brought_after})
        ),
        by_hand=_change("", frozenset(added_before), frozenset(added_after), unjudged),
        unjudged=unjudged,
    )


def _change(
    name: str, before: frozenset[Pair], after: frozenset[Pair], unjudged: frozenset[Pair]
) -> PoolChange:
    kept = len(before & after)
    return PoolChange(
        name=name,
        before=len(before),
        after=len(after),
        added=len(after) - kept,
        removed=len(before) - kept,
        kept=kept,
        to_judge=len(after & unjudged),
    )


def _by_topic(pairs: Iterable[Pair]) -> Mapping[str, frozenset[Pair]]:
    found: dict[str, set[Pair]] = {}
    for topic, docno in pairs:
        found.setdefault(topic, set()).add((topic, docno))
    return {topic: frozenset(those) for topic, those in found.items()}


def _by_run(pool: Pool) -> Mapping[str, frozenset[Pair]]:
    found: dict[str, set[Pair]] = {tag: set() for tag in pool.tags}
    for entry in pool.entries:
        for one in entry.contributions:
            found[one.tag].add((entry.topic, entry.docno))
    return {tag: frozenset(pairs) for tag, pairs in found.items()}
