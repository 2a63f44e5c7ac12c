"""Every two of several runs: which differences are significant, with the number of pairs corrected for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError
from workbench.scoring.relevance import Floats, Positions
from workbench.scoring.significance import (
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


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRuns:
    """Every two of several runs, in the order of `itertools.combinations`; arrays of shape (pairs,).

    `first` and `second` are places of runs. `differences` are means over topics, first less second, in the
    units of the measure; they reach `reach` to both sides at a confidence `level`: for all pairs together
    under Tukey's HSD, for each by itself (t) under the others. `effects` are differences in standard
    deviations: of what run and topic leave unexplained under HSD, of the pair's differences under the others;
    NaN where these do not vary. `p` is of each pair, `adjusted` counts for all; NaN where undefined.
    `seed` and `rounds` are those of random draws.
    """

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


@dataclass(frozen=True, slots=True, eq=False)
class _Tested:
    """What a test finds for all pairs; shapes (pairs,)."""

    p: Floats
    adjusted: Floats
    reach: Floats
    effects: Floats


def compare_all(
    scores: ArrayLike,
    comparisons: Comparisons = Comparisons.RANDOMISED_TUKEY,
    *,
    level: float = LEVEL,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> ComparedRuns:
    """Compare every two runs by their scores, shape (topics, runs).

    `rounds` and `seed` are those of the two tests that draw at random.
    Raises WorkbenchError for fewer than two topics or runs and for scores that are not finite.
    """
    values = checked_scores(scores)
    first, second = np.triu_indices(values.shape[1], k=1)
    differences = values[:, first] - values[:, second]
    tested = _TESTS[comparisons](values, differences, level, rounds, seed)
    random = comparisons in {Comparisons.RANDOMISED_TUKEY, Comparisons.RANDOMISATION_HOLM}
    return ComparedRuns(
        comparisons=comparisons,
        topics=len(values),
        level=level,
        first=first,
        second=second,
        differences=differences.mean(axis=0),
        reach=tested.reach,
        effects=tested.effects,
        p=tested.p,
        adjusted=tested.adjusted,
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


def random_ranges(scores: Floats, *, rounds: int, seed: int) -> Floats:
    """The largest difference of means after each topic's scores were dealt to the runs at random.

    Shape (rounds,). Source: Carterette 2012.
    """
    generator = np.random.default_rng(seed)
    found = np.empty(rounds)
    for number in range(rounds):
        sums = generator.permuted(scores, axis=1).sum(axis=0)
        found[number] = sums.max() - sums.min()
    return found / len(scores)


def _randomised_tukey(scores: Floats, differences: Floats, level: float, rounds: int, seed: int) -> _Tested:
    """Tukey's HSD by random permutation: compares every difference with the largest that chance gives."""
    ranges = np.sort(random_ranges(scores, rounds=rounds, seed=seed))
    sizes = np.abs(differences.mean(axis=0))
    least = sizes - SLACK * float(np.abs(scores).max())
    p = (1 + rounds - np.searchsorted(ranges, least)) / (1 + rounds)
    reach = float(np.quantile(ranges, level))
    return _Tested(p, p, np.full(len(p), reach), _effects_of_all(scores, differences))


def _tukey(scores: Floats, differences: Floats, level: float, _rounds: int, _seed: int) -> _Tested:
    """Tukey's HSD with topics as blocks: the studentised range of all means.

    Its distribution takes a tenth of a second a pair: the randomised test is for many runs.
    """
    from scipy.stats import studentized_range

    topics, runs = scores.shape
    freedom, error = (topics - 1) * (runs - 1), sqrt(unexplained_variance(scores) / topics)
    sizes = np.abs(differences.mean(axis=0))
    if error <= SLACK * float(np.abs(scores).max()):
        p = np.full(len(sizes), np.nan)
        return _Tested(p, p, p, p)
    p = np.asarray(studentized_range.sf(sizes / error, runs, freedom), dtype=np.float64)
    reach = float(studentized_range.ppf(level, runs, freedom)) * error
    return _Tested(p, p, np.full(len(p), reach), _effects_of_all(scores, differences))


def _t_holm(_scores: Floats, differences: Floats, level: float, _rounds: int, _seed: int) -> _Tested:
    return _by_itself(two_sided_t(t_of_pairs(differences), len(differences)), differences, level)


def _wilcoxon_holm(_scores: Floats, differences: Floats, level: float, _rounds: int, _seed: int) -> _Tested:
    tested = [signed_ranks(column).p for column in np.ascontiguousarray(differences.T)]
    return _by_itself(np.array([np.nan if p is None else p for p in tested]), differences, level)


def _randomisation_holm(
    _scores: Floats, differences: Floats, level: float, rounds: int, seed: int
) -> _Tested:
    return _by_itself(randomised_p(differences, rounds=rounds, seed=seed), differences, level)


_Tester = Callable[[Floats, Floats, float, int, int], _Tested]
_TESTS: dict[Comparisons, _Tester] = {
    Comparisons.RANDOMISED_TUKEY: _randomised_tukey,
    Comparisons.TUKEY: _tukey,
    Comparisons.T_HOLM: _t_holm,
    Comparisons.WILCOXON_HOLM: _wilcoxon_holm,
    Comparisons.RANDOMISATION_HOLM: _randomisation_holm,
}


def _by_itself(p: Floats, differences: Floats, level: float) -> _Tested:
    topics, deviations = len(differences), _deviations(differences)
    effects = np.divide(
        differences.mean(axis=0), deviations, out=np.full(len(p), np.nan), where=deviations > 0
    )
    return _Tested(p, holm(p), t_reach(topics, level) * deviations / sqrt(topics), effects)


def _deviations(differences: Floats) -> Floats:
    """The standard deviation of each pair's differences; 0 where they are equal but for rounding."""
    deviations = differences.std(axis=0, ddof=1)
    return np.where(deviations > SLACK * np.abs(differences).max(axis=0), deviations, 0.0)


def _effects_of_all(scores: Floats, differences: Floats) -> Floats:
    """The mean differences in standard deviations of what run and topic leave unexplained (Sakai 2018)."""
    deviation = sqrt(unexplained_variance(scores))
    if deviation <= SLACK * float(np.abs(scores).max()):
        return np.full(differences.shape[1], np.nan)
    return np.asarray(differences.mean(axis=0) / deviation)
