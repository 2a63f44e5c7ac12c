"""Every two of several runs: which differences are significant, with the number of pairs corrected for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from math import sqrt
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError
from workbench.scoring.relevance import Floats, Positions
from workbench.scoring.significance import (
    FEWEST_TOPICS,
    LEVEL,
    ROUNDS,
    SLACK,
    randomised_p,
    signed_ranks,
    t_reach,
    two_sided_t,
)


class Comparisons(StrEnum):
    """How all pairs of runs are tested; Holm keeps the chance of one false difference below alpha, as HSD."""

    RANDOMISED_TUKEY = "randomised-tukey"
    TUKEY = "tukey"
    T_HOLM = "t-holm"
    WILCOXON_HOLM = "wilcoxon-holm"
    RANDOMISATION_HOLM = "randomisation-holm"


TOGETHER = frozenset({Comparisons.TUKEY, Comparisons.RANDOMISED_TUKEY})
"""Those whose p counts for all pairs together as it is."""
_AT_ONCE = 4096
"""Pairs whose differences by topic stand in memory: those of 1,000 runs on 500 topics would take 2 GB."""


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Every two of several runs, in the order of `itertools.combinations`; arrays of shape (pairs,).

    `first` and `second` are places of runs. `differences` are means over topics, first less second, in the
    units of the measure; they reach `reach` to both sides at a confidence `level`: for all pairs together
    under Tukey's HSD, for each by itself (t) under the others. `effects` are differences in standard
    deviations: of what run and topic leave unexplained under HSD, of the pair's differences under the others;
    NaN where these do not vary. `p` is of each pair, `adjusted` counts for all; NaN where undefined.
    `seed` and `rounds` are those of random draws. All but the
    differences is NaN of fewer than FEWEST_TOPICS topics.
    """

    # No slots: the order of all pairs is found once.
    comparisons: Comparisons
    topics: int
    level: float
    first: Positions
    second: Positions
    differences: Floats
    reach: Floats
    effects: Floats
    p: Floats
    adjusted: Floats
    rounds: int = 0
    seed: int | None = None

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which differences are significant at 1 - `level`; what is undefined is not."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.adjusted <= 1 - self.level + SLACK)

    @cached_property
    def order(self) -> Positions:
        """The pairs by adjusted p, of the same p the largest difference first; those undefined come last."""
        p = np.where(np.isnan(self.adjusted), 2.0, self.adjusted)
        return np.lexsort((-np.abs(self.differences), p))


class Ranges(Protocol):
    """What gives the ranges of `random_ranges`, which take most of the time of many runs."""

    def __call__(self, scores: Floats, /, *, rounds: int, seed: int) -> Floats:
        """The largest difference of means in each round; shape (rounds,)."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tested:
    """What a test finds for some pairs; shapes (pairs,)."""

    differences: Floats
    p: Floats
    reach: Floats
    effects: Floats

    @classmethod
    def joined(cls, parts: Sequence[_Tested]) -> _Tested:
        """Those of all pairs."""
        return cls(
            np.concatenate([one.differences for one in parts]),
            np.concatenate([one.p for one in parts]),
            np.concatenate([one.reach for one in parts]),
            np.concatenate([one.effects for one in parts]),
        )


@dataclass(frozen=True, slots=True)
class _Options:
    """How confident the intervals are, and how is drawn at random."""

    level: float
    rounds: int
    seed: int
    ranges: Ranges


def random_ranges(scores: Floats, /, *, rounds: int, seed: int) -> Floats:
    """The largest difference of means after each topic's scores were dealt to the runs at random.

    Shape (rounds,). Source: Carterette 2012.
    """
    generator = np.random.default_rng(seed)
    found = np.empty(rounds)
    for number in range(rounds):
        sums = generator.permuted(scores, axis=1).sum(axis=0)
        found[number] = sums.max() - sums.min()
    return found / len(scores)


def compare_all(
    scores: ArrayLike,
    comparisons: Comparisons = Comparisons.RANDOMISED_TUKEY,
    *,
    level: float = LEVEL,
    rounds: int = ROUNDS,
    seed: int = 0,
    ranges: Ranges = random_ranges,
) -> ComparedRuns:
    """Compare every two runs by their scores, shape (topics, runs).

    `rounds` and `seed` are those of the two tests that draw at random; `ranges` may know what was drawn.
    Raises WorkbenchError for fewer than two topics or runs and for scores that are not finite.
    """
    values = checked_scores(scores)
    first, second = np.triu_indices(values.shape[1], k=1)
    few = len(values) < FEWEST_TOPICS
    test = _undefined if few else _TESTS[comparisons](values, _Options(level, rounds, seed, ranges))
    parts = (slice(start, start + _AT_ONCE) for start in range(0, len(first), _AT_ONCE))
    tested = _Tested.joined([test(values[:, first[part]] - values[:, second[part]]) for part in parts])
    random = comparisons in {Comparisons.RANDOMISED_TUKEY, Comparisons.RANDOMISATION_HOLM}
    return ComparedRuns(
        comparisons=comparisons,
        topics=len(values),
        level=level,
        first=first,
        second=second,
        differences=tested.differences,
        reach=tested.reach,
        effects=tested.effects,
        p=tested.p,
        adjusted=tested.p if comparisons in TOGETHER else holm(tested.p),
        rounds=rounds if random else 0,
        seed=seed if random else None,
    )


def checked_scores(scores: ArrayLike) -> Floats:
    """Scores of shape (topics, runs) as doubles; raises WorkbenchError as `compare_all` does."""
    values = np.asarray(scores, dtype=np.float64)
    if values.ndim != 2 or min(values.shape) < 2:
        raise WorkbenchError(
            "runs are compared over at least two topics, and at least two of them",
            remedy="give scores of more topics or runs",
        )
    if not np.isfinite(values).all():
        raise WorkbenchError(
            "runs cannot be compared by scores that are not finite",
            remedy="leave out the topics on which the measure is undefined",
        )
    return values


def holm(p: ArrayLike) -> Floats:
    """Holm's adjusted p values; NaN, which stands for undefined, stays and is not counted.

    The i-th smallest of m is multiplied by m - i + 1 (at most 1), and none is below a smaller one's.
    Source: Holm 1979.

    >>> holm([0.04, 0.01, 0.03]).round(2).tolist()
    [0.06, 0.03, 0.06]
    """
    values = np.asarray(p, dtype=np.float64)
    adjusted = values.copy()
    at = np.flatnonzero(~np.isnan(values))
    order = at[np.argsort(values[at], kind="stable")]
    raised = np.minimum(values[order] * np.arange(len(order), 0, -1), 1.0)
    adjusted[order] = np.maximum.accumulate(raised)
    return adjusted


def t_of_pairs(differences: Floats) -> Floats:
    """Student's paired t of many pairs, whose differences by topic have the shape (topics, pairs).

    NaN where a pair's differences do not vary.
    """
    means, deviations = differences.mean(axis=0), _deviations(differences)
    found: Floats = np.divide(
        means, deviations / sqrt(len(differences)), out=np.full(means.shape, np.nan), where=deviations > 0
    )
    return found


def unexplained_variance(scores: Floats) -> float:
    """The mean square that run and topic leave unexplained: of a two-way analysis without replication."""
    residuals = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    topics, runs = scores.shape
    return float((residuals**2).sum() / ((topics - 1) * (runs - 1)))


_Test = Callable[[Floats], _Tested]
"""A test of pairs, by their differences by topic; shape (topics, pairs)."""


def _randomised_tukey(scores: Floats, options: _Options) -> _Test:
    """Tukey's HSD by random permutation: compares every difference with the largest that chance gives."""
    rounds = options.rounds
    ranges = np.sort(options.ranges(scores, rounds=rounds, seed=options.seed))
    slack = SLACK * float(np.abs(scores).max())
    reach = float(np.quantile(ranges, options.level))
    deviation = _unexplained_deviation(scores)

    def test(differences: Floats) -> _Tested:
        means = differences.mean(axis=0)
        p = (1 + rounds - np.searchsorted(ranges, np.abs(means) - slack)) / (1 + rounds)
        return _Tested(means, p, np.full(len(p), reach), means / deviation)

    return test


def _tukey(scores: Floats, options: _Options) -> _Test:
    """Tukey's HSD with topics as blocks: the studentised range of all means.

    Its distribution takes a tenth of a second a pair: the randomised test is for many runs.
    """
    from scipy.stats import studentized_range

    topics, runs = scores.shape
    freedom, error = (topics - 1) * (runs - 1), sqrt(unexplained_variance(scores) / topics)
    if error <= SLACK * float(np.abs(scores).max()):
        return _undefined
    reach = float(studentized_range.ppf(options.level, runs, freedom)) * error
    deviation = _unexplained_deviation(scores)

    def test(differences: Floats) -> _Tested:
        means = differences.mean(axis=0)
        p = np.asarray(studentized_range.sf(np.abs(means) / error, runs, freedom), dtype=np.float64)
        return _Tested(means, p, np.full(len(p), reach), means / deviation)

    return test


def _undefined(differences: Floats) -> _Tested:
    means = differences.mean(axis=0)
    nothing = np.full(len(means), np.nan)
    return _Tested(means, nothing, nothing, nothing)


def _t_holm(_scores: Floats, options: _Options) -> _Test:
    return lambda differences: _by_itself(
        two_sided_t(t_of_pairs(differences), len(differences)), differences, options.level
    )


def _wilcoxon_holm(_scores: Floats, options: _Options) -> _Test:
    def test(differences: Floats) -> _Tested:
        tested = [signed_ranks(column).p for column in np.ascontiguousarray(differences.T)]
        p = np.array([np.nan if one is None else one for one in tested])
        return _by_itself(p, differences, options.level)

    return test


def _randomisation_holm(_scores: Floats, options: _Options) -> _Test:
    # Pairs of every part are tested under the same signs: the seed is that of all.
    return lambda differences: _by_itself(
        randomised_p(differences, rounds=options.rounds, seed=options.seed), differences, options.level
    )


_TESTS: dict[Comparisons, Callable[[Floats, _Options], _Test]] = {
    Comparisons.RANDOMISED_TUKEY: _randomised_tukey,
    Comparisons.TUKEY: _tukey,
    Comparisons.T_HOLM: _t_holm,
    Comparisons.WILCOXON_HOLM: _wilcoxon_holm,
    Comparisons.RANDOMISATION_HOLM: _randomisation_holm,
}


def _by_itself(p: Floats, differences: Floats, level: float) -> _Tested:
    topics, means, deviations = len(differences), differences.mean(axis=0), _deviations(differences)
    effects = np.divide(means, deviations, out=np.full(len(p), np.nan), where=deviations > 0)
    return _Tested(means, p, t_reach(topics, level) * deviations / sqrt(topics), effects)


def _deviations(differences: Floats) -> Floats:
    """The standard deviation of each pair's differences; 0 where they are equal but for rounding."""
    deviations = differences.std(axis=0, ddof=1)
    return np.where(deviations > SLACK * np.abs(differences).max(axis=0), deviations, 0.0)


def _unexplained_deviation(scores: Floats) -> float:
    """In what effects of all pairs are measured (Sakai 2018); NaN where run and topic explain everything."""
    deviation = sqrt(unexplained_variance(scores))
    return deviation if deviation > SLACK * float(np.abs(scores).max()) else float("nan")
