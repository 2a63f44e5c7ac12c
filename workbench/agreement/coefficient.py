"""What a coefficient is: its names, its formula, and the value that follows from a tally."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Self

import numpy as np

from workbench.agreement.intervals import Interval
from workbench.agreement.ratings import Table
from workbench.agreement.tally import Floats, Tally
from workbench.agreement.weights import Weights
from workbench.frozen import frozen_dataclass

NOBODY = "no pair was judged by both"
NOT_GIVEN = "nobody gave this grade"
NO_VARIATION = "everyone gave the same grade, so agreement by chance is already 1"
WOULD_DEFINE = {
    NOBODY: "give both some pairs in common",
    NOT_GIVEN: "a pair to which one of them gives it",
    NO_VARIATION: (
        "pairs to which at least one gives another grade, such as documents further down the runs"
    ),
}
"""What would give a value where a reason says that there is none."""

Parts = tuple[Floats, Floats | None]
"""Observed disagreement and that by chance (None where chance is not corrected for), by group or resample."""


class Shown(IntEnum):
    """In which tables a coefficient has a column: the wider a table already is, the fewer it shows."""

    IN_FULL = 1
    """Where all coefficients of some assessors are listed, one a row."""
    OF_PAIRS = 2
    """Also where every pair of assessors, or every topic, is a row."""
    EVERYWHERE = 3
    """Also by relevance threshold, and for machines against people."""


@frozen_dataclass
class CoefficientValue:
    """One coefficient of agreement over `n` pairs.

    `observed` and `expected` are shares of the pairs (0 to 1): agreed on, and agreed on by chance. `value` is
    None exactly where `undefined` gives a reason; the other two are None where they do not exist.
    """

    name: str
    observed: float | None
    expected: float | None
    value: float | None
    n: int
    undefined: str = ""

    @property
    def would_define(self) -> str:
        """What would give a value where there is none."""
        return WOULD_DEFINE.get(self.undefined, "")


@dataclass(frozen=True)
class Coefficient(ABC):
    """A coefficient of agreement: how it is computed, and how every report, table and command names it.

    `heading` is its column on a page, `plain` in a terminal, `latex` in a paper; `note` says in a few words
    what it takes for chance, `help` in a sentence when to report it, `symbol` is the name of its result in a
    calculation. `pairwise_mean` names its mean over pairs of assessors and the source of that, where there is
    a custom of reporting it. `linearised` says that `chance_by_pair` is there. `in_shares` says whether the
    two disagreements are shares of pairs, which can be shown as observed and expected agreement.
    """

    name: str
    label: str
    heading: str
    plain: str
    latex: str
    note: str
    source: str
    help: str
    symbol: str = "Kappa"
    shown: Shown = Shown.EVERYWHERE
    chance_corrected: bool = True
    pairwise_mean: tuple[str, str] | None = None
    linearised: bool = False
    in_shares: bool = True

    @abstractmethod
    def disagreements(self, tally: Tally, weights: Weights) -> Parts:
        """Observed disagreement and that expected by chance, for any number of assessors."""

    def on_scale(
        self, categories: Sequence[int], *, weights: str = "nominal", level: str = "nominal"
    ) -> Self:
        """The coefficient as it is named, and computed, on a scale with weights by name and a level."""
        if weights == "nominal" or len(categories) == 2:
            return self
        return replace(self, label=f"{self.label}, {weights} weights")

    def steps(self, sheet: Sheet, found: CoefficientValue) -> tuple[Step, ...]:
        """The calculation for two assessors step by step, nothing where there is none to show."""
        return ()

    def from_chance(
        self, sheet: Sheet, found: CoefficientValue, shares: tuple[Step, ...], chance: str
    ) -> tuple[Step, ...]:
        """The steps of a coefficient: the `shares` of grades, and the sum `chance` that is made of them.

        With weights 1 - observed / expected disagreement, else (observed - expected) / (1 - expected).
        """
        if sheet.weighted:
            observed, expected = four(1 - (found.observed or 0.0)), four(1 - (found.expected or 0.0))
            counts = sheet.table + sheet.table.T
            both = terms([(w, f"{int(counts[k, m]):,}") for k, m, w in sheet.apart()])
            return (
                *shares,
                Step("Observed disagreement", f"({both}) / {sheet.n:,}", observed),
                Step("Disagreement by chance", chance, expected),
                Step(self.symbol, f"1 − {observed} / {expected}", result(found), final=True),
            )
        observed, expected = four(found.observed), four(found.expected)
        agreed = " + ".join(f"{int(count):,}" for count in sheet.table.diagonal())
        return (
            Step("Observed agreement", f"({agreed}) / {sheet.n:,}", observed),
            *shares,
            Step("Expected by chance", chance, expected),
            Step(self.symbol, f"({observed} − {expected}) / (1 − {expected})", result(found), final=True),
        )

    def chance_by_pair(self, shares: Floats, p: Floats, agreeing: Floats) -> tuple[float, Floats]:
        """Chance agreement, and what every kind of pair contributes to it, for the linearised variance.

        `shares` (kinds of pairs, q) are those of the grades within a pair, `p` (q,) of all, `agreeing` (q, q)
        the agreement of every two grades.
        """
        raise NotImplementedError(self.name)

    def least(self, chance: float) -> float:
        """The lowest value that the coefficient can have, given the chance agreement."""
        return -1.0

    def table_interval(
        self, table: Table, weights: Weights, found: CoefficientValue, level: float
    ) -> Interval | None:
        """The analytic interval from the table of two assessors, None where there is none."""
        return None


def nobody(name: str) -> CoefficientValue:
    """The value of a coefficient where no pair was judged by two."""
    return CoefficientValue(name, None, None, None, 0, NOBODY)


def value_of(coefficient: Coefficient, total: Tally, weights: Weights) -> CoefficientValue:
    """The value of a coefficient from the sums over all groups."""
    (found,) = values_of(coefficient, total.grouped(), weights)
    return found


def values_of(coefficient: Coefficient, totals: Tally, weights: Weights) -> list[CoefficientValue]:
    """The same of several ratings, each by the sums over all its groups; totals are (several, ...)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed, expected = coefficient.disagreements(totals, weights)
        ratios = None if expected is None else observed / expected
    chance = None if expected is None else expected.tolist()
    found = []
    for number, (many, apart) in enumerate(zip(totals.doubly.tolist(), observed.tolist(), strict=True)):
        n, shown = int(many), 1.0 - apart
        if n == 0:
            found.append(nobody(coefficient.name))
        elif chance is None or ratios is None:
            found.append(CoefficientValue(coefficient.name, shown, None, shown, n))
        elif chance[number] == 0:
            found.append(CoefficientValue(coefficient.name, shown, 1.0, None, n, NO_VARIATION))
        else:
            value = 1.0 - float(ratios[number])
            found.append(CoefficientValue(coefficient.name, shown, 1.0 - chance[number], value, n))
    return found


def values(coefficient: Coefficient, tallies: Tally, weights: Weights) -> Floats:
    """The values of many tallies at once, NaN where one is undefined; shape (resamples,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        observed, expected = coefficient.disagreements(tallies, weights)
        if expected is None:
            return 1.0 - observed
        ratio = observed / expected
    return np.where(expected > 0, 1.0 - ratio, np.nan)


def observed_disagreement(tally: Tally) -> Floats:
    """The mean, over pairs with two grades or more, of the share of ordered assessors who disagree.

    Source: Fleiss 1971; with missing grades and weights Gwet 2014.
    """
    return tally.disagreement / tally.doubly


def shares_of_grades(tally: Tally) -> Floats:
    """The share of every grade: the mean, over the pairs that anybody judged, of its share there."""
    return tally.shares / tally.rated[..., np.newaxis]


@frozen_dataclass
class Step:
    """One step: its name, the sum with numbers in it, the result; `final` is the coefficient itself."""

    name: str
    sum: str
    result: str
    final: bool = False


@frozen_dataclass
class Sheet:
    """What the steps are written from: counts, labels of grades, and how far grades are apart."""

    table: Floats
    labels: Sequence[str]
    weights: Floats
    weighted: bool

    @property
    def n(self) -> int:
        """How many pairs there are."""
        return int(self.table.sum())

    @property
    def rows(self) -> Floats:
        """How often the first gave every grade."""
        return np.asarray(self.table.sum(axis=1))

    @property
    def columns(self) -> Floats:
        """How often the second did."""
        return np.asarray(self.table.sum(axis=0))

    @property
    def shares(self) -> Floats:
        """The share of every grade among all that both gave."""
        return (self.rows + self.columns) / (2 * self.n)

    def apart(self) -> list[tuple[int, int, float]]:
        """Every two different grades with their weight."""
        q = len(self.labels)
        return [(k, m, float(self.weights[k, m])) for k in range(q) for m in range(k + 1, q)]


def pooled_shares(sheet: Sheet) -> tuple[Step, ...]:
    """The share of every grade among all that both gave."""
    return tuple(
        Step(f"Share of “{label}”", f"({int(row):,} + {int(column):,}) / {2 * sheet.n:,}", four(share))
        for label, row, column, share in zip(
            sheet.labels, sheet.rows, sheet.columns, sheet.shares, strict=True
        )
    )


def terms(weighted: Sequence[tuple[float, str]]) -> str:
    """A sum of weighted terms; a weight of 1 is not written."""
    return " + ".join(text if w == 1 else f"{w:.2f} × {text}" for w, text in weighted if w) or "0"


def result(found: CoefficientValue) -> str:
    """The value of the coefficient to four decimals."""
    return "undefined" if found.value is None else four(found.value)


def four(value: float | None) -> str:
    """Four decimals with a true minus, nothing where there is no number."""
    return "" if value is None else f"{value:z.4f}".replace("-", "−")
