"""Agreement by grade, and the indices that explain a low kappa: prevalence and bias."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.coefficient import (
    NOBODY,
    NOT_GIVEN,
    WOULD_DEFINE,
    CoefficientValue,
    nobody,
    value_of,
)
from workbench.agreement.coefficients import POOLED_KAPPA
from workbench.agreement.estimates import UNDEFINED, Estimate, chosen, interval_of
from workbench.agreement.intervals import Interval
from workbench.agreement.jackknife import LeftOut, Transform, intervals
from workbench.agreement.ratings import Ratings, checked
from workbench.agreement.tally import Floats, Tally, cells_against_the_rest, cells_of, tally, tally_of_cells
from workbench.agreement.weights import nominal
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass


@frozen_dataclass
class BinaryView:
    """A table of two grades, relevant first, looked at closely; what cannot be is None.

    `positive` and `negative` are the specific agreements, `overlap` the share of what either called relevant
    that both did. `prevalence` = (both relevant - both not) / n and `bias` = (only first - only second) / n
    keep their signs. `precision` and `recall` are the second assessor's against the first's.
    """

    positive: float | None
    negative: float | None
    overlap: float | None
    prevalence: float | None
    bias: float | None
    precision: float | None
    recall: float | None


_NOTHING = ("neither called anything relevant", "a document that one of the two calls relevant")
_NO_PAIR = (NOBODY, WOULD_DEFINE[NOBODY])
WHY_NONE = {
    "positive": _NOTHING,
    "negative": (
        "neither called anything not relevant",
        "a document that one of the two calls not relevant",
    ),
    "overlap": _NOTHING,
    "prevalence": _NO_PAIR,
    "bias": _NO_PAIR,
    "precision": ("the second called nothing relevant", "a document that the second calls relevant"),
    "recall": ("the first called nothing relevant", "a document that the first calls relevant"),
}
"""Why each part of a close look is None where it is, and what would give it a value."""


def specific_agreement(table: ArrayLike) -> tuple[float | None, ...]:
    """For every grade 2 n_kk / (row k + column k): of the pairs given it, the share on which both did.

    None where neither gave it. Source: Cicchetti and Feinstein 1990 for two grades; Spitzer and Fleiss 1974.

    >>> [round(share, 4) for share in specific_agreement([[300, 20], [10, 70]])]
    [0.9524, 0.8235]
    """
    counts = checked(table)
    both = counts.diagonal().tolist()
    given = (counts.sum(axis=0) + counts.sum(axis=1)).tolist()
    return tuple(_share(2 * agreed, total) for agreed, total in zip(both, given, strict=True))


def binary_view(table: ArrayLike) -> BinaryView:
    """What explains the agreement of two assessors on two grades, relevant first.

    Raises WorkbenchError for a table of another size. Source: Cicchetti and Feinstein 1990 (specific
    agreement); Byrt, Bishop and Carlin 1993 (indices, there without signs); Voorhees 2000 (overlap).

    >>> view = binary_view([[300, 20], [10, 70]])
    >>> round(view.overlap, 4), view.prevalence, view.bias
    (0.9091, 0.575, 0.025)
    """
    counts = checked(table)
    if counts.shape != (2, 2):
        raise WorkbenchError("only a table of two grades has a positive side", remedy="choose a threshold")
    (both, first), (second, neither) = counts.tolist()
    positive, negative = specific_agreement(counts)
    n = both + first + second + neither
    return BinaryView(
        positive=positive,
        negative=negative,
        overlap=_share(both, both + first + second),
        prevalence=_share(both - neither, n),
        bias=_share(first - second, n),
        precision=_share(both, both + second),
        recall=_share(both, both + first),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@frozen_dataclass
class GradeAgreement:
    """One grade: how often it was given, its specific agreement, and its kappa against all other grades.

    `specific` is the share of others who gave the grade too where one did: for relevant and not these are
    positive and negative agreement. `interval` is that of `specific`, `kappa_interval` that of `kappa`.
    """

    grade: int
    given: int
    share: float | None
    specific: CoefficientValue
    interval: Interval
    kappa: CoefficientValue
    kappa_interval: Interval


def by_grade(ratings: Ratings, left: LeftOut) -> tuple[GradeAgreement, ...]:
    """Every grade of the ratings, in the order of their categories; intervals from the sums `left` out.

    Source: specific agreement Spitzer and Fleiss 1974, Cicchetti and Feinstein 1990; kappa by category
    Fleiss 1971.
    """
    whole = tally(ratings, nominal(len(ratings.categories))).total()
    given = whole.given.sum(axis=0).astype(int).tolist()
    found = []
    for place, grade in enumerate(ratings.categories):
        specific, kappa = _specific(whole, place), _kappa(ratings, place)
        found.append(
            GradeAgreement(
                grade=grade,
                given=given[place],
                share=_share(given[place], sum(given)),
                specific=specific,
                interval=_specific_interval(specific, place, left),
                kappa=kappa,
                kappa_interval=_kappa_interval(place, kappa, left, ratings),
            )
        )
    return tuple(found)


def _kappa(ratings: Ratings, place: int) -> CoefficientValue:
    """The pooled kappa of one grade against the rest."""
    plain = nominal(2)
    sums = tally_of_cells(cells_against_the_rest(cells_of(ratings), place), plain)
    return value_of(POOLED_KAPPA, sums.total(), plain)


def _kappa_interval(place: int, kappa: CoefficientValue, left: LeftOut, ratings: Ratings) -> Interval:
    """Of two grades each against the other are the ratings themselves."""
    if len(ratings.categories) > 2:
        cells = cells_against_the_rest(cells_of(ratings, by_topic=True), place)
        left = LeftOut(tally_of_cells(cells, nominal(2)).grouped(), left.level)
    return interval_of(POOLED_KAPPA, kappa, left, nominal(2))


def _specific(whole: Tally, place: int) -> CoefficientValue:
    n, row = int(whole.doubly), whole.coincidences[place]
    if not n:
        return nobody("specific")
    if not row.sum():
        return CoefficientValue("specific", None, None, None, n, NOT_GIVEN)
    share = float(row[place] / row.sum())
    return CoefficientValue("specific", share, None, share, n)


def _specific_interval(specific: CoefficientValue, place: int, left: LeftOut) -> Interval:
    whole, without = (_specific_shares(sums, place) for sums in (left.whole, left.without))
    (found,) = intervals(whole, without, left.evidence, Transform.SHARE, level=left.level)
    if specific.value is None:
        return replace(found, low=None, high=None, undefined=UNDEFINED)
    return found


def _specific_shares(sums: Tally, place: int) -> Floats:
    rows = sums.coincidences[..., place, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: Floats = rows[..., place] / rows.sum(axis=-1)
    return shares


HIGH_AGREEMENT = 0.8
LOW_KAPPA = 0.6
# What S, which knows no prevalence, must be above kappa for prevalence to be the reason.
APART = 0.2


@frozen_dataclass
class Paradox:
    """Agreement is high and kappa low since one grade is so common that chance alone would agree.

    `grade` is the common one and `share` how much of all grades it is; `expected` is what chance is taken to
    give, `uniform` the value of S, what the same agreement would be worth were all grades equally common.
    """

    observed: float
    kappa: float
    expected: float
    uniform: float
    grade: int
    share: float


def paradox(found: Sequence[Estimate], grades: Sequence[GradeAgreement]) -> Paradox | None:
    """The paradox where it is there: agreement of 0.8 or more, pooled kappa below 0.6 and S 0.2 above that.

    Where kappa is undefined since all gave one grade there is no paradox to explain.
    Source: Feinstein and Cicchetti 1990; Byrt, Bishop and Carlin 1993.
    """
    pooled, uniform = chosen(found, "pooled").found, chosen(found, "uniform").found
    if pooled.value is None or pooled.observed is None or pooled.expected is None or uniform.value is None:
        return None
    if pooled.observed < HIGH_AGREEMENT or pooled.value >= LOW_KAPPA or uniform.value - pooled.value < APART:
        return None
    common = max(grades, key=lambda one: one.given)
    if common.share is None:
        return None
    return Paradox(pooled.observed, pooled.value, pooled.expected, uniform.value, common.grade, common.share)
