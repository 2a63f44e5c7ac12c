"""A deeper pool: how often its bounds hold what is found, where the law is true and where it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from tests.promises.simulated import share
from workbench.errors import WorkbenchError
from workbench.trust.depth import Advice, Deepening, PoolByRank, deeper_pool

Counts = NDArray[np.int64]


def by_law(generator: np.random.Generator, topics: int, depth: int, *, differ: float = 0.0) -> Counts:
    """New relevant documents that fall by a power law; exponents `differ` from topic to topic."""
    levels = 3 * generator.gamma(1.0, 1.0, topics)[:, np.newaxis]
    exponents = -1.0 + differ * generator.standard_normal((topics, 1))
    return generator.poisson(levels * np.arange(1, depth + 1) ** exponents)


def by_no_law(generator: np.random.Generator, topics: int, depth: int) -> Counts:
    """Relevant documents whose best ranks are log-normal: about 40 a topic, half of them within rank 20."""
    found = np.zeros((topics, depth), np.int64)
    for topic in found:
        many = max(1, int(generator.lognormal(np.log(40), 1)))
        ranks = np.ceil(generator.lognormal(np.log(20), 1.5, many)).astype(int)
        np.add.at(topic, ranks[ranks <= depth] - 1, 1)
    return found


def judged_to(counts: Counts, depth: int) -> PoolByRank:
    """The pool of ten runs of which the ranks to a depth are judged."""
    pooled = np.full_like(counts, 12)
    judged, relevant = pooled.copy(), counts.copy()
    judged[:, depth:] = relevant[:, depth:] = 0
    return PoolByRank(tuple(f"{n:03}" for n in range(len(counts))), 10, pooled, judged, relevant)


WORLDS: dict[str, Callable[[np.random.Generator, int, int], Counts]] = {
    "power law": by_law,
    "exponents differ (sd .3)": lambda *given: by_law(*given, differ=0.3),
    "no law (log-normal ranks)": by_no_law,
}


def table(repeats: int) -> Iterator[str]:
    """Every world at several depths and numbers of topics."""
    for topics in (10, 25, 50):
        for depth, deeper in ((10, 20), (100, 200), (10, 50)):
            for name, draw in WORLDS.items():
                generator = np.random.default_rng(61)
                held = of = topics_held = asked = wrong = deep = 0
                ratios = []
                for _ in range(repeats):
                    counts = draw(generator, topics, deeper)
                    try:
                        found = deeper_pool(judged_to(counts, depth), Deepening(depth, deeper))
                    except WorkbenchError:
                        continue
                    real = counts[:, depth:].sum(axis=1)
                    low, high = found.interval.low, found.interval.high
                    if low is None or high is None:
                        continue
                    of += 1
                    held += floor(low) <= real.sum() <= ceil(high)
                    ratios.append(found.expected / max(real.sum(), 1))
                    for one in found.topics:
                        count = real[int(one.topic)]
                        topics_held += one.low <= count <= one.high
                        deep += one.advice is Advice.DEEPER
                        asked += one.advice is Advice.DEEPER and count >= 1
                        wrong += one.advice is Advice.ENOUGH and count >= 1
                yield (
                    f"{name}, {topics} topics, {depth} to {deeper}: interval {share(held, of)}, promised / "
                    f"found {np.median(ratios):.2f}, topics {share(topics_held, of * topics)}, judge deeper "
                    f"finds one in {asked} of {deep}, deep enough wrong {wrong}"
                )
