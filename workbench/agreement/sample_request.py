"""TODO."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.agreement.weights import WEIGHTS, Weights
from workbench.errors import Finding, InvalidInput

COEFFICIENTS = ("pooled", "unpooled", "alpha", "gwet")


WEIGHTINGS = ("nominal", "linear", "quadratic")


@dataclass(frozen=True, slots=True)
class Target:
    """A coefficient by its method, and the weights of the grades; raises InvalidInput for another.

    Krippendorff's alpha with quadratic weights is that of interval data.
    """

    method: str = "pooled"
    weights: str = "nominal"

    def __post_init__(self) -> None:
        findings = [
            Finding("Sample", None, code, f"{given!r} is no {what}", f"one of {', '.join(there)}")
            for code, given, there, what in (
                ("coefficient", self.method, COEFFICIENTS, "coefficient to plan for"),
                ("weights", self.weights, WEIGHTINGS, "weights to plan with"),
            )
            if given not in there
        ]
        if findings:
            raise InvalidInput(findings)

    @property
    def label(self) -> str:
        """What it is called within a sentence."""
        weighted = self.weights != "nominal"
        if self.method == "gwet":
            return f"Gwet's AC2 with {self.weights} weights" if weighted else "Gwet's AC1"
        name = "Krippendorff's alpha" if self.method == "alpha" else f"{self.method} kappa"
        return f"{name} with {self.weights} weights" if weighted else name

    def weights_of(self, grades: int) -> Weights:
        """How far every two of so many grades disagree; shape (grades, grades)."""
        return WEIGHTS[self.weights](grades)
