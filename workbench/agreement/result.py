"""What a coefficient says: a value and its working, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.agreement.table import Table

NOBODY = "no pair was judged by both"
NOT_GIVEN = "nobody gave this grade"
NO_VARIATION = "everyone gave the same grade, so agreement by chance is already complete"
WOULD_DEFINE = {
    NOBODY: "give both some pairs in common",
    NOT_GIVEN: "a pair on which one of them gives it",
    NO_VARIATION: (
        "pairs on which at least one gives another grade, as documents from further down the runs"
    ),
}
"""What would give a value where a reason says that there is none."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One measure of agreement between two assessors over `n` pairs.

    `observed` and `expected` are shares of the pairs (0 to 1): agreed on, and agreed on by chance under the
    `marginals` (shares of the grades; one row where the assessors are pooled, one for each where they are
    not, none where chance is not taken off). `value` is None exactly where `undefined` gives a reason; the
    other two are None where they do not exist.
    """

    name: str
    observed: float | None
    expected: float | None
    value: float | None
    n: int
    marginals: tuple[tuple[float, ...], ...] = ()
    undefined: str = ""

    @property
    def would_define(self) -> str:
        """What would give a value where there is none."""
        return WOULD_DEFINE.get(self.undefined, "")


def beyond_chance(
    name: str, table: Table, *, chance: int, outof: int, marginals: tuple[tuple[float, ...], ...]
) -> Coefficient:
    """kappa = (P(A) - P(E)) / (1 - P(E)) of a table with one pair or more, where P(E) = chance / outof.

    Whole numbers are divided once, at the end: the value is exact to the last bit, and P(E) = 1 is certain.
    """
    n = int(table.sum())
    agreed = int(table.trace())
    observed = agreed / n
    if chance == outof:
        return Coefficient(name, observed, 1.0, None, n, marginals, NO_VARIATION)
    value = (agreed * outof - chance * n) / (n * (outof - chance))
    return Coefficient(name, observed, chance / outof, value, n, marginals)


def nobody(name: str) -> Coefficient:
    """The coefficient of an empty table."""
    return Coefficient(name, None, None, None, 0, (), NOBODY)
