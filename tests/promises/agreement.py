"""Intervals of agreement: coefficients over topics, of one topic, leniency, overlap, self-consistency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tests.promises.simulated import judged, ratings, share
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.estimates import by_topic, estimates, topics_left_out
from workbench.agreement.intervals import Interval
from workbench.agreement.options import AgreementOptions
from workbench.agreement.pairwise import overlap
from workbench.agreement.ratings import Ratings
from workbench.agreement.report import leniency
from workbench.agreement.two_series import self_consistency

OPTIONS = AgreementOptions()
SHOWN = ("pooled", "unpooled", "alpha", "gwet", "observed")
SHOWN_OFTEN = 0.5
"""A cell in which fewer collections have an interval is one in which none is shown as a rule."""


@dataclass
class Held:
    """How many of `of` collections have an interval, and how many of these hold the truth."""

    of: int = 0
    with_interval: int = 0
    holding: int = 0
    width: float = 0.0

    def add(self, interval: Interval | None, truth: float) -> None:
        """Count one more collection."""
        self.of += 1
        if interval is None or interval.low is None or interval.high is None:
            return
        self.with_interval += 1
        self.holding += interval.low <= truth <= interval.high
        self.width += interval.high - interval.low

    @property
    def shown(self) -> float:
        """The share of collections with an interval."""
        return self.with_interval / self.of

    @property
    def held(self) -> float:
        """The share of intervals that hold the truth."""
        return self.holding / max(self.with_interval, 1)

    def __str__(self) -> str:
        if not self.with_interval:
            return "none shown"
        width = self.width / self.with_interval
        return f"{share(self.holding, self.with_interval)} width {width:.2f} shown {self.shown:.2f}"


@lru_cache
def true_values(assessors: int, relevant: float) -> dict[str, float]:
    """The coefficients of very many topics."""
    very_many = ratings(judged(np.random.default_rng(99), assessors, 20_000, 50, relevant))
    found = {name: coefficient_value(very_many, name).value for name in SHOWN}
    return {name: value for name, value in found.items() if value is not None}


def true_kappa(assessors: int, relevant: float) -> float:
    """The pooled kappa of very many topics."""
    return true_values(assessors, relevant)["pooled"]


def judged_collections(
    repeats: int, assessors: int, topics: int, documents: int, relevant: float, *, seed: int
) -> Iterator[Ratings]:
    """So many collections of topics that were drawn."""
    generator = np.random.default_rng(seed)
    for _ in range(repeats):
        yield ratings(judged(generator, assessors, topics, documents, relevant))


def coverage(collections: Iterable[Ratings], truth: float, name: str = "pooled") -> Held:
    """How often a coefficient's interval holds its true value."""
    held = Held()
    for data in collections:
        found = estimates(data, OPTIONS, topics_left_out(data, OPTIONS))
        held.add(next(one for one in found if one.name == name).interval, truth)
    return held


def table(repeats: int) -> Iterator[str]:
    """Coefficients over topics, the grid of assessors, relevance, topics and documents a topic."""
    for assessors in (2, 5):
        for relevant in (0.05, 0.2, 0.5):
            truth = true_values(assessors, relevant)
            for topics in (5, 10, 25, 50):
                for documents in (10, 30, 100):
                    held = {name: Held() for name in SHOWN}
                    seed = 1000 * topics + documents
                    for data in judged_collections(
                        repeats, assessors, topics, documents, relevant, seed=seed
                    ):
                        for one in estimates(data, OPTIONS, topics_left_out(data, OPTIONS)):
                            if one.name in held:
                                held[one.name].add(one.interval, truth[one.name])
                    cells = "; ".join(f"{name} {one}" for name, one in held.items())
                    design = f"{assessors} assessors, {relevant:.2f} relevant, {topics} topics x {documents}"
                    yield f"{design}: {cells}"


def one_topic(repeats: int) -> Iterator[str]:
    """Intervals of one topic: the kappa of all documents that it could have had."""
    generator = np.random.default_rng(5)
    for relevant in (0.05, 0.1, 0.2, 0.5):
        for documents in (15, 30, 100, 200):
            held = {name: Held() for name in ("pooled", "gwet", "observed")}
            for _ in range(repeats):
                # One topic is as it is: what is true of it is the value of very many of its documents.
                whole = judged(generator, 2, 1, 20_000, relevant)
                true = ratings(whole)
                (found,) = by_topic(ratings(whole[:, :, :documents]), OPTIONS)
                for name, one in held.items():
                    value = coefficient_value(true, name).value
                    if value is not None:
                        one.add(found.estimate(name).interval, value)
            cells = "; ".join(f"{name} {one}" for name, one in held.items())
            yield f"{relevant:.2f} relevant, {documents} documents: {cells}"


def leniency_table(repeats: int) -> Iterator[str]:
    """The difference of one assessor from the others."""
    for assessors, relevant, lenient in ((2, 0.2, 0.0), (5, 0.2, 0.4), (2, 0.05, 0.0), (3, 0.5, 0.2)):
        big = judged(np.random.default_rng(98), assessors, 20_000, 50, relevant, lenient=lenient)
        truth = float(big[0].mean() - big[1:].mean())
        for topics in (2, 5, 10, 25, 50):
            generator, held = np.random.default_rng(topics), Held()
            for _ in range(repeats):
                data = ratings(judged(generator, assessors, topics, 30, relevant, lenient=lenient))
                one = next(found for found in leniency(data, OPTIONS) if found.assessor == 0)
                held.add(one.interval, truth)
            yield f"{assessors} assessors, {relevant:.2f} relevant, {topics} topics: {held}"


def overlap_table(repeats: int) -> Iterator[str]:
    """Voorhees' overlap of two: of all topics together, and its mean over topics."""
    for relevant in (0.05, 0.2, 0.5):
        true = overlap(ratings(judged(np.random.default_rng(97), 2, 20_000, 30, relevant)), (0, 1))
        for topics in (5, 10, 25, 50):
            generator, mean, together = np.random.default_rng(topics), Held(), Held()
            for _ in range(repeats):
                found = overlap(ratings(judged(generator, 2, topics, 30, relevant)), (0, 1), level=0.95)
                mean.add(found.mean_interval, true.mean or 0.0)
                together.add(found.together_interval, true.together or 0.0)
            yield f"{relevant:.2f} relevant, {topics} topics: mean {mean}; together {together}"


def self_consistency_table(repeats: int) -> Iterator[str]:
    """Repeats of one assessor: the share of equal answers, and the kappa where there are enough."""
    generator = np.random.default_rng(81)
    for relevant in (0.05, 0.2, 0.5):
        for n in (10, 20, 50, 100, 200):
            right = 0.95
            same = right**2 + (1 - right) ** 2
            given = relevant * right + (1 - relevant) * (1 - right)
            chance = given**2 + (1 - given) ** 2
            kappa, shares, held = (same - chance) / (1 - chance), 0, Held()
            for _ in range(repeats):
                truth = generator.random(n) < relevant
                first, second = (np.where(generator.random(n) < right, truth, ~truth) for _ in range(2))
                found = self_consistency(
                    first.astype(int), second.astype(int), categories=(1, 0), relevant_from=1, options=OPTIONS
                )
                low, high = found.share or (0.0, 1.0)
                shares += low <= same <= high
                held.add(found.interval, kappa)
            yield f"{relevant:.2f} relevant, {n} repeats: share {share(shares, repeats)}; kappa {held}"
