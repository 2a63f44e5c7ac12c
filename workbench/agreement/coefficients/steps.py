"""What the calculations of two assessors' coefficients are written with, step by step as in a textbook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.agreement.coefficients.coefficient import CoefficientValue
from workbench.agreement.tally import Floats


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, the sum with numbers in it, the result; `final` is the coefficient itself."""

    name: str
    sum: str
    result: str
    final: bool = False


@dataclass(frozen=True, slots=True)
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
        return np.asarray((self.rows + self.columns) / (2 * self.n))

    def apart(self) -> list[tuple[int, int, float]]:
        """Every two different grades with their weight."""
        q = len(self.labels)
        return [(k, m, float(self.weights[k, m])) for k in range(q) for m in range(k + 1, q)]


def observed_step(sheet: Sheet, found: CoefficientValue) -> Step:
    """The diagonal over the number of pairs."""
    agreed = " + ".join(f"{int(count):,}" for count in sheet.table.diagonal())
    return Step("Observed agreement", f"({agreed}) / {sheet.n:,}", four(found.observed))


def pooled_shares(sheet: Sheet) -> tuple[Step, ...]:
    """The share of every grade among all that both gave."""
    return tuple(
        Step(f"Share of “{label}”", f"({int(row):,} + {int(column):,}) / {2 * sheet.n:,}", four(share))
        for label, row, column, share in zip(
            sheet.labels, sheet.rows, sheet.columns, sheet.shares, strict=True
        )
    )


def by_agreement(found: CoefficientValue, chance: str, symbol: str) -> tuple[Step, Step]:
    """Agreement expected by chance, and (observed - expected) / (1 - expected)."""
    observed, expected = four(found.observed), four(found.expected)
    return (
        Step("Expected by chance", chance, expected),
        Step(symbol, f"({observed} − {expected}) / (1 − {expected})", result(found), final=True),
    )


def by_disagreement(
    sheet: Sheet, found: CoefficientValue, chance: str, symbol: str
) -> tuple[Step, Step, Step]:
    """Weighted disagreement observed and by chance, and 1 - observed / expected."""
    observed, expected = 1 - (found.observed or 0.0), 1 - (found.expected or 0.0)
    both = terms([(w, f"{int(sheet.table[k, m] + sheet.table[m, k]):,}") for k, m, w in sheet.apart()])
    return (
        Step("Observed disagreement", f"({both}) / {sheet.n:,}", four(observed)),
        Step("Disagreement by chance", chance, four(expected)),
        Step(symbol, f"1 − {four(observed)} / {four(expected)}", result(found), final=True),
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
