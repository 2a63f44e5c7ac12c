"""What changes from one pool to another, and what of a pool is left to judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from workbench.pooling.pool import Pair, Pool


@dataclass(frozen=True, slots=True)
class Difference:
    """The pairs that enter, leave and stay when one pool takes the place of another."""

    entering: frozenset[Pair]
    leaving: frozenset[Pair]
    staying: frozenset[Pair]


def difference(before: Pool, after: Pool) -> Difference:
    """What changes from the pool before to the pool after."""
    return Difference(
        entering=after.pairs - before.pairs,
        leaving=before.pairs - after.pairs,
        staying=before.pairs & after.pairs,
    )


def minus(pool: Pool, pairs: Iterable[Pair]) -> Pool:
    """The supplementary pool: what of a pool is not among these pairs, say judged or pooled already.

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
