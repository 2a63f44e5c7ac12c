"""A consensus rule: what it knows of the pairs, the parameters it needs, the outcome of each pair."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass

if TYPE_CHECKING:
    from workbench.consensus.votes import TableOutcome

Pair = tuple[str, str]
"""A topic and a docno."""
Grades = Mapping[str, int]
"""The grades of one pair by assessor."""

LARGEST = 100_000
"""The highest grade that scorers accept, and so the highest relevance threshold."""


@frozen_dataclass
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
            raise WorkbenchError(
                f'{self.name} cannot be "{value}"', remedy=f"choose one of {', '.join(values)}"
            )
        if self.number and not (value.isascii() and value.isdecimal() and 1 <= int(value) <= LARGEST):
            raise WorkbenchError(f'{self.name} cannot be "{value}"', remedy="use a whole number of 1 or more")
        return value


@frozen_dataclass
class Rule:
    """A rule as the registry, the forms and the help know it.

    `settle` takes the grades of one pair and the parameters by keyword and returns a grade, or None, which
    `unsettled` explains. A rule that needs all pairs at once, or is to be fast, has `settle_table` instead:
    it takes a `votes.VoteTable` and says in arrays what becomes of its pairs. `soft` rules make no whole
    grades, and so no qrels; `slow` ones take seconds on a large collection; `adjudicated` ones use the
    adjudicators' decisions themselves. A rule with a `threshold` has a scale of its own: it takes the lowest
    relevant grade of an assessor and the parameters, and returns the lowest relevant grade of the rule.
    """

    name: str
    label: str
    help: str
    source: str
    settle: Callable[..., int | None] | None = None
    unsettled: str = ""
    parameters: tuple[RuleParameter, ...] = ()
    soft: bool = False
    slow: bool = False
    adjudicated: bool = False
    threshold: Callable[[int, Mapping[str, str]], int] | None = None
    settle_table: Callable[..., TableOutcome] | None = None

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


def share_of(grade: int, grades: Grades) -> float:
    """The share of the assessors, one or more, who gave this grade."""
    return sum(given == grade for given in grades.values()) / len(grades)
