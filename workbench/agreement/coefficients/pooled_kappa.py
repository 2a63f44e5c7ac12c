"""Pooled kappa (Scott's pi, Fleiss' kappa): chance from the grades of all assessors together."""

from __future__ import annotations

from numpy.typing import ArrayLike

from workbench.agreement.coefficients.coefficient import (
    NO_VARIATION,
    Coefficient,
    CoefficientValue,
    Sheet,
    Step,
    four,
    nobody,
    observed_disagreement,
    pooled_shares,
    shares_of_grades,
    terms,
)
from workbench.agreement.contingency import checked
from workbench.agreement.tally import Floats, Tally, sum_of_last
from workbench.agreement.weights import Weights


def pooled_kappa(table: ArrayLike) -> CoefficientValue:
    """kappa = (P(A) - P(E)) / (1 - P(E)) with P(E) = sum over the grades of ((row + column) / 2N) squared.

    `table` is square, rows the first assessor's grades, columns the second's. Whole numbers are divided once,
    at the end: the value is exact to the last bit, and P(E) = 1 is certain. Undefined where the table is
    empty or holds one grade only. Never above the unpooled kappa: P(E) pooled - P(E) unpooled = sum of
    ((row - column) / 2N) squared >= 0.
    Raises WorkbenchError for what is no table of counts.
    Source: Scott 1955 (pi); Siegel and Castellan 1988; Manning, Raghavan and Schuetze 2008, Table 8.2, worked
    here (the book prints 0.665 and 0.776):

    >>> kappa = pooled_kappa([[300, 20], [10, 70]])
    >>> print(f"{kappa.observed:.3f} {kappa.expected:.7f} {kappa.value:.6f}")
    0.925 0.6653125 0.775910
    """
    counts = checked(table)
    n = int(counts.sum())
    if n == 0:
        return nobody("pooled")
    both: list[int] = (counts.sum(axis=1) + counts.sum(axis=0)).tolist()
    agreed, chance, outof = int(counts.trace()), sum(count * count for count in both), (2 * n) ** 2
    if chance == outof:
        return CoefficientValue("pooled", agreed / n, 1.0, None, n, NO_VARIATION)
    value = (agreed * outof - chance * n) / (n * (outof - chance))
    return CoefficientValue("pooled", agreed / n, chance / outof, value, n)


class _PooledKappa(Coefficient):
    def disagreements(self, tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
        """Observed disagreement, and sum over k, l of v_kl p_k p_l.

        Pairs with one grade enter the shares, not what was observed. For two assessors on the same pairs this
        is Scott's pi. Source: Fleiss 1971; with missing grades and weights Gwet 2014.
        """
        p = shares_of_grades(tally)
        return observed_disagreement(tally), sum_of_last((p @ weights) * p)

    def chance_by_pair(self, shares: Floats, p: Floats, agreeing: Floats) -> tuple[float, Floats]:
        """The agreement of two grades drawn from all, and of one of the pair's with one of all."""
        return float(p @ agreeing @ p), shares @ (agreeing @ p)

    def steps(self, sheet: Sheet, found: CoefficientValue) -> tuple[Step, ...]:
        """Shares of the grades among all given, their squares, and the kappa."""
        p = sheet.shares
        if sheet.weighted:
            chance = terms([(2 * w, f"{four(p[k])} × {four(p[m])}") for k, m, w in sheet.apart()])
        else:
            chance = " + ".join(f"{four(share)}²" for share in p)
        return self.from_chance(sheet, found, pooled_shares(sheet), chance)


POOLED_KAPPA = _PooledKappa(
    name="pooled",
    label="Pooled kappa",
    heading="Pooled κ",
    plain="pooled",
    latex=r"Pooled $\kappa$",
    note="chance from one distribution for all",
    source="Scott 1955; Fleiss 1971; Siegel and Castellan 1988; with missing grades Gwet 2014",
    help="Report this one unless you have a reason not to: it counts different use of the grades as "
    "disagreement.",
    pairwise_mean=("Average pairwise pooled kappa", "Manning, Raghavan and Schuetze 2008, section 8.5"),
    linearised=True,
)
