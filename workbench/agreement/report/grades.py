"""Agreement grade by grade: how often a grade that one gave was another's too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.agreement.report.figures import Drawn, drawn_from, interval_of
from workbench.agreement.report.how import How
from workbench.agreement.result import NOBODY, NOT_GIVEN, Coefficient
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.methods import METHODS, Method, agreement
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Floats, Tally, tally
from workbench.agreement.several.weights import Weights, nominal
from workbench.agreement.table import MISSING


@dataclass(frozen=True, slots=True)
class GradeAgreement:
    """One grade: how often it was given, its specific agreement, and its kappa against all other grades.

    `specific` is the share of others who gave the grade too where one did: for relevant and not these are
    positive and negative agreement. `interval` is that of `specific`, `kappa_interval` that of `kappa`.
    """

    grade: int
    given: int
    share: float | None
    specific: Coefficient
    interval: Interval | None
    kappa: Coefficient
    kappa_interval: Interval | None


def by_grade(ratings: Ratings, how: How, drawn: Drawn | None = None) -> tuple[GradeAgreement, ...]:
    """Every grade of the ratings, in the order of their categories; intervals from the resamples `drawn`.

    Source: specific agreement Spitzer and Fleiss 1974, Cicchetti and Feinstein 1990; kappa by category
    Fleiss 1971.
    """
    plain = nominal(len(ratings.categories))
    whole = tally(ratings, plain).total()
    given = whole.given.sum(axis=0)
    everything = float(given.sum())
    found = []
    for place, grade in enumerate(ratings.categories):
        method = Method("specific", "Specific agreement", "Spitzer and Fleiss 1974", Specific(place))
        specific = _specific(whole, place)
        rest = against_the_rest(ratings, place)
        kappa = agreement(rest, "pooled")
        found.append(
            GradeAgreement(
                grade=grade,
                given=int(given[place]),
                share=float(given[place]) / everything if everything else None,
                specific=specific,
                interval=None if drawn is None else interval_of(method, specific, drawn, plain, how),
                kappa=kappa,
                kappa_interval=None if drawn is None else _kappa_interval(rest, kappa, drawn, ratings, how),
            )
        )
    return tuple(found)


def _kappa_interval(rest: Ratings, kappa: Coefficient, drawn: Drawn, ratings: Ratings, how: How) -> Interval:
    """From resamples of the same seed; of two grades each against the other are the ratings themselves."""
    of_rest = drawn if len(ratings.categories) == 2 else drawn_from(rest, how)
    return interval_of(METHODS["pooled"], kappa, of_rest, nominal(2), how)


def against_the_rest(ratings: Ratings, place: int) -> Ratings:
    """The ratings with one grade made 1 and all others 0."""
    codes = np.where(ratings.codes == MISSING, MISSING, ratings.codes != place).astype(np.int8)
    unlisted = ratings.unlisted
    # What nobody judged has the lowest grade, which is the one itself here.
    categories = (0, 1) if place == ratings.lowest and unlisted is not None else (1, 0)
    return Ratings(codes, categories, ratings.topics, ratings.n_topics, unlisted)


@dataclass(frozen=True, slots=True)
class Specific:
    """The parts of a grade's specific agreement, as a coefficient without chance."""

    place: int

    def __call__(self, tally: Tally, _weights: Weights) -> tuple[Floats, None]:
        """1 - o_kk / n_k, of coincidences."""
        rows = tally.coincidences[..., self.place, :]
        disagreeing: Floats = 1.0 - rows[..., self.place] / rows.sum(axis=-1)
        return disagreeing, None


def _specific(whole: Tally, place: int) -> Coefficient:
    n = int(whole.doubly)
    if not n:
        return Coefficient("specific", None, None, None, 0, (), NOBODY)
    row = whole.coincidences[place]
    if not row.sum():
        return Coefficient("specific", None, None, None, n, (), NOT_GIVEN)
    share = float(row[place] / row.sum())
    return Coefficient("specific", share, None, share, n)
