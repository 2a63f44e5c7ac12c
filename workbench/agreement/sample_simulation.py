"""Every way of drawing an overlap: the pairs it needs, and what simulated samples of that size show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil

import numpy as np

from workbench.agreement.intervals import shares_below
from workbench.agreement.resampling import topic_draws
from workbench.agreement.sample_influence import PairSums, influence_values, sample_size, weighted_deviations
from workbench.agreement.sample_model import (
    OutcomeModel,
    biased_model,
    exchangeable_model,
    two_assessor_model,
)
from workbench.agreement.sample_request import Target
from workbench.agreement.sample_size import LEVEL, Draw, Floats, SampleSize, normal_point

ROUNDS = 1000
TOPIC_ROUNDS, RESAMPLES = 400, 800
FEWEST_ROUNDS = 100
# Numbers that are held at once: beyond, fewer samples are simulated, and none where few would say little.
_MOST_RESAMPLES, _MOST_OUTCOMES = 2**23, 2**22


def simulate_topics(
    shares: Floats,
    sums: Floats,
    value_of: Callable[[Floats], Floats],
    needed: SampleSize,
    *,
    topic_size: float,
    likeness: float,
    rounds: int = TOPIC_ROUNDS,
    seed: int = 1,
) -> SimulationResult:
    """Draw whole topics as a plan says, and bootstrap the topics of each sample.

    `shares` (outcomes,) are the chances of what may be said of a pair, `sums` (outcomes, s) what each adds to
    the sums from which `value_of` (..., s) reckons. The shares vary from topic to topic as a Dirichlet
    distribution does, in which any two pairs of a topic are alike by `likeness`, whatever is reckoned of
    them. All topics are as large as a pair's is on average.
    """
    if needed.pairs is None or needed.value is None:
        return SimulationResult(None, None, 0, 0, seed)
    size = max(round(topic_size), 1)
    topics = max(ceil(needed.pairs / size), 2)
    rounds = min(
        rounds, _MOST_RESAMPLES // (topics * RESAMPLES // 4), _MOST_OUTCOMES // (topics * len(shares))
    )
    if rounds < FEWEST_ROUNDS:
        return SimulationResult(None, None, 0, 0, seed)
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(size, _of_topics(shares, likeness, (rounds, topics), generator))
    by_topic = counts @ sums
    # The same resamples for every sample: they are drawn apart from it.
    draws = topic_draws(topics, RESAMPLES, seed)
    found = value_of(np.einsum("bt,rts->rbs", draws, by_topic, optimize=True))
    there = np.isfinite(found).all(axis=1)
    if not there.any():
        return SimulationResult(None, None, rounds, rounds, seed)
    low, high = np.quantile(found[there], shares_below(needed.level, topics), axis=1)
    covered = (low <= needed.value + 1e-12) & (needed.value - 1e-12 <= high)
    half_width = float(np.median((high - low) / 2))
    return SimulationResult(float(covered.mean()), half_width, int((~there).sum()), rounds, seed)


def _of_topics(
    shares: Floats, likeness: float, size: tuple[int, int], generator: np.random.Generator
) -> Floats:
    """The shares of the outcomes in each topic; shape (rounds, topics, outcomes)."""
    if likeness <= 0:
        return np.broadcast_to(shares, (*size, len(shares)))
    drawn = generator.standard_gamma(shares * (1 - likeness) / likeness, size=(*size, len(shares)))
    total = drawn.sum(axis=-1, keepdims=True)
    # Where topics are nearly of one mind all may be too small to tell: then one outcome is the whole topic.
    alone = np.eye(len(shares))[generator.choice(len(shares), p=shares / shares.sum(), size=size)]
    return np.where(total > 0, drawn / np.where(total > 0, total, 1.0), alone)


SELDOM = 0.05
"""By how much simulated intervals may hold less often than they say before it is said."""


@dataclass(frozen=True, slots=True)
class PlannedDraw:
    """A way of drawing with the pairs that it needs, and what simulated samples of it came to."""

    needed: SampleSize
    proof: SimulationResult

    @property
    def seldom(self) -> bool:
        """Whether intervals of that size hold far less often than they say, as near the bounds of a scale."""
        coverage = self.proof.coverage
        return coverage is not None and coverage < self.needed.level - SELDOM


def outcome_model(
    shares: Floats,
    aim: Target,
    *,
    assessors: int = 2,
    missing: float = 0.0,
    strictness: Floats | None = None,
    at_least: float | None = None,
) -> OutcomeModel:
    """What so many assessors are expected to say, any two of whom have this table of `shares`.

    Of more than two enter the table's shares of the grades and its pooled kappa by the aim's weights; where
    that is lower than so many can have (as a measured one may be), `at_least` stands for it if given.
    `strictness` (people, grades) holds, for those whom the unpooled kappa tells apart, how far their shares
    of the grades are from the others'; of whom nothing is known, they are as everybody's. Each of the others
    says nothing with the chance `missing`. Raises InvalidInput for what cannot be.
    """
    prevalence = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    weights = aim.weights_of(len(shares))
    by_chance = float(prevalence @ weights @ prevalence)
    apart = aim.method == "unpooled" and (assessors > 2 or strictness is not None)
    if by_chance <= 1e-12 or (assessors == 2 and not apart):
        return two_assessor_model(shares, missing=missing)
    kappa = 1 - float((shares * weights).sum()) / by_chance
    if at_least is not None:
        kappa = max(kappa, at_least)
    if not apart:
        return exchangeable_model(prevalence.tolist(), kappa, assessors, missing=missing)
    marginals = np.broadcast_to(prevalence, (assessors, len(shares))).copy()
    if strictness is not None:
        # Of k assessors one is (k - 1) / k as far from the mean of all as from the others'.
        known = strictness[:assessors] * (assessors - 1) / assessors
        marginals[: len(known)] += known
        marginals -= known.sum(axis=0) / assessors
        marginals = np.maximum(marginals, 0.0)
        marginals /= marginals.sum(axis=1, keepdims=True)
    return biased_model(marginals, kappa, weights=weights, missing=missing)


def plan_draws(
    expected: OutcomeModel,
    aim: Target | None = None,
    *,
    half_width: float,
    level: float = LEVEL,
    topic_size: float = 1.0,
    likeness: float = 0.0,
    rounds: int = ROUNDS,
    seed: int = 1,
) -> tuple[PlannedDraw, ...]:
    """Every way of drawing, in the order of Draw; raises InvalidInput for what cannot be asked for.

    Without `rounds` nothing is simulated.
    """
    aim = aim or Target()
    found = []
    for draw in Draw:
        needed = sample_size(
            expected, aim,
            half_width=half_width, draw=draw, level=level, topic_size=topic_size, likeness=likeness,
        )  # fmt: skip
        found.append(PlannedDraw(needed, _proof(expected, aim, needed, topic_size, likeness, rounds, seed)))
    return tuple(found)


def _proof(
    expected: OutcomeModel,
    aim: Target,
    needed: SampleSize,
    topic_size: float,
    likeness: float,
    rounds: int,
    seed: int,
) -> SimulationResult:
    if needed.pairs is None or not rounds:
        return SimulationResult(None, None, 0, 0, seed)
    if needed.draw is not Draw.TOPIC:
        values, variances = simulate_pairs(expected, aim, needed, rounds=rounds, seed=seed)
        return simulation_result(values, variances, needed, seed=seed)
    sums = PairSums(aim, expected.grades, expected.assessors)
    return simulate_topics(
        expected.shares, sums.of_pairs(expected.codes), sums.value, needed,
        topic_size=topic_size, likeness=likeness, seed=seed,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """What simulated samples of a plan came to: how often the interval held the true value, how wide it was.

    `undefined` of the `rounds`, drawn from `seed`, had no value or no variance and are left out.
    """

    coverage: float | None
    half_width: float | None
    undefined: int
    rounds: int
    seed: int


def simulation_result(
    values: Floats, variances: Floats, needed: SampleSize, *, seed: int
) -> SimulationResult:
    """What samples came to, from the value of each and the variance that is seen in it."""
    rounds = len(values)
    there = np.isfinite(values) & np.isfinite(variances)
    if not there.any():
        return SimulationResult(None, None, rounds, rounds, seed)
    reach = normal_point(needed.level) * np.sqrt(variances[there])
    covered = np.abs(values[there] - (needed.value or 0.0)) <= reach + 1e-12
    return SimulationResult(float(covered.mean()), float(np.median(reach)), int((~there).sum()), rounds, seed)


# Numbers that are held at once while samples are simulated.
_AT_ONCE = 2**21


def simulate_pairs(
    expected: OutcomeModel, aim: Target, needed: SampleSize, *, rounds: int, seed: int
) -> tuple[Floats, Floats]:
    """The coefficient of each simulated sample of a plan, at random or by label, and its variance as seen."""
    generator = np.random.default_rng(seed)
    sums = PairSums(aim, expected.grades, expected.assessors)
    rows = sums.of_pairs(expected.codes)
    by_label = needed.draw is Draw.LABEL
    drawn = np.asarray(needed.by_label if by_label else [needed.pairs], dtype=np.float64)
    strata = expected.labels if by_label else np.zeros(len(rows), dtype=np.int64)
    whole = np.bincount(strata, expected.shares, minlength=len(drawn))
    values, variances = [], []
    for some in np.array_split(np.arange(rounds), max(1, rounds * len(rows) // _AT_ONCE)):
        found = np.zeros((len(some), len(rows)))
        for number, (n, weight) in enumerate(zip(drawn, whole, strict=True)):
            own = np.flatnonzero(strata == number)
            if weight:
                chances = expected.shares[own] / weight
                found[:, own] = generator.multinomial(int(n), chances, size=len(some)) * (weight / n)
        seen = influence_values(found, rows, sums, float(drawn.sum()))
        values.append(seen.value)
        # With one pair in a stratum its spread cannot be seen; n - 1 as for any variance from a sample.
        squares = weighted_deviations(found, seen.moves, strata, len(drawn)) ** 2
        variances.append((squares / np.maximum(drawn - 1, 1)).sum(axis=-1))
    return np.concatenate(values), np.concatenate(variances)
