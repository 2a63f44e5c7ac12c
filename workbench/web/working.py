"""The working of a kappa in steps, as a textbook writes it: what is reckoned, how, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.agreement.report import PairAgreement
from workbench.agreement.result import Coefficient


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, the sum with numbers in it, the result; `final` is the coefficient itself."""

    name: str
    sum: str
    result: str
    final: bool = False


def pooled_working(pair: PairAgreement, labels: Sequence[str]) -> tuple[Step, ...]:
    """Pooled kappa of two assessors; empty where there is no table to work on."""
    if not pair.n:
        return ()
    rows, columns = _totals(pair)
    shares = pair.pooled.marginals[0]
    steps = [_observed(pair)]
    for label, row, column, share in zip(labels, rows, columns, shares, strict=True):
        steps.append(Step(f"Share of “{label}”", f"({row:,} + {column:,}) / {2 * pair.n:,}", _four(share)))
    squares = " + ".join(f"{_four(share)}²" for share in shares)
    return (*steps, *_kappa(pair.pooled, squares))


def unpooled_working(pair: PairAgreement, labels: Sequence[str]) -> tuple[Step, ...]:
    """Unpooled kappa of two assessors; empty where there is no table to work on."""
    if not pair.n:
        return ()
    rows, columns = _totals(pair)
    first, second = pair.unpooled.marginals
    steps = [_observed(pair)]
    for label, row, column, one, other in zip(labels, rows, columns, first, second, strict=True):
        counts = f"{row:,} and {column:,} of {pair.n:,}"
        steps.append(Step(f"Share of “{label}”", counts, f"{_four(one)} and {_four(other)}"))
    products = " + ".join(f"{_four(a)} × {_four(b)}" for a, b in zip(first, second, strict=True))
    return (*steps, *_kappa(pair.unpooled, products))


def _totals(pair: PairAgreement) -> tuple[list[int], list[int]]:
    return [sum(row) for row in pair.table], [sum(column) for column in zip(*pair.table, strict=True)]


def _observed(pair: PairAgreement) -> Step:
    agreed = " + ".join(f"{pair.table[at][at]:,}" for at in range(len(pair.table)))
    return Step("Observed agreement", f"({agreed}) / {pair.n:,}", _four(pair.observed.value))


def _kappa(coefficient: Coefficient, chance: str) -> tuple[Step, Step]:
    observed, expected = _four(coefficient.observed), _four(coefficient.expected)
    result = "undefined" if coefficient.value is None else _four(coefficient.value)
    return (
        Step("Expected by chance", chance, expected),
        Step("Kappa", f"({observed} − {expected}) / (1 − {expected})", result, final=True),
    )


def _four(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}".replace("-", "−")
