"""The registry of the coefficients of agreement, and all but alpha.

To add a coefficient: write a module with a subclass of `Coefficient` that has `disagreements` (the formula
for any number of assessors) and an instance of it with its names, note, source and help; name the instance
in COEFFICIENTS below. The reports, pages, commands, exports, help and laws read this registry alone.
`steps` (the calculation shown for two), `chance_by_pair` or `table_interval` (an analytic interval) and
`on_scale` (other names on other scales) are there where a coefficient has them; the pooled kappa is one to
copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite, prod
from statistics import NormalDist
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.alpha import ALPHA
from workbench.agreement.coefficient import (
    NO_VARIATION,
    Coefficient,
    CoefficientValue,
    Sheet,
    Shown,
    Step,
    four,
    nobody,
    observed_disagreement,
    pooled_shares,
    shares_of_grades,
    terms,
    value_of,
)
from workbench.agreement.intervals import CONSTANT, Interval, kappa_bounds, kappa_error, share_interval
from workbench.agreement.ratings import Ratings, Table, checked
from workbench.agreement.tally import Floats, Tally, quotient, sum_of_last, tally
from workbench.agreement.weights import Weights, weights_of
from workbench.errors import WorkbenchError

# Grades by resample and assessor that unpooled kappa computes with at a time.
_CACHED = 2**16


class _Observed(Coefficient):
    def disagreements(self, tally: Tally, weights: Weights) -> tuple[Floats, None]:
        """Observed disagreement alone: the mean over doubly judged pairs."""
        return observed_disagreement(tally), None

    def table_interval(
        self, table: Table, weights: Weights, found: CoefficientValue, level: float
    ) -> Interval | None:
        """Wilson's interval, where pairs agree wholly or not at all."""
        n = int(table.sum())
        if not n or 0 < weights[weights > 0].min(initial=1.0) < 1:
            return None
        low, high = share_interval(int(table.trace()), n, level=level)
        return Interval(low, high, level, "Wilson 1927, over pairs", n)


OBSERVED = _Observed(
    name="observed",
    label="Observed agreement",
    heading="Observed",
    plain="observed",
    latex="Observed",
    note="not corrected for chance",
    source="mean over doubly judged pairs",
    help="The share of pairs with equal grades; report it beside a coefficient that corrects for chance.",
    symbol="Observed",
    chance_corrected=False,
    pairwise_mean=("Average pairwise agreement", "mean over every two assessors"),
)


def pooled_kappa(table: ArrayLike) -> CoefficientValue:
    """kappa = (P(A) - P(E)) / (1 - P(E)) with P(E) = sum over the grades of ((row + column) / 2N) squared.

    Of one table, as books work it out; a campaign's is `_PooledKappa`, over the tables of all topics. `table`
    is square, rows the first assessor's grades, columns the second's. Whole numbers are divided once, at the
    end: the value is exact to the last bit, and P(E) = 1 is certain. Undefined where the table is empty or
    holds one grade only. Never above the unpooled kappa: P(E) pooled - P(E) unpooled = sum of
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


class _Gwet(Coefficient):
    def disagreements(self, tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
        """Observed disagreement, and 1 - T sum of p_k (1 - p_k) / (q (q - 1)), T the sum of agreements.

        AC1 where every two grades disagree wholly, else AC2. A scale of one grade leaves nothing to chance:
        the expected disagreement is 0 then. Source: Gwet 2008, 2014.
        """
        p, q = shares_of_grades(tally), len(weights)
        observed = observed_disagreement(tally)
        if q < 2:
            return observed, np.zeros_like(observed)
        agreeing = q * q - weights.sum()
        return observed, 1.0 - agreeing * sum_of_last(p * (1.0 - p)) / (q * (q - 1))

    def on_scale(
        self, categories: Sequence[int], *, weights: str = "nominal", level: str = "nominal"
    ) -> Self:
        """AC2 where grades are weighted, else AC1."""
        name = "AC2" if weights != "nominal" and len(categories) > 2 else "AC1"
        return replace(self, label=f"Gwet's {name}", heading=name, plain=name, latex=name)

    def chance_by_pair(self, shares: Floats, p: Floats, agreeing: Floats) -> tuple[float, Floats]:
        """Chance agreement and a pair's contribution, linear in the pair's shares."""
        q = len(p)
        factor = float(agreeing.sum()) / max(q * (q - 1), 1)
        return factor * float((p * (1 - p)).sum()), factor * (shares @ (1 - p))

    def steps(self, sheet: Sheet, found: CoefficientValue) -> tuple[Step, ...]:
        """Shares of the grades, how far each is from certain, and AC."""
        q = len(sheet.labels)
        chance = " + ".join(f"{four(share)} × {four(1 - share)}" for share in sheet.shares)
        if sheet.weighted:
            agreeing = q * q - float(sheet.weights.sum())
            chance = f"1 − {agreeing:.2f} × ({chance}) / ({q} × {q - 1})"
        elif q != 2:
            chance = f"({chance}) / {q - 1}"
        return self.from_chance(sheet, found, pooled_shares(sheet), chance)


GWET = _Gwet(
    name="gwet",
    label="Gwet's AC",
    heading="AC",
    plain="AC",
    latex="AC",
    note="chance only where a grade is given at random",
    source="Gwet 2008 (AC1), 2014 (AC2, where grades are weighted)",
    help="Where one grade is so common that kappa is low in spite of high agreement.",
    symbol="AC",
    linearised=True,
)


class _Uniform(Coefficient):
    def disagreements(self, tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
        """Observed disagreement, and the mean weight of two grades drawn from the q of the declared scale.

        With two grades 2 P(A) - 1, known as PABAK. Source: Bennett, Alpert and Goldstein 1954; Brennan and
        Prediger 1981; Randolph 2005 for several assessors; Byrt, Bishop and Carlin 1993 for PABAK.
        """
        observed = observed_disagreement(tally)
        return observed, np.full_like(observed, weights.mean())

    def on_scale(
        self, categories: Sequence[int], *, weights: str = "nominal", level: str = "nominal"
    ) -> Self:
        """PABAK where there are two grades."""
        return replace(self, label="S (PABAK)" if len(categories) == 2 else "S")

    def chance_by_pair(self, shares: Floats, p: Floats, agreeing: Floats) -> tuple[float, Floats]:
        """The same chance for every pair."""
        chance = float(agreeing.mean())
        return chance, np.full(len(shares), chance)

    def least(self, chance: float) -> float:
        """What it is where nobody agrees: the same chance in every sample; of two grades -1 too."""
        return -chance / (1 - chance)

    def steps(self, sheet: Sheet, found: CoefficientValue) -> tuple[Step, ...]:
        """One in the number of grades, and S."""
        q = len(sheet.labels)
        chance = f"{float(sheet.weights.sum()):.2f} / {q * q}" if sheet.weighted else f"1 / {q}"
        return self.from_chance(sheet, found, (), chance)


UNIFORM = _Uniform(
    name="uniform",
    label="S (PABAK where binary)",
    heading="S",
    plain="S",
    latex="S",
    note="chance as if every grade were equally likely",
    source="Bennett, Alpert and Goldstein 1954; Brennan and Prediger 1981; Randolph 2005",
    help="What the same agreement would be worth were all grades equally common.",
    symbol="S",
    shown=Shown.IN_FULL,
    linearised=True,
)


COEFFICIENTS: dict[str, Coefficient] = {
    coefficient.name: coefficient
    for coefficient in (
        OBSERVED,
        POOLED_KAPPA,
        UNPOOLED_KAPPA,
        ALPHA,
        GWET,
        UNIFORM,
    )
}
"""Every coefficient by name, in the order of reports."""


def shown_in(table: Shown) -> tuple[Coefficient, ...]:
    """The coefficients that have a column in such tables."""
    return tuple(one for one in COEFFICIENTS.values() if one.shown >= table)


def coefficients_on(
    categories: Sequence[int], *, weights: str = "nominal", level: str = "nominal"
) -> tuple[Coefficient, ...]:
    """Every coefficient as it is on a scale, with weights by name and a level of measurement."""
    # Of two grades every level says the same; the nominal one is written in shares.
    chosen = "nominal" if len(categories) == 2 else level
    return tuple(one.on_scale(categories, weights=weights, level=chosen) for one in COEFFICIENTS.values())


def coefficient_named(name: str) -> Coefficient:
    """A coefficient by name; raises WorkbenchError where there is none."""
    if name not in COEFFICIENTS:
        raise WorkbenchError(
            f"there is no coefficient {name!r}", remedy=f"choose one of {', '.join(COEFFICIENTS)}"
        )
    return COEFFICIENTS[name]


def coefficient_value(
    ratings: Ratings, name: str, *, weights: str | ArrayLike = "nominal"
) -> CoefficientValue:
    """One coefficient of some ratings; `n` counts the pairs that two assessors or more judged.

    Raises WorkbenchError for a coefficient or weights that do not exist.
    """
    chosen = weights_of(weights, ratings.categories)
    return value_of(coefficient_named(name), tally(ratings, chosen).total(), chosen)
