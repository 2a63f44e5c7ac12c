"""The working of two assessors' coefficients in steps, as a textbook writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.agreement.report.figures import Figure
from workbench.agreement.report.how import How, weights_for
from workbench.agreement.report.two import Two
from workbench.agreement.several.levels import level_of
from workbench.agreement.several.ratings import Ratings
from workbench.agreement.several.tally import Floats


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, the sum with numbers in it, the result; `final` is the coefficient itself."""

    name: str
    sum: str
    result: str
    final: bool = False


@dataclass(frozen=True, slots=True)
class Working:
    """The steps of one coefficient."""

    figure: Figure
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class _Sheet:
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


def workings(two: Two, ratings: Ratings, how: How, labels: Sequence[str]) -> tuple[Working, ...]:
    """The working of every coefficient that takes chance off; none where two have no pair in common."""
    if not two.n:
        return ()
    table = np.array(two.table, dtype=np.float64)
    q = len(table)
    sheet = _Sheet(table, labels, weights_for(how, ratings), how.weighted and q > 2)
    given = table.sum(axis=0) + table.sum(axis=1)
    apart = level_of("nominal" if q == 2 else how.level, ratings.categories)(given)
    alpha = _Sheet(table, labels, apart, weighted=True)
    return tuple(
        Working(figure, _STEPS[figure.name](alpha if figure.name == "alpha" else sheet, figure))
        for figure in two.figures
        if figure.name in _STEPS
    )


def _pooled(sheet: _Sheet, figure: Figure) -> tuple[Step, ...]:
    p = sheet.shares
    if sheet.weighted:
        terms = [(2 * w, f"{_four(p[k])} × {_four(p[m])}") for k, m, w in _apart(sheet)]
        return (*_pooled_shares(sheet), *_by_disagreement(sheet, figure, _terms(terms)))
    squares = " + ".join(f"{_four(share)}²" for share in p)
    return (_observed(sheet, figure), *_pooled_shares(sheet), *_by_agreement(figure, squares))


def _unpooled(sheet: _Sheet, figure: Figure) -> tuple[Step, ...]:
    first, second = sheet.rows / sheet.n, sheet.columns / sheet.n
    shares = tuple(
        Step(
            f"Share of “{label}”",
            f"{int(row):,} and {int(column):,} of {sheet.n:,}",
            f"{_four(one)} and {_four(other)}",
        )
        for label, row, column, one, other in zip(
            sheet.labels, sheet.rows, sheet.columns, first, second, strict=True
        )
    )
    if sheet.weighted:
        terms = [
            (w, f"({_four(first[k])} × {_four(second[m])} + {_four(first[m])} × {_four(second[k])})")
            for k, m, w in _apart(sheet)
        ]
        return (*shares, *_by_disagreement(sheet, figure, _terms(terms)))
    products = " + ".join(f"{_four(a)} × {_four(b)}" for a, b in zip(first, second, strict=True))
    return (_observed(sheet, figure), *shares, *_by_agreement(figure, products))


def _gwet(sheet: _Sheet, figure: Figure) -> tuple[Step, ...]:
    q = len(sheet.labels)
    sums = " + ".join(f"{_four(share)} × {_four(1 - share)}" for share in sheet.shares)
    if sheet.weighted:
        agreeing = q * q - float(sheet.weights.sum())
        chance = f"1 − {agreeing:.2f} × ({sums}) / ({q} × {q - 1})"
        return (*_pooled_shares(sheet), *_by_disagreement(sheet, figure, chance))
    chance = sums if q == 2 else f"({sums}) / {q - 1}"
    return (_observed(sheet, figure), *_pooled_shares(sheet), *_by_agreement(figure, chance))


def _uniform(sheet: _Sheet, figure: Figure) -> tuple[Step, ...]:
    q = len(sheet.labels)
    if sheet.weighted:
        return _by_disagreement(sheet, figure, f"{float(sheet.weights.sum()):.2f} / {q * q}")
    return (_observed(sheet, figure), *_by_agreement(figure, f"1 / {q}"))


def _alpha(sheet: _Sheet, figure: Figure) -> tuple[Step, ...]:
    given = sheet.rows + sheet.columns
    counts = tuple(
        Step(f"“{label}” given", f"{int(row):,} + {int(column):,}", f"{int(row + column):,}")
        for label, row, column in zip(sheet.labels, sheet.rows, sheet.columns, strict=True)
    )
    # The unit of the differences cancels; the largest is 1 in what is shown.
    largest = float(sheet.weights.max()) or 1.0
    pairs = [(k, m, w / largest) for k, m, w in _apart(sheet)]
    observed = sum(w * (sheet.table[k, m] + sheet.table[m, k]) for k, m, w in pairs) / sheet.n
    expected = 2 * sum(w * given[k] * given[m] for k, m, w in pairs) / (given.sum() * (given.sum() - 1))
    both = _terms([(w, f"{int(sheet.table[k, m] + sheet.table[m, k]):,}") for k, m, w in pairs])
    drawn = _terms([(w, f"{int(given[k]):,} × {int(given[m]):,}") for k, m, w in pairs])
    n = int(given.sum())
    return (
        *counts,
        Step("Observed disagreement", f"({both}) / {sheet.n:,}", _four(observed)),
        Step("Expected disagreement", f"2 × ({drawn}) / ({n:,} × {n - 1:,})", _four(expected)),
        Step("Alpha", f"1 − {_four(observed)} / {_four(expected)}", _result(figure), final=True),
    )


_STEPS: Mapping[str, Callable[[_Sheet, Figure], tuple[Step, ...]]] = {
    "pooled": _pooled,
    "unpooled": _unpooled,
    "alpha": _alpha,
    "gwet": _gwet,
    "uniform": _uniform,
}


def _observed(sheet: _Sheet, figure: Figure) -> Step:
    agreed = " + ".join(f"{int(count):,}" for count in sheet.table.diagonal())
    return Step("Observed agreement", f"({agreed}) / {sheet.n:,}", _four(figure.coefficient.observed))


def _pooled_shares(sheet: _Sheet) -> tuple[Step, ...]:
    return tuple(
        Step(f"Share of “{label}”", f"({int(row):,} + {int(column):,}) / {2 * sheet.n:,}", _four(share))
        for label, row, column, share in zip(
            sheet.labels, sheet.rows, sheet.columns, sheet.shares, strict=True
        )
    )


def _by_agreement(figure: Figure, chance: str) -> tuple[Step, Step]:
    found = figure.coefficient
    observed, expected = _four(found.observed), _four(found.expected)
    return (
        Step("Expected by chance", chance, expected),
        Step(_what(figure), f"({observed} − {expected}) / (1 − {expected})", _result(figure), final=True),
    )


def _by_disagreement(sheet: _Sheet, figure: Figure, chance: str) -> tuple[Step, Step, Step]:
    found = figure.coefficient
    observed, expected = 1 - (found.observed or 0.0), 1 - (found.expected or 0.0)
    both = _terms([(w, f"{int(sheet.table[k, m] + sheet.table[m, k]):,}") for k, m, w in _apart(sheet)])
    return (
        Step("Observed disagreement", f"({both}) / {sheet.n:,}", _four(observed)),
        Step("Disagreement by chance", chance, _four(expected)),
        Step(_what(figure), f"1 − {_four(observed)} / {_four(expected)}", _result(figure), final=True),
    )


def _apart(sheet: _Sheet) -> list[tuple[int, int, float]]:
    """Every two different grades with their weight."""
    q = len(sheet.labels)
    return [(k, m, float(sheet.weights[k, m])) for k in range(q) for m in range(k + 1, q)]


def _terms(terms: Sequence[tuple[float, str]]) -> str:
    """A sum of weighted terms; a weight of 1 is not written."""
    return " + ".join(text if w == 1 else f"{w:.2f} × {text}" for w, text in terms if w) or "0"


def _what(figure: Figure) -> str:
    return {"gwet": "AC", "uniform": "S"}.get(figure.name, "Kappa")


def _result(figure: Figure) -> str:
    return "undefined" if figure.value is None else _four(figure.value)


def _four(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".replace("-", "−")
