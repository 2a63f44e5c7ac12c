"""Unpooled kappa (Cohen's, Conger's): chance from each assessor's own grades."""

from __future__ import annotations

from math import isfinite, prod
from statistics import NormalDist

import numpy as np

from workbench.agreement.coefficients.coefficient import (
    Coefficient,
    CoefficientValue,
    Sheet,
    Step,
    four,
    observed_disagreement,
    terms,
)
from workbench.agreement.contingency import Table
from workbench.agreement.intervals import CONSTANT, Interval, kappa_bounds, kappa_error
from workbench.agreement.tally import Floats, Tally, quotient, sum_of_last
from workbench.agreement.weights import Weights

# Grades by resample and assessor that are computed with at a time.
_CACHED = 2**16


class _UnpooledKappa(Coefficient):
    def disagreements(self, tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
        """Observed disagreement, and the mean, over every two assessors, of sum over k, l of v_kl p_gk p_hl.

        An assessor's shares are of all grades that he or she gave; one who gave none is left out. For two
        assessors on the same pairs this is Cohen's kappa, weighted or not. Conger writes the same sum with
        the mean and the variance of the shares.
        Source: Cohen 1960, 1968; Conger 1980; with missing grades Gwet 2014.
        """
        shape = tally.given.shape[:-2]
        several = tally.given.reshape(prod(shape), *tally.given.shape[-2:])
        # Of a crowd's resamples so many at a time as stay in a processor's cache: a quarter of the time.
        at_once = max(1, _CACHED // max(several[:1].size, 1))
        parts = [
            _by_chance(several[start : start + at_once], weights) for start in range(0, len(several), at_once)
        ]
        return observed_disagreement(tally), np.concatenate(parts).reshape(shape) if parts else np.zeros(
            shape
        )

    def table_interval(
        self, table: Table, weights: Weights, found: CoefficientValue, level: float
    ) -> Interval | None:
        """The interval from the large-sample error of Cohen's kappa."""
        error = kappa_error(table, weights)
        if found.value is None or error is None or not isfinite(error):
            return None
        name = "large-sample error over pairs, Fleiss, Cohen and Everitt 1969"
        if error <= 1e-12:
            return Interval(None, None, level, name, int(table.sum()), undefined=CONSTANT)
        low, high = kappa_bounds(found.value, NormalDist().inv_cdf((1 + level) / 2) * error)
        return Interval(low, high, level, name, int(table.sum()))

    def steps(self, sheet: Sheet, found: CoefficientValue) -> tuple[Step, ...]:
        """Each assessor's shares of the grades, their products, and the kappa."""
        first, second = sheet.rows / sheet.n, sheet.columns / sheet.n
        shares = tuple(
            Step(
                f"Share of “{label}”",
                f"{int(row):,} and {int(column):,} of {sheet.n:,}",
                f"{four(one)} and {four(other)}",
            )
            for label, row, column, one, other in zip(
                sheet.labels, sheet.rows, sheet.columns, first, second, strict=True
            )
        )
        if sheet.weighted:
            weighted = [
                (w, f"({four(first[k])} × {four(second[m])} + {four(first[m])} × {four(second[k])})")
                for k, m, w in sheet.apart()
            ]
            chance = terms(weighted)
        else:
            chance = " + ".join(f"{four(a)} × {four(b)}" for a, b in zip(first, second, strict=True))
        return self.from_chance(sheet, found, shares, chance)


def _by_chance(given: Floats, weights: Weights) -> Floats:
    """The disagreement by chance from how often assessors gave each grade (several, assessors, q)."""
    total = sum_of_last(given)[..., np.newaxis]
    took_part = total[..., 0] > 0
    p = quotient(given, total)
    r = np.count_nonzero(took_part, axis=-1)
    # Assessor after assessor, each a long row of all that there are.
    sums = np.ascontiguousarray(np.moveaxis(p, 0, -1)).sum(axis=0).T
    everyone = sum_of_last((sums @ weights) * sums)
    # One product of long rows: of many small matrices each would be a call of its own.
    weighed = (p.reshape(-1, p.shape[-1]) @ weights).reshape(p.shape)
    oneself = sum_of_last(weighed * p, 2)
    # Of the r squared products the r with oneself are no two assessors.
    two = np.maximum(r * (r - 1), 1)
    found: Floats = np.maximum(everyone - oneself, 0.0) / two
    return found


UNPOOLED_KAPPA = _UnpooledKappa(
    name="unpooled",
    label="Unpooled kappa",
    heading="Unpooled κ",
    plain="unpooled",
    latex=r"Unpooled $\kappa$",
    note="chance from each assessor's own grades",
    source="Cohen 1960, 1968; Conger 1980",
    help="For comparison with papers that report Cohen's kappa: it does not penalise an assessor for giving "
    "a grade more often than another.",
    pairwise_mean=("Light's kappa: average pairwise unpooled kappa", "Light 1971"),
)
