"""Gwet's AC1 and AC2: chance only where a grade is given at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from workbench.agreement.coefficients.coefficient import (
    Coefficient,
    CoefficientValue,
    Sheet,
    Step,
    four,
    observed_disagreement,
    pooled_shares,
    shares_of_grades,
)
from workbench.agreement.tally import Floats, Tally, sum_of_last
from workbench.agreement.weights import Weights


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
