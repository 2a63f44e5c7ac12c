"""Every two of several runs: which differences are significant, with the number of pairs corrected for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, partial
from math import log2, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.scoring.judged_run import ratio
from workbench.scoring.relevance import Floats, Positions
from workbench.scoring.significance import (
    EXACT_FLIPS,
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
    """How all pairs of runs are tested, so that the chance of one false difference among them is below alpha.

    `MAX_T` is the default: on real runs made equal it errs in 1 to 8 of 100 sets of topics, Holm's t tests of
    few topics in up to 15, Tukey's HSD (which takes all runs to vary alike) in 9 to 12.
    """

    MAX_T = "max-t"
    T_HOLM = "t-holm"
    WILCOXON_HOLM = "wilcoxon-holm"
    RANDOMISATION_HOLM = "randomisation-holm"


MAX_T_ROUNDS = 2_000
FEWEST_DRAWN = 10
"""Of fewer topics draws are so often nearly alike that the largest t has no end: intervals would span all."""
_AT_ONCE = 4096
"""Pairs whose differences by topic stand in memory: those of 1,000 runs on 500 topics would take 2 GB."""


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Every two of several runs, in the order of `itertools.combinations`; arrays of shape (pairs,).

    `first` and `second` are places of runs. `differences` are means over topics, first less second, in the
    units of the measure; they reach `reach` to both sides, all of them together at a confidence `level`, by
    the largest t or by t with Bonferroni's correction: a difference that is not significant by `MAX_T` or
    `T_HOLM` has no interval without 0. `effects` are d_z: differences in standard deviations of the pair's
    differences by topic, NaN where these do not vary. `p` is of each pair, `adjusted` counts for all; NaN
    where undefined. `seed` and `rounds` are those of random draws. All but the differences is NaN of fewer
    than FEWEST_TOPICS topics.
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
            return self.adjusted <= 1 - self.level + SLACK

    @cached_property
    def order(self) -> Positions:
        """The pairs by adjusted p, of the same p the largest difference first; those undefined come last."""
        p = np.where(np.isnan(self.adjusted), 2.0, self.adjusted)
        return np.lexsort((-np.abs(self.differences), p))


_Tested = tuple[Floats, Floats, Floats, Floats]
"""What a test finds for some pairs: differences, p, how far intervals reach, effects; shapes (pairs,)."""


def default_comparisons(topics: int) -> Comparisons:
    """How every two of several runs are tested over so many topics, unless somebody chooses a test.

    Of fewer than FEWEST_DRAWN topics drawing again finds hardly anything; Holm's t tests err in 5 to 10 of
    100 sets of topics.
    """
    return Comparisons.MAX_T if topics >= FEWEST_DRAWN else Comparisons.T_HOLM


def compare_all(
    scores: ArrayLike,
    comparisons: Comparisons = Comparisons.MAX_T,
    *,
    level: float = LEVEL,
    rounds: int | None = None,
    seed: int = 0,
) -> ComparedRuns:
    """Compare every two runs by their scores, shape (topics, runs).

    `rounds` and `seed` are those of the two tests that draw at random; unless given, 2,000 for `MAX_T` and
    10,000. Raises WorkbenchError for fewer than two topics or runs and for scores that are not finite.
    """
    values = checked_scores(scores)
    first, second = np.triu_indices(values.shape[1], k=1)
    if rounds is None:
        rounds = MAX_T_ROUNDS if comparisons is Comparisons.MAX_T else ROUNDS
    if len(values) < FEWEST_TOPICS:
        test: _Test = _undefined
    elif comparisons is Comparisons.MAX_T:
        test = _max_t(values, level, rounds, seed)
    else:
        # With intervals that hold for all pairs together (Bonferroni).
        point = t_reach(len(values), 1 - (1 - level) / len(first))
        tests: dict[Comparisons, Callable[[Floats], Floats]] = {
            Comparisons.T_HOLM: _by_t,
            Comparisons.WILCOXON_HOLM: _by_ranks,
            # Pairs of every part are tested under the same signs: the seed is that of all.
            Comparisons.RANDOMISATION_HOLM: partial(randomised_p, rounds=rounds, seed=seed),
        }
        test = partial(_described, tests[comparisons], point)
    parts = [test(part) for part in _portions(values, first, second)]
    differences, p, reach, effects = (np.concatenate(of_pairs) for of_pairs in zip(*parts, strict=True))
    random = comparisons in {Comparisons.MAX_T, Comparisons.RANDOMISATION_HOLM}
    return ComparedRuns(
        comparisons,
        len(values),
        level,
        first,
        second,
        differences,
        reach,
        effects,
        p,
        adjusted=p if comparisons is Comparisons.MAX_T else holm(p),
        rounds=rounds if random else 0,
        seed=seed if random else None,
    )


def _portions(values: Floats, first: Positions, second: Positions) -> Iterator[Floats]:
    """The differences by topic of some pairs after the others; (topics, pairs)."""
    for start in range(0, len(first), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        yield values[:, first[part]] - values[:, second[part]]


def finds_nothing(comparisons: Comparisons, topics: int, pairs: int) -> str:
    """Why a test can find nothing among so many pairs, or hardly anything; empty where it can.

    Signs of so few topics, or so few rounds, have no p that is small enough once it is corrected.

    >>> finds_nothing(Comparisons.WILCOXON_HOLM, 10, 45)
    'with 10 topics and 45 pairs this test can find nothing: it needs 11 topics'
    """
    if comparisons is Comparisons.MAX_T and topics < FEWEST_DRAWN:
        return (
            f"with {topics} topics the largest t of all pairs finds hardly anything and has no interval: "
            "choose paired t tests"
        )
    if comparisons not in {Comparisons.WILCOXON_HOLM, Comparisons.RANDOMISATION_HOLM}:
        return ""
    alpha = 1 - LEVEL
    needed = int(log2(2 * pairs / alpha)) + 1
    if topics < needed:
        return (
            f"with {topics} topics and {counted(pairs, 'pair')} this test can find nothing: it needs "
            f"{needed} topics"
        )
    random = comparisons is Comparisons.RANDOMISATION_HOLM and topics > EXACT_FLIPS
    if random and pairs > alpha * (ROUNDS + 1):
        return f"{ROUNDS:,} rounds can find nothing among {pairs:,} pairs: choose fewer runs"
    return ""


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
    return ratio(means, deviations / sqrt(len(differences)))


_Test = Callable[[Floats], _Tested]
"""A test of pairs, by their differences by topic; shape (topics, pairs)."""


def _max_t(scores: Floats, level: float, rounds: int, seed: int) -> _Test:
    """The largest |t| of all pairs where topics of centred differences are drawn again (2,000 times).

    Every pair has its own variance. Source: Westfall and Young 1993, section 2.2; Romano and Wolf 2005.
    """
    topics = len(scores)
    drawn = np.random.default_rng(seed).multinomial(topics, np.full(topics, 1 / topics), size=rounds)
    draws = drawn.astype(np.float64)
    largest = np.zeros(rounds)
    first, second = np.triu_indices(scores.shape[1], k=1)
    for differences in _portions(scores, first, second):
        varying = differences[:, _deviations(differences) > 0]
        centred = varying - varying.mean(axis=0)
        means = draws @ centred / topics
        variances = (draws @ centred**2 - topics * means**2) / (topics - 1)
        # A draw of topics that are alike has no error but for rounding: its t is 0, or without end.
        scale = SLACK * (centred**2).max(axis=0, initial=0.0)
        nothing = np.where(means**2 > scale, np.inf, 0.0)
        squares = np.divide(means**2, variances / topics, out=nothing, where=variances > scale)
        np.maximum(largest, np.sqrt(squares.max(axis=1, initial=0.0)), out=largest)
    largest.sort()
    # A value that was drawn, so that an interval leaves out 0 exactly where p is small enough.
    point = float(np.quantile(largest, level, method="higher")) if topics >= FEWEST_DRAWN else np.inf

    def p_of(differences: Floats) -> Floats:
        t = np.abs(t_of_pairs(differences))
        p = (1 + rounds - np.searchsorted(largest, t - SLACK)) / (1 + rounds)
        return np.where(np.isnan(t), np.nan, p)

    return partial(_described, p_of, point)


def _undefined(differences: Floats) -> _Tested:
    means = differences.mean(axis=0)
    nothing = np.full(len(means), np.nan)
    return means, nothing, nothing, nothing


def _by_t(differences: Floats) -> Floats:
    return two_sided_t(t_of_pairs(differences), len(differences))


def _by_ranks(differences: Floats) -> Floats:
    tested = [signed_ranks(column).p for column in np.ascontiguousarray(differences.T)]
    return np.array([np.nan if one is None else one for one in tested])


def _described(p_of: Callable[[Floats], Floats], point: float, differences: Floats) -> _Tested:
    """The p of some pairs, and intervals that reach to `point` standard errors."""
    means, deviations = differences.mean(axis=0), _deviations(differences)
    effects = ratio(means, deviations)
    # Where topics are so few that t may be without end no bound is known, nor where differences do not vary.
    reach = point * np.where(deviations > 0, deviations, np.nan) / sqrt(len(differences))
    return means, p_of(differences), np.where(np.isfinite(reach), reach, np.nan), effects


def _deviations(differences: Floats) -> Floats:
    """The standard deviation of each pair's differences; 0 where they are equal but for rounding."""
    deviations = differences.std(axis=0, ddof=1)
    return np.where(deviations > SLACK * np.abs(differences).max(axis=0), deviations, 0.0)
