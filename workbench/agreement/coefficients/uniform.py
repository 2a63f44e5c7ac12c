"""S (PABAK where binary): chance from the number of grades alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Self

import numpy as np

from workbench.agreement.coefficients.coefficient import (
    Coefficient,
    CoefficientValue,
    Sheet,
    Shown,
    Step,
    observed_disagreement,
)
from workbench.agreement.tally import Floats, Tally
from workbench.agreement.weights import Weights


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
