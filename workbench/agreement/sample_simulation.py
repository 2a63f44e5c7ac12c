"""Every way of drawing an overlap: the pairs it needs, and what simulated samples of that size show.

Samples of pairs come from the expected outcomes. Samples of whole topics come from topics whose shares of the
outcomes vary as a Dirichlet distribution does, with the intraclass correlation that is expected of a topic;
their intervals are those that a report would have, by resampling topics.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from workbench.agreement.intervals import shares_below
from workbench.agreement.resampling import topic_draws
from workbench.agreement.sample_influence import (
    PairSums,
    influence_values,
    required_size,
    weighted_deviations,
)
from workbench.agreement.sample_model import OutcomeModel
from workbench.agreement.sample_request import PlanRequest
from workbench.agreement.sample_size import Draw, Floats, SampleSize, normal_point

ROUNDS = 1000
TOPIC_ROUNDS, RESAMPLES = 400, 800
FEWEST_ROUNDS = 100
UNDER_COVERAGE = 0.05
"""Simulated coverage further than this below the confidence level is reported."""
# Numbers held in memory at once: beyond, fewer samples are simulated, and none where few would show little.
_MOST_RESAMPLES, _MOST_OUTCOMES, _AT_ONCE = 2**23, 2**22, 2**21


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """How often the intervals of simulated samples covered the true value, and their median half width.

    `undefined` of the `rounds`, drawn from `seed`, had no value or no variance and are left out.
    """

    coverage: float | None
    half_width: float | None
    undefined: int
    rounds: int
    seed: int


@dataclass(frozen=True, slots=True)
class PlannedDraw:
    """A way of drawing with the pairs that it needs, and what simulated samples of that size show."""

    size: SampleSize
    simulation: SimulationResult

    @property
    def under_covers(self) -> bool:
        """Whether intervals of that size cover far less often than claimed, as near the ends of a scale."""
        coverage = self.simulation.coverage
        return coverage is not None and coverage < self.size.request.level - UNDER_COVERAGE


def plan_draws(model: OutcomeModel, request: PlanRequest, *, rounds: int = ROUNDS) -> tuple[PlannedDraw, ...]:
    """Every way of drawing, in the order of Draw; raises InvalidInput for a request out of bounds.

    Without `rounds` nothing is simulated.
    """
    sizes = [required_size(model, draw, request) for draw in Draw]
    return tuple(PlannedDraw(size, _simulation(model, size, rounds)) for size in sizes)


def _simulation(model: OutcomeModel, size: SampleSize, rounds: int) -> SimulationResult:
    if size.pairs is None or not rounds:
        return SimulationResult(None, None, 0, 0, size.request.seed)
    if size.draw is Draw.TOPIC:
        return simulate_topics(model, size)
    return simulation_result(*simulate_pairs(model, size, rounds=rounds), size)


def simulation_result(values: Floats, variances: Floats, size: SampleSize) -> SimulationResult:
    """The coverage and width of samples, from the value of each and the variance estimated from it."""
    rounds, seed = len(values), size.request.seed
    there = np.isfinite(values) & np.isfinite(variances)
    if not there.any():
        return SimulationResult(None, None, rounds, rounds, seed)
    reach = normal_point(size.request.level) * np.sqrt(variances[there])
    covered = np.abs(values[there] - (size.value or 0.0)) <= reach + 1e-12
    return SimulationResult(float(covered.mean()), float(np.median(reach)), int((~there).sum()), rounds, seed)


def simulate_pairs(model: OutcomeModel, size: SampleSize, *, rounds: int = ROUNDS) -> tuple[Floats, Floats]:
    """The coefficient of each simulated sample, at random or by label, and the variance estimated from it."""
    generator = np.random.default_rng(size.request.seed)
    sums = PairSums.of(model, size.request.target)
    rows = sums.of_pairs(model.codes)
    by_label = size.draw is Draw.LABEL
    drawn = np.asarray(size.by_label if by_label else [size.pairs], dtype=np.float64)
    strata = model.labels if by_label else np.zeros(len(rows), dtype=np.int64)
    whole = np.bincount(strata, model.probabilities, minlength=len(drawn))
    values, variances = [], []
    for some in np.array_split(np.arange(rounds), max(1, rounds * len(rows) // _AT_ONCE)):
        found = np.zeros((len(some), len(rows)))
        for number, (n, weight) in enumerate(zip(drawn, whole, strict=True)):
            own = np.flatnonzero(strata == number)
            if weight:
                chances = model.probabilities[own] / weight
                found[:, own] = generator.multinomial(int(n), chances, size=len(some)) * (weight / n)
        value, influence = influence_values(found, rows, sums, float(drawn.sum()))
        values.append(value)
        # One pair in a stratum shows no deviation; n - 1 as for any variance from a sample.
        squares = weighted_deviations(found, influence, strata, len(drawn)) ** 2
        variances.append((squares / np.maximum(drawn - 1, 1)).sum(axis=-1))
    return np.concatenate(values), np.concatenate(variances)


def simulate_topics(model: OutcomeModel, size: SampleSize, *, rounds: int = TOPIC_ROUNDS) -> SimulationResult:
    """Draw whole topics as planned, and bootstrap the topics of each sample.

    Any two pairs of a topic have the intraclass correlation of the request, whatever is computed from them.
    All topics are as large as a pair's topic is on average.
    """
    request = size.request
    if size.pairs is None or size.value is None:
        return SimulationResult(None, None, 0, 0, request.seed)
    topic_size = max(round(request.topic_size), 1)
    topics = max(ceil(size.pairs / topic_size), 2)
    shares = model.probabilities
    rounds = min(
        rounds, _MOST_RESAMPLES // (topics * RESAMPLES // 4), _MOST_OUTCOMES // (topics * len(shares))
    )
    if rounds < FEWEST_ROUNDS:
        return SimulationResult(None, None, 0, 0, request.seed)
    generator = np.random.default_rng(request.seed)
    counts = generator.multinomial(
        topic_size, _shares_by_topic(shares, request.icc or 0.0, (rounds, topics), generator)
    )
    sums = PairSums.of(model, request.target)
    by_topic = counts @ sums.of_pairs(model.codes)
    # The same resamples for every sample: they are drawn independently of it.
    draws = topic_draws(topics, RESAMPLES, request.seed)
    found = sums.value(np.einsum("bt,rts->rbs", draws, by_topic, optimize=True))
    there = np.isfinite(found).all(axis=1)
    if not there.any():
        return SimulationResult(None, None, rounds, rounds, request.seed)
    low, high = np.quantile(found[there], shares_below(request.level, topics), axis=1)
    covered = (low <= size.value + 1e-12) & (size.value - 1e-12 <= high)
    half_width = float(np.median((high - low) / 2))
    return SimulationResult(float(covered.mean()), half_width, int((~there).sum()), rounds, request.seed)


def _shares_by_topic(
    shares: Floats, icc: float, size: tuple[int, int], generator: np.random.Generator
) -> Floats:
    """The shares of the outcomes in each topic; shape (rounds, topics, outcomes)."""
    if icc <= 0:
        return np.broadcast_to(shares, (*size, len(shares)))
    drawn = generator.standard_gamma(shares * (1 - icc) / icc, size=(*size, len(shares)))
    total = drawn.sum(axis=-1, keepdims=True)
    # Near a correlation of 1 all numbers may be too small to tell apart: then one outcome is the whole topic.
    alone = np.eye(len(shares))[generator.choice(len(shares), p=shares / shares.sum(), size=size)]
    return np.where(total > 0, drawn / np.where(total > 0, total, 1.0), alone)
