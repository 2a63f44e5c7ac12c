"""Two runs, topic by topic: the difference with its interval and effect size, and how it might be chance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.relevance import Floats

LEVEL = 0.95
ROUNDS = 10_000
NO_DIFFERENCE = "the two runs score the same on every topic"
NO_VARIATION = "the difference is the same on every topic"
FEW_TOPICS = "fewer than two topics"
FEWEST_TOPICS = 5
"""Of fewer topics no interval is shown and nothing is tested: even if one run is better on all of four, an
exact two-sided p is 2 / 2 ** 4 = .125, and a t interval reaches far beyond what a measure can be."""
TOO_FEW_TOPICS = f"fewer than {FEWEST_TOPICS} topics"

EXACT_FLIPS = 16  # 2 ** 16 assignments take as long as 65,536 random ones
_EXACT_RANKS = 200  # the distribution of the rank sum is worked out in milliseconds up to here
_CHUNK = 4_000_000  # signs at a time: 32 MB as doubles
SLACK = 1e-12
"""Two sums of the same scores in another order may differ by this share of it; they count as equal."""


class SignificanceTest(StrEnum):
    """How the difference of two runs is tested; every test is two-sided."""

    T = "t"
    WILCOXON = "wilcoxon"
    RANDOMISATION = "randomisation"
    BOOTSTRAP = "bootstrap"


@frozen_dataclass
class Significance:
    """A test of no difference between two runs.

    `n` counts the topics that the test reads; `method` says where `p` comes from. `statistic` and `p` are
    None exactly where `undefined` says why. `seed` is that of a test with random draws.
    """

    test: SignificanceTest
    n: int
    statistic: float | None = None
    p: float | None = None
    method: str = ""
    seed: int | None = None
    undefined: str = ""


@frozen_dataclass
class RunDifference:
    """The first run less the second on the same topics, in the units of the measure.

    `low` and `high` bound the mean difference at a confidence `level` (t distribution), None of fewer than
    FEWEST_TOPICS topics, of which no test is made either.
    `effect` is the mean in standard deviations of the differences (d_z), None where they do
    not vary. `better`, `worse` and `tied` count topics on which the first run does better, worse, the same.
    """

    topics: int
    mean: float
    low: float | None
    high: float | None
    level: float
    effect: float | None
    better: int
    worse: int
    tied: int
    tests: tuple[Significance, ...]


def compare_two(
    first: ArrayLike,
    second: ArrayLike,
    *,
    level: float = LEVEL,
    rounds: int = ROUNDS,
    seed: int = 0,
    higher_is_better: bool = True,
) -> RunDifference:
    """Compare two runs by their scores on the same topics, both of shape (topics,).

    Raises WorkbenchError for lists of different lengths, of no topic, or with scores that are not finite.

    >>> found = compare_two([0.5, 0.75, 0.25], [0.25, 0.25, 0.5])
    >>> found.topics, round(found.mean, 4), found.better, found.worse
    (3, 0.1667, 2, 1)
    """
    differences = checked_differences(first, second)
    n, mean = len(differences), float(differences.mean())
    gains = differences if higher_is_better else -differences
    deviation = _deviation(differences)
    low: float | None = None
    high: float | None = None
    if n < FEWEST_TOPICS:
        tests = tuple(Significance(test, n, undefined=TOO_FEW_TOPICS) for test in SignificanceTest)
    else:
        reach = t_reach(n, level) * deviation / sqrt(n)
        low, high = mean - reach, mean + reach
        tests = (
            paired_t(differences),
            signed_ranks(differences),
            randomisation(differences, rounds=rounds, seed=seed),
            bootstrap(differences, rounds=rounds, seed=seed),
        )
    return RunDifference(
        n,
        mean,
        low,
        high,
        level,
        effect=mean / deviation if deviation else None,
        better=int((gains > 0).sum()),
        worse=int((gains < 0).sum()),
        tied=int((differences == 0).sum()),
        tests=tests,
    )


def checked_differences(first: ArrayLike, second: ArrayLike) -> Floats:
    """The differences of two lists of scores by topic; raises WorkbenchError as `compare_two` does."""
    one, other = (np.asarray(scores, dtype=np.float64) for scores in (first, second))
    if one.ndim != 1 or one.shape != other.shape:
        raise WorkbenchError(
            "two runs cannot be compared on different topics",
            remedy="give one score a topic for each of them",
        )
    if not len(one):
        raise WorkbenchError("two runs cannot be compared on no topic", remedy="score at least one topic")
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise WorkbenchError(
            "two runs cannot be compared by scores that are not finite",
            remedy="leave out the topics on which the measure is undefined",
        )
    return one - other


def paired_t(differences: Floats) -> Significance:
    """Student's t test of a mean difference of 0; `differences` by topic, shape (topics,)."""
    n, test = len(differences), SignificanceTest.T
    deviation = _deviation(differences)
    if n < 2 or not deviation:
        cause = FEW_TOPICS if n < 2 else NO_VARIATION if differences.any() else NO_DIFFERENCE
        return Significance(test, n, undefined=cause)
    t = float(differences.mean()) / (deviation / sqrt(n))
    return Significance(test, n, t, float(two_sided_t(np.array([t]), n)[0]), f"t distribution, {n - 1} df")


def signed_ranks(differences: Floats, *, exact_up_to: int = _EXACT_RANKS) -> Significance:
    """Wilcoxon's signed-rank test; the statistic is the sum of the ranks with their signs.

    Topics without a difference are left out, and equal differences share their mean rank. Up to `exact_up_to`
    topics p is exact given these ranks, also with ties; beyond, of a normal with the variance that ties
    leave and no correction for continuity. Source: Wilcoxon 1945; Pratt and Gibbons 1981 on ties.
    """
    test, kept = SignificanceTest.WILCOXON, differences[differences != 0]
    n = len(kept)
    if not n:
        return Significance(test, 0, undefined=NO_DIFFERENCE)
    ranks = _mean_ranks(np.abs(kept))
    statistic = float((np.sign(kept) * ranks).sum())
    if n <= exact_up_to:
        return Significance(test, n, statistic, _exact_rank_p(ranks, statistic), "exact")
    from scipy.special import ndtr

    # The sum of n independent terms +-rank has the variance of the sum of squares of the ranks.
    p = 2 * float(ndtr(-abs(statistic) / sqrt(float((ranks**2).sum()))))
    return Significance(test, n, statistic, min(p, 1.0), "normal")


def randomisation(differences: Floats, *, rounds: int = ROUNDS, seed: int = 0) -> Significance:
    """Fisher's randomisation test: how often random signs give a mean at least as far from 0.

    Up to 16 topics all signs are tried, and p is exact; beyond, `rounds` random ones are, and p is
    (1 + those at least as far) / (1 + rounds), which no number of rounds makes 0. The statistic is the mean.
    Source: Smucker, Allan and Carterette 2007.
    """
    n, test = len(differences), SignificanceTest.RANDOMISATION
    if n < 1:
        return Significance(test, 0, undefined=FEW_TOPICS)
    mean = float(differences.mean())
    p = float(randomised_p(differences[:, np.newaxis], rounds=rounds, seed=seed)[0])
    if n <= EXACT_FLIPS:
        return Significance(test, n, mean, p, f"all {2**n} signs")
    return Significance(test, n, mean, p, f"{rounds} random signs", seed)


def bootstrap(differences: Floats, *, rounds: int = ROUNDS, seed: int = 0) -> Significance:
    """The paired bootstrap: how often topics drawn again give a t at least as far from 0, were the mean 0.

    The differences are shifted to a mean of 0 and drawn with replacement `rounds` times. The statistic is t,
    and p is (1 + those at least as far) / (1 + rounds), which no number of rounds makes 0. Source: Efron and
    Tibshirani 1993, algorithm 16.2 with a studentised statistic; Sakai 2006.
    """
    n, test = len(differences), SignificanceTest.BOOTSTRAP
    t = paired_t(differences)
    if t.statistic is None:
        return Significance(test, n, undefined=t.undefined)
    shifted = differences - differences.mean()
    least = abs(t.statistic) * (1 - SLACK)
    as_far = 0
    generator = np.random.default_rng(seed)
    at_once = max(1, _CHUNK // n)
    for done in range(0, rounds, at_once):
        drawn = shifted[generator.integers(0, n, size=(min(at_once, rounds - done), n))]
        means, deviations = drawn.mean(axis=1), drawn.std(axis=1, ddof=1)
        # One topic drawn n times does not vary: its t is beyond any other, unless its difference is 0.
        as_far += int(((np.abs(means) * sqrt(n) >= least * deviations) & (means != 0)).sum())
    p = (1 + as_far) / (1 + rounds)
    return Significance(test, n, t.statistic, p, f"{rounds} resamples of topics", seed)


def randomised_p(differences: Floats, *, rounds: int, seed: int) -> Floats:
    """The p of the randomisation test of many pairs, under the same signs; `differences` (topics, pairs)."""
    n, pairs = differences.shape
    least = np.abs(differences.sum(axis=0)) - SLACK * np.abs(differences).sum(axis=0)
    as_far = np.zeros(pairs, dtype=np.int64)
    for signs in _all_signs(n) if n <= EXACT_FLIPS else _random_signs(n, rounds, seed):
        width = max(1, _CHUNK // len(signs))
        for start in range(0, pairs, width):
            part = slice(start, start + width)
            as_far[part] += (np.abs(signs @ differences[:, part]) >= least[part]).sum(axis=0)
    if n <= EXACT_FLIPS:
        return np.asarray(as_far / 2**n)
    return np.asarray((1 + as_far) / (1 + rounds))


def t_reach(topics: int, level: float) -> float:
    """How many standard errors an interval reaches to both sides of the mean of this many topics."""
    from scipy.special import stdtrit

    return float(stdtrit(topics - 1, (1 + level) / 2))


def two_sided_t(t: Floats, topics: int) -> Floats:
    """The chance of a t at least as far from 0, of a mean over this many topics; any shape."""
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(topics - 1, -np.abs(t)), dtype=np.float64)


def _deviation(differences: Floats) -> float:
    """The standard deviation; 0 where the differences are equal but for rounding."""
    if len(differences) < 2:
        return 0.0
    deviation = float(differences.std(ddof=1))
    return deviation if deviation > SLACK * float(np.abs(differences).max()) else 0.0


def _mean_ranks(values: Floats) -> Floats:
    """The ranks from 1, ascending; equal values share the mean of theirs."""
    _, groups, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return (ends - (counts - 1) / 2)[groups]


def _exact_rank_p(ranks: Floats, statistic: float) -> float:
    """The share of all signs under which the rank sum is at least as far from 0.

    Doubled, mean ranks are whole: the sums of the positive ones are counted by adding one rank at a time.
    """
    doubled = np.rint(2 * ranks).astype(np.intp)
    total = int(doubled.sum())
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for rank in doubled.tolist():
        chances[rank:] = (chances[rank:] + chances[: total + 1 - rank]) / 2
        chances[:rank] /= 2
    reached = np.abs(2 * np.arange(total + 1) - total)
    return float(min(chances[reached >= round(2 * abs(statistic))].sum(), 1.0))


def _all_signs(topics: int) -> Iterator[Floats]:
    """Every assignment of signs; one array of shape (2 ** topics, topics)."""
    bits = np.arange(2**topics)[:, np.newaxis] >> np.arange(topics) & 1
    yield np.asarray(2.0 * bits - 1.0, dtype=np.float64)


def _random_signs(topics: int, rounds: int, seed: int) -> Iterator[Floats]:
    """Random signs, `rounds` in all, some at a time; shapes (some, topics)."""
    generator = np.random.default_rng(seed)
    at_once = max(1, _CHUNK // topics)
    for done in range(0, rounds, at_once):
        drawn = generator.integers(0, 2, size=(min(at_once, rounds - done), topics), dtype=np.int8)
        yield np.asarray(2.0 * drawn - 1.0, dtype=np.float64)


@frozen_dataclass
class MeanScore:
    """The mean of the scores of `topics` topics; `low` and `high` bound it at the confidence LEVEL.

    They are None of fewer than FEWEST_TOPICS topics, which say too little about others.
    """

    mean: float
    low: float | None
    high: float | None
    topics: int
    level: float = LEVEL


def mean_scores(scores: Floats) -> list[MeanScore]:
    """As `mean_score` of each of several runs, to the last bit; `scores` have the shape (runs, topics)."""
    n = scores.shape[1]
    # Rows must lie together in memory, or numpy adds them up in another order.
    rows = np.ascontiguousarray(scores)
    means = rows.mean(axis=1).tolist()
    if n < FEWEST_TOPICS:
        return [MeanScore(mean, None, None, n) for mean in means]
    t = t_reach(n, LEVEL)
    reaches = [t * deviation / sqrt(n) for deviation in rows.std(axis=1, ddof=1).tolist()]
    found = zip(means, reaches, strict=True)
    return [MeanScore(mean, mean - reach, mean + reach, n) for mean, reach in found]


def mean_score(scores: Iterable[float]) -> MeanScore:
    """The mean of the scores of topics, and its t interval: topics are taken for a sample of many.

    Of few topics it may reach beyond what the measure can be. Source: Student 1908; Sakai 2018.

    >>> found = mean_score([0.1, 0.2, 0.3, 0.4, 0.5])
    >>> [round(value, 3) for value in (found.mean, found.low, found.high)]
    [0.3, 0.104, 0.496]
    """
    (found,) = mean_scores(np.fromiter(scores, dtype=np.float64)[np.newaxis])
    return found
