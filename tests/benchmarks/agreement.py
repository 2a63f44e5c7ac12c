"""Coefficients of agreement and their intervals, against scikit-learn and krippendorff.

`python -m tests.benchmarks.agreement` compares, on the same generated grades and in the same process: Cohen's
kappa of two assessors over a million pairs of 50 topics; alpha of these; ordinal alpha of twenty assessors
over 100,000 pairs of which 30 % are not judged; the kappas of all their 190 pairs; and what an interval over
topics takes, for which the kappa is computed without each of them. Told are the least of several times in
milliseconds, and the ratios. Each work is done some times in a row, as `timeit` does, and then the rival's,
turn by turn.

Ordinal alpha is told twice, since a third of our time goes into reading the numbers: of words of 8 bytes for
both, and of the leanest numbers that each is used with. These are 2 bytes for us, as answers are held, and
floats of 4 bytes for the library, which needs NaN for what is missing and is slower with floats of 2.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import Any, Literal

import krippendorff
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import cohen_kappa_score

from workbench.agreement.coefficients import coefficient_named, coefficient_value
from workbench.agreement.coefficients.alpha import alpha
from workbench.agreement.coefficients.unpooled_kappa import unpooled_kappa
from workbench.agreement.contingency import contingency
from workbench.agreement.estimates import intervals_over, topics_left_out
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Ratings, pair_tables, ratings_of

GRADES = (0, 1, 2, 3)
TWO, MANY = 1_000_000, 100_000
TOPICS = 50
IN_A_ROW = 3
Grades = NDArray[np.int64]


def main() -> None:
    """Measure, and print one line for each piece of work."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=7, help="how often each piece of work is done")
    times: int = parser.parse_args().times
    first, second = _two()
    topics = np.repeat(np.arange(TOPICS), TWO // TOPICS)
    with_missing = _many()
    as_floats = np.where(with_missing < 0, np.nan, with_missing)
    pair = np.array([first, second], dtype=float)

    print(f"{'work':<58}{'ours':>10}{'rival':>12}{'ratio':>8}")
    _compare(
        "unpooled kappa, 2 x 1 M (scikit-learn)",
        lambda: unpooled_kappa(contingency(first, second, categories=GRADES)).value,
        lambda: cohen_kappa_score(first, second),
        times,
    )
    _compare(
        "alpha, nominal, 2 x 1 M (krippendorff)",
        lambda: coefficient_value(ratings_of([first, second], categories=GRADES), "alpha").value,
        lambda: _library(pair, "nominal"),
        times,
    )
    lean, lean_floats = with_missing.astype(np.int16), as_floats.astype(np.float32)
    for ours, floats, said in ((with_missing, as_floats, "8 and 8"), (lean, lean_floats, "2 and 4")):
        _compare(
            f"alpha, ordinal, 20 x 100 k, 30 % missing; {said} bytes",
            partial(_ordinal, ours),
            partial(_library, floats, "ordinal"),
            times,
        )
    _compare(
        "unpooled kappa of 190 pairs of these",
        lambda: _all_pairs(with_missing),
        lambda: _all_pairs_by_scikit_learn(with_missing),
        min(times, 3),
    )
    ratings = ratings_of([first, second], categories=GRADES, topics=topics)
    value = _least(lambda: coefficient_value(ratings, "unpooled").value, times)
    interval = _least(lambda: _interval(ratings), times)
    rival = _least(lambda: cohen_kappa_score(first, second), 2) * TOPICS
    _say("without each of 50 topics, 2 x 1 M (extrapolated)", interval, rival)
    print(f"the value alone takes {value:.1f} ms, the interval {interval:.1f} ms more")


def _two() -> tuple[Grades, Grades]:
    generator = np.random.default_rng(1)
    first = generator.choice(GRADES, TWO, p=(0.6, 0.2, 0.15, 0.05))
    changed = generator.random(TWO) < 0.3
    return first, np.where(changed, generator.choice(GRADES, TWO), first)


def _many() -> Grades:
    generator = np.random.default_rng(2)
    truth = generator.choice(GRADES, MANY, p=(0.6, 0.2, 0.15, 0.05))
    said = np.where(generator.random((20, MANY)) < 0.3, generator.choice(GRADES, (20, MANY)), truth)
    return np.where(generator.random((20, MANY)) < 0.3, -1, said)


def _interval(ratings: Ratings) -> float | None:
    options = AgreementOptions()
    left = topics_left_out(ratings, options)
    return intervals_over(coefficient_named("unpooled"), left, options.weights_for(ratings))[0].low


def _ordinal(grades: NDArray[Any]) -> float | None:
    return alpha(ratings_of(grades, categories=GRADES, missing=-1), "ordinal").value


def _library(data: NDArray[np.floating[Any]], level: Literal["nominal", "ordinal"]) -> float:
    return float(
        krippendorff.alpha(
            reliability_data=data,
            level_of_measurement=level,
            value_domain=list(GRADES),
        )
    )


def _all_pairs(grades: Grades) -> list[float | None]:
    tables = pair_tables(ratings_of(grades, categories=GRADES, missing=-1))
    return [unpooled_kappa(tables[two]).value for two in combinations(range(20), 2)]


def _all_pairs_by_scikit_learn(grades: Grades) -> list[float]:
    found = []
    for one, other in combinations(grades, 2):
        both = (one >= 0) & (other >= 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found.append(float(cohen_kappa_score(one[both], other[both])))
    return found


def _compare(what: str, ours: Callable[[], object], rival: Callable[[], object], times: int) -> None:
    """Both in turn, so that whatever else the machine does hinders one as it does the other."""
    least = [float("inf")] * 2
    for _ in range(times):
        # Alone in a turn, a work of two milliseconds is told with the time to fetch anew what the rival drove
        # out of the processor's cache.
        least = [
            min(before, _least(work, IN_A_ROW)) for before, work in zip(least, (ours, rival), strict=True)
        ]
    _say(what, *least)


def _least(work: Callable[[], object], times: int) -> float:
    """The least of some times, in milliseconds."""
    least = float("inf")
    for _ in range(times):
        begun = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - begun)
    return least * 1000


def _say(what: str, ours: float, rival: float) -> None:
    print(f"{what:<58}{ours:>8.1f}ms{rival:>10.0f}ms{rival / ours:>7.0f}x")


if __name__ == "__main__":
    main()
