"""A consensus rule: what it knows of the pairs, the parameters it needs, the outcome of each pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    from workbench.consensus.votes import TableOutcome

Pair = tuple[str, str]
"""A topic and a docno."""
Grades = Mapping[str, int]
"""The grades of one pair by assessor."""

LARGEST = 100_000
"""The highest grade that scorers accept, and so the highest relevance threshold."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a rule may use: who gave which grade to which pair, and what adjudicators decided.

    Every pair of `graded` has one grade or more; `decided` may have pairs that nobody graded.
    `relevant_from` is the lowest grade of an assessor that counts as relevant.
    """

    graded: Mapping[Pair, Grades]
    decided: Mapping[Pair, int] = field(default_factory=dict)
    relevant_from: int = 1


@dataclass(frozen=True, slots=True)
class Settled:
    """The grade of a pair and its confidence, from 0 to 1.

    The confidence is the share of the assessors who gave this grade, for a sum the share on its side of the
    relevance threshold, for a model the probability. `adjudicated` grades are an adjudicator's.
    """

    grade: int
    confidence: float
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """A pair that a rule leaves without a grade, and why."""

    reason: str


Outcome = Settled | Left


@dataclass(frozen=True, slots=True)
class RuleParameter:
    """A parameter of a rule: its choices where they are few, its default where it has one.

    `choices` pair each value with its meaning. A `number` is a whole one of at least 1; without choices and
    number the value is the name of an assessor. Without a default it must be given, unless `optional`.
    """

    name: str
    label: str
    help: str
    choices: tuple[tuple[str, str], ...] = ()
    default: str | None = None
    number: bool = False
    optional: bool = False

    def accept(self, value: str) -> str:
        """The value if it is valid; raises WorkbenchError."""
        values = [choice for choice, _ in self.choices]
        if values and value not in values:
            raise WorkbenchError(f'{self.name} cannot be "{value}"', remedy=f"one of {', '.join(values)}")
        if self.number and not (value.isascii() and value.isdecimal() and 1 <= int(value) <= LARGEST):
            raise WorkbenchError(f'{self.name} cannot be "{value}"', remedy="a whole number, 1 or more")
        return value


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as the registry, the forms and the help know it.

    `settle` takes the grades of one pair and the parameters by keyword and returns a grade, or None, which
    `unsettled` explains. A rule that needs all pairs at once has `settle_all` instead: it takes the evidence
    and returns an outcome for every pair. `soft` rules make no whole grades, and so no qrels; `slow` ones
    take seconds on a large collection; `adjudicated` ones use the adjudicators' decisions themselves. A rule
    with a `threshold` has a scale of its own: it takes the lowest relevant grade of an assessor and the
    parameters, and returns the lowest relevant grade of the rule.

    `settle_table` gives the same for all pairs of a `votes.VoteTable`, in arrays; every rule that makes
    whole grades has it, or could not be compared with others.
    """

    name: str
    label: str
    help: str
    source: str
    settle: Callable[..., int | None] | None = None
    unsettled: str = ""
    parameters: tuple[RuleParameter, ...] = ()
    settle_all: Callable[..., Mapping[Pair, Outcome]] | None = None
    soft: bool = False
    slow: bool = False
    adjudicated: bool = False
    threshold: Callable[[int, Mapping[str, str]], int] | None = None
    settle_table: Callable[..., TableOutcome | None] | None = None

    @property
    def for_the_rest(self) -> bool:
        """Whether it can settle the pairs that no adjudicator decided: whole grades of the scale itself."""
        return not (self.soft or self.own_scale or self.adjudicated)

    @property
    def own_scale(self) -> bool:
        """Whether its grades are on another scale than the assessors'."""
        return self.threshold is not None

    def relevant_from(self, of_assessors: int, values: Mapping[str, str]) -> int:
        """The lowest relevant grade of what the rule gives, from that of the assessors and its parameters."""
        return of_assessors if self.threshold is None else self.threshold(of_assessors, values)

    def outcomes(self, evidence: Evidence, **parameters: str) -> Mapping[Pair, Outcome]:
        """A grade with its confidence for every pair that is graded or decided, or why there is none.

        Raises WorkbenchError for a rule that makes no whole grades.
        """
        if self.settle_all is not None:
            return self.settle_all(evidence, **parameters)
        if self.settle is None:
            raise WorkbenchError(
                f'the rule "{self.name}" gives fractions, and qrels need whole grades',
                remedy="export soft labels, or use a median for qrels",
            )
        found: dict[Pair, Outcome] = {}
        for pair, grades in evidence.graded.items():
            grade = self.settle(grades, **parameters)
            found[pair] = Left(self.unsettled) if grade is None else Settled(grade, share_of(grade, grades))
        return found


def share_of(grade: int, grades: Grades) -> float:
    """The share of the assessors who gave this grade; 0 where nobody gave any."""
    return sum(given == grade for given in grades.values()) / len(grades) if grades else 0.0
