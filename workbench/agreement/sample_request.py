"""What the overlap planner is asked: one record, and the table of options that fills it.

`OPTIONS` says of every option what it is called in an address and a form, in the terminal, and in words. The
page, its address and the commands read the table; to add an option, add a field to `PlanRequest` and a row
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.coefficients.coefficient import Shown
from workbench.agreement.weights import WEIGHTS, Weights
from workbench.errors import Finding, InvalidInput

HALF_WIDTH = 0.05
LEVEL = 0.95
MOST_ASSESSORS = 10


def _in_a_sentence(label: str) -> str:
    """A label within a sentence, where only the name of a person or an abbreviation has a capital."""
    return label if "'" in label or label[1:2].isupper() else label[:1].lower() + label[1:]


PLANNED = {
    one.name: _in_a_sentence(one.label)
    for one in COEFFICIENTS.values()
    if one.chance_corrected and one.shown >= Shown.OF_PAIRS
}
"""The labels of the coefficients for which an overlap can be planned: those that correct for chance, but for
the ones that are listed only in full."""
WEIGHTINGS = ("nominal", "linear", "quadratic")


@dataclass(frozen=True, slots=True)
class Target:
    """The coefficient to estimate and the weights of the grades; raises InvalidInput for an unknown one.

    Krippendorff's alpha with quadratic weights is that of interval data.
    """

    method: str = "pooled"
    weights: str = "nominal"

    def __post_init__(self) -> None:
        findings = [
            Finding("Sample", None, code, f"{given!r} is no {what}", f"one of {', '.join(known)}")
            for code, given, known, what in (
                ("coefficient", self.method, PLANNED, "coefficient to plan for"),
                ("weights", self.weights, WEIGHTINGS, "weights to plan with"),
            )
            if given not in known
        ]
        if findings:
            raise InvalidInput(findings)

    @property
    def label(self) -> str:
        """What it is called within a sentence."""
        weighted = self.weights != "nominal"
        if self.method == "gwet":
            return f"Gwet's AC2 with {self.weights} weights" if weighted else "Gwet's AC1"
        name = PLANNED[self.method]
        return f"{name} with {self.weights} weights" if weighted else name

    def weights_of(self, grades: int) -> Weights:
        """The disagreement of every two of so many grades; shape (grades, grades)."""
        return WEIGHTS[self.weights](grades)


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Which coefficient is to be known how well, and what is expected; None is estimated from the judgments.

    The interval has the `half_width` at the confidence `level`. So many `assessors` judge each pair, the
    first one among them; each of the others leaves out a share `non_response` of the pairs. `kappa` is the
    pooled kappa of any two assessors, `shares` are the shares of the grades, highest first, `icc` is the
    intraclass correlation of the pairs of a topic, of which there are `topic_size` on average. Grades are
    compared as relevant (from `relevant_from` on) or not unless `graded`. `seed` is that of the simulation.
    """

    half_width: float = HALF_WIDTH
    level: float = LEVEL
    target: Target = Target()
    assessors: int = 2
    non_response: float = 0.0
    kappa: float | None = None
    shares: tuple[float, ...] | None = None
    icc: float | None = None
    topic_size: float = 1.0
    relevant_from: int | None = None
    graded: bool = False
    seed: int = 1

    @property
    def others(self) -> int:
        """How many judge a pair besides the first."""
        return self.assessors - 1


class OptionKind(StrEnum):
    """What is typed for an option."""

    NUMBER = "number"
    COUNT = "count"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class PlanOption:
    """An option of the planner: its name in addresses and forms, its flag in the terminal, and its words.

    `label` and `hint` are those of the form, `help` that of the command; `what` names it in an error.
    """

    kind: OptionKind
    address: str
    flag: str
    label: str
    help: str
    hint: str = ""
    what: str = ""
    default: Any = None
    choices: tuple[str, ...] = ()


OPTIONS: Mapping[str, PlanOption] = {
    "half_width": PlanOption(
        OptionKind.NUMBER,
        "half_width",
        "--half-width",
        "Half width",
        "Half width of the interval: 0.05 for ± 0.05.",
        hint="0.05 for ± 0.05",
        what="the half width",
        default=HALF_WIDTH,
    ),
    "level": PlanOption(
        OptionKind.NUMBER,
        "level",
        "--level",
        "Confidence level",
        "Confidence level of the interval.",
        what="the level",
        default=LEVEL,
    ),
    "assessors": PlanOption(
        OptionKind.COUNT,
        "assessors",
        "--assessors",
        "Assessors per pair",
        "Assessors per pair, including the first.",
        hint="including the first",
        default=2,
    ),
    "coefficient": PlanOption(
        OptionKind.CHOICE,
        "coefficient",
        "--coefficient",
        "Coefficient",
        "Coefficient to estimate.",
        default="pooled",
        choices=(*PLANNED,),
    ),
    "weights": PlanOption(
        OptionKind.CHOICE,
        "weights",
        "--weights",
        "Weights",
        "Weights of the disagreement between grades.",
        default="nominal",
        choices=WEIGHTINGS,
    ),
    "non_response": PlanOption(
        OptionKind.NUMBER,
        "missing",
        "--missing",
        "Expected non-response",
        "Share of the judgments requested of the other assessors that is expected not to arrive.",
        hint="0.1 or 10% of the requested judgments; empty: none",
        what="the expected non-response",
        default=0.0,
    ),
    "kappa": PlanOption(
        OptionKind.NUMBER,
        "kappa",
        "--kappa",
        "Pooled kappa of two assessors",
        "Expected pooled kappa of any two assessors.",
        hint="the other coefficients follow from it",
        what="kappa",
    ),
    "shares": PlanOption(
        OptionKind.NUMBER,
        "prevalence",
        "--shares",
        "Share relevant",
        "Shares of the grades, highest first, as '0.1 0.2 0.7'; for relevant or not the first suffices.",
        hint="0.2 or 20%; for relevant or not only",
        what="the share of relevant",
    ),
    "icc": PlanOption(
        OptionKind.NUMBER,
        "likeness",
        "--likeness",
        "Intra-topic correlation",
        "Intraclass correlation of the pairs of one topic, 0 to 1; 0: topics do not differ.",
        hint="0 = topics do not differ, 1 = all pairs of a topic are the same",
        what="the intra-topic correlation",
    ),
    "topic_size": PlanOption(
        OptionKind.NUMBER, "", "--topic-size", "Pairs per topic", "Pairs per topic, on average.", default=1.0
    ),
    "seed": PlanOption(OptionKind.COUNT, "", "--seed", "Seed", "Random seed of the simulation.", default=1),
}
ADDRESS = (*(one.address for one in OPTIONS.values() if one.address), "from", "graded")
"""The names under which an address or a form has the options and the grades that are compared."""


def plan_request(given: Mapping[str, Any]) -> PlanRequest:
    """The request from options by name, as typed and parsed; what is not given or None has its default.

    Raises InvalidInput for a coefficient or weights that are unknown.
    """
    values = {name: value for name, value in given.items() if value is not None}
    target = Target(values.pop("coefficient", "pooled"), values.pop("weights", "nominal"))
    return PlanRequest(target=target, **values)
