"""A machine's labels against a person's, or against the majority of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.closed_form import share_interval
from workbench.agreement.result import NOBODY, Coefficient
from workbench.agreement.several.bootstrap import Interval, Unit, interval_over, resampled
from workbench.agreement.several.methods import METHODS, coefficient
from workbench.agreement.several.ratings import Ratings, ratings_of
from workbench.agreement.several.tally import tally
from workbench.agreement.several.weights import Weights, nominal, quadratic
from workbench.agreement.table import MISSING, Codes, table_of_codes

COEFFICIENTS = ("observed", "pooled", "unpooled", "gwet")
WEIGHTED = ("pooled", "unpooled", "gwet")
ROUNDS = 1000
FEWEST_TOPICS = 5
"""With fewer topics pairs are drawn again instead."""


@dataclass(frozen=True, slots=True)
class Valued:
    """A coefficient and its interval."""

    found: Coefficient
    interval: Interval


@dataclass(frozen=True, slots=True)
class Share:
    """A share of `of` pairs with Wilson's interval; all None where there is none."""

    value: float | None
    low: float | None
    high: float | None
    of: int


@dataclass(frozen=True, slots=True)
class AgainstPerson:
    """A machine (columns of the table) against a person or the majority (rows), grades in their order.

    `valued` are the COEFFICIENTS; `weighted` the WEIGHTED ones with quadratic weights, empty for two grades.
    `precision` is the share of what the machine calls relevant that the person does, `recall` the share of
    what the person calls relevant that the machine does.
    """

    n: int
    topics: int
    table: tuple[tuple[int, ...], ...]
    valued: tuple[Valued, ...]
    weighted: tuple[Valued, ...]
    precision: Share
    recall: Share

    @property
    def pooled(self) -> Valued:
        """The pooled kappa."""
        return self.valued[COEFFICIENTS.index("pooled")]


def against_person(
    person: ArrayLike,
    machine: ArrayLike,
    *,
    categories: Sequence[int],
    relevant_from: int,
    topics: ArrayLike,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> AgainstPerson:
    """Compare a machine's grades with a person's of the same pairs; `topics` number the pairs.

    Intervals draw topics again where there are five or more, else pairs. Raises WorkbenchError for a grade
    that is not among the categories.
    """
    ratings = ratings_of([np.asarray(person), np.asarray(machine)], categories=categories, topics=topics)
    q = len(categories)
    table = table_of_codes(ratings.codes[0], ratings.codes[1], size=q)
    there = ratings.n_topics if ratings.codes.size else 0
    unit = Unit.TOPIC if there >= FEWEST_TOPICS else Unit.PAIR
    relevant = np.array([grade >= relevant_from for grade in categories])
    both = int(table[np.ix_(relevant, relevant)].sum())
    return AgainstPerson(
        n=int(table.sum()),
        topics=there,
        table=tuple(tuple(row) for row in table.tolist()),
        valued=_valued(ratings, COEFFICIENTS, nominal(q), unit, rounds, seed),
        weighted=_valued(ratings, WEIGHTED, quadratic(q), unit, rounds, seed) if q > 2 else (),
        precision=_share(both, int(table[:, relevant].sum())),
        recall=_share(both, int(table[relevant].sum())),
    )


def majority(codes: Codes, size: int) -> tuple[Codes, NDArray[np.bool_]]:
    """The category that most assessors (rows) gave each pair, MISSING for a tie; and which are tied."""
    counts = np.stack([(codes == place).sum(axis=0) for place in range(size)])
    most = counts.max(axis=0)
    tied = ((counts == most).sum(axis=0) > 1) & (most > 0)
    found = np.where((most > 0) & ~tied, counts.argmax(axis=0), MISSING).astype(np.int8)
    return found, tied


def _valued(
    ratings: Ratings, names: Sequence[str], weights: Weights, unit: Unit, rounds: int, seed: int
) -> tuple[Valued, ...]:
    total = tally(ratings, weights).total()
    if not ratings.codes.size:
        none = Interval(None, None, 0.95, "bootstrap", undefined=NOBODY)
        return tuple(Valued(coefficient(METHODS[name], total, weights), none) for name in names)
    drawn, units = resampled(ratings, weights, unit=unit, rounds=rounds, seed=seed)
    return tuple(
        Valued(
            coefficient(METHODS[name], total, weights),
            interval_over(
                METHODS[name],
                drawn,
                weights,
                unit=unit,
                units=units,
                rounds=rounds,
                seed=seed,
                level=0.95,
            ),
        )
        for name in names
    )


def _share(part: int, whole: int) -> Share:
    return Share(part / whole, *share_interval(part, whole), whole) if whole else Share(None, None, None, 0)
