"""Observed agreement: on what share of the pairs two assessors gave the same grade."""

from __future__ import annotations

from workbench.agreement.coefficients.coefficient import (
    Coefficient,
    CoefficientValue,
    observed_disagreement,
)
from workbench.agreement.contingency import Table
from workbench.agreement.intervals import Interval, share_interval
from workbench.agreement.tally import Floats, Tally
from workbench.agreement.weights import Weights


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
