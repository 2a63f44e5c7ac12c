"""Krippendorff's alpha: disagreement within pairs against disagreement between all grades given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from workbench.agreement.coefficient import (
    Coefficient,
    CoefficientValue,
    Sheet,
    Shown,
    Step,
    four,
    result,
    terms,
    value_of,
)
from workbench.agreement.ratings import Ratings
from workbench.agreement.tally import Floats, Tally, quotient, sum_of_last, tally
from workbench.agreement.weights import Weights, nominal
from workbench.errors import WorkbenchError

Differences = Callable[[Floats], Floats]
"""Squared differences of every two grades (..., q, q) from how often each was given (..., q)."""


LEVELS: Mapping[str, str] = {
    "nominal": "grades are equal or not",
    "ordinal": "grades have an order",
    "interval": "grades are equally far apart",
    "ratio": "grades are counted from a true zero",
}

BY_WEIGHTS = "weights"
"""Instead of a level: grades differ by the weights of the other coefficients (Gwet 2014)."""


def alpha(ratings: Ratings, level: str = "ordinal") -> CoefficientValue:
    """Krippendorff's alpha over the pairs that two assessors or more judged, for a level of measurement.

    Raises WorkbenchError for another level, and for `ratio` where a grade is negative.
    Source: Krippendorff 2011.
    """
    weights = nominal(len(ratings.categories))
    total = tally(ratings, weights, by_assessor=False).total()
    at_level = replace(ALPHA, differences=level_of(level, ratings.categories), in_shares=level == "nominal")
    return value_of(at_level, total, weights)


def level_of(level: str, categories: Sequence[int]) -> Differences:
    """The squared differences of a level of measurement, over the grades of the declared scale in order.

    nominal: 1; ordinal: how many grades given lie between, the ends half; interval: (k - l)^2; ratio:
    ((k - l) / (k + l))^2. Raises WorkbenchError for another level, and for ratio with negative grades.
    Source: Krippendorff 2011.
    """
    if level == "nominal":
        return lambda _: nominal(len(categories))
    if level == "ordinal":
        return _ordinal_of(categories)
    values = np.asarray(categories, dtype=np.float64)
    apart = np.subtract.outer(values, values)
    if level == "interval":
        return lambda _: apart**2
    if level == "ratio":
        if (values < 0).any():
            raise WorkbenchError("a ratio scale has no negative grades", remedy="choose interval")
        sums = np.add.outer(values, values)
        ratio = quotient(apart, sums)
        return lambda _: ratio**2
    raise WorkbenchError(f"there is no level {level!r}", remedy=f"choose one of {', '.join(LEVELS)}")


def _ordinal_of(categories: Sequence[int]) -> Differences:
    """The squared differences of ordinal grades, which are the same read from either end of the scale."""
    ascending = sorted(categories)
    if list(categories) in (ascending, ascending[::-1]):
        return _ordinal
    order = np.argsort(categories)
    back = np.argsort(order)
    return lambda given: _ordinal(given[..., order])[..., back, :][..., back]


def _ordinal(given: Floats) -> Floats:
    """(n_k / 2 + all between + n_l / 2) squared, for grades in the order of their scale."""
    up_to = np.cumsum(given, axis=-1)
    middle = up_to - given / 2
    apart = middle[..., :, np.newaxis] - middle[..., np.newaxis, :]
    return apart**2


@dataclass(frozen=True)
class _Alpha(Coefficient):
    """Alpha of the differences of a level; of the weights, as for nominal data, where there are none."""

    differences: Differences | None = None

    def disagreements(self, tally: Tally, weights: Weights) -> tuple[Floats, Floats]:
        """D_o = sum of o_kl v_kl / n and D_e = sum of n_k n_l v_kl / (n (n - 1)), v the differences.

        Only pairs with two grades or more count. Nominal weights give alpha for nominal, quadratic for
        interval data. Source: Krippendorff 2011.
        """
        given = sum_of_last(tally.coincidences)
        n = sum_of_last(given)
        delta = weights if self.differences is None else self.differences(given)
        observed = sum_of_last(tally.coincidences * delta, 2) / n
        products = given[..., :, np.newaxis] * given[..., np.newaxis, :]
        return observed, sum_of_last(products * delta, 2) / (n * (n - 1))

    def on_scale(
        self, categories: Sequence[int], *, weights: str = "nominal", level: str = "nominal"
    ) -> Self:
        """Alpha of the level; of two grades every level says the same, and the nominal one is in shares."""
        if len(categories) == 2:
            return replace(self, differences=level_of("nominal", categories))
        if level == BY_WEIGHTS:
            return replace(self, label=f"{self.label}, {weights} weights")
        return replace(
            self,
            label=f"{self.label}, {level}",
            differences=level_of(level, categories),
            in_shares=level == "nominal",
        )

    def steps(self, sheet: Sheet, found: CoefficientValue) -> tuple[Step, ...]:
        """How often each grade was given, the disagreement observed and expected, and alpha."""
        given = sheet.rows + sheet.columns
        counts = tuple(
            Step(f"“{label}” given", f"{int(row):,} + {int(column):,}", f"{int(row + column):,}")
            for label, row, column in zip(sheet.labels, sheet.rows, sheet.columns, strict=True)
        )
        apart = replace(sheet, weights=self.differences(given)) if self.differences else sheet
        # The unit of the differences cancels; the largest is 1 in what is shown.
        largest = float(apart.weights.max()) or 1.0
        pairs = [(k, m, w / largest) for k, m, w in apart.apart()]
        n = int(given.sum())
        observed = sum(w * (sheet.table[k, m] + sheet.table[m, k]) for k, m, w in pairs) / sheet.n
        expected = 2 * sum(w * given[k] * given[m] for k, m, w in pairs) / (given.sum() * (given.sum() - 1))
        both = terms([(w, f"{int(sheet.table[k, m] + sheet.table[m, k]):,}") for k, m, w in pairs])
        drawn = terms([(w, f"{int(given[k]):,} × {int(given[m]):,}") for k, m, w in pairs])
        return (
            *counts,
            Step("Observed disagreement", f"({both}) / {sheet.n:,}", four(observed)),
            Step("Expected disagreement", f"2 × ({drawn}) / ({n:,} × {n - 1:,})", four(expected)),
            Step(self.symbol, f"1 − {four(observed)} / {four(expected)}", result(found), final=True),
        )


ALPHA = _Alpha(
    name="alpha",
    label="Krippendorff's alpha",
    heading="α",
    plain="alpha",
    latex=r"$\alpha$",
    note="chance from all grades given; expected agreement drawn without replacement",
    source="Krippendorff 2011",
    help="For grades on an ordinal, interval or ratio scale, and for many assessors with missing judgments.",
    symbol="Alpha",
    shown=Shown.OF_PAIRS,
)
