"""What rules have to be told; forms, options and error texts are made from it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a rule has to be told: its choices where they are few, its default where it has one.

    `choices` pair each value with what it means. A `number` is a whole one of at least 1; without choices and
    number the value is the name of an assessor. A default of None must be given unless `optional`.
    """

    name: str
    label: str
    help: str
    choices: tuple[tuple[str, str], ...] = ()
    default: str | None = None
    number: bool = False
    optional: bool = False

    def accept(self, value: str) -> str:
        """The value if it can be one; raises WorkbenchError."""
        values = [choice for choice, _ in self.choices]
        if values and value not in values:
            raise WorkbenchError(f'{self.name} cannot be "{value}"', remedy=f"one of {', '.join(values)}")
        if self.number and not (value.isascii() and value.isdecimal() and 1 <= int(value) <= LARGEST):
            raise WorkbenchError(f'{self.name} cannot be "{value}"', remedy="a whole number, 1 or more")
        return value


LARGEST = 100_000
"""The highest grade that scorers take, and so the highest line of relevance."""

TIES = Parameter(
    "ties",
    "Ties of the majority",
    "what becomes of equally frequent grades",
    choices=(
        ("none", "no line, left to an adjudicator"),
        ("lower", "the lower grade"),
        ("higher", "the higher grade"),
    ),
    default="none",
)
ASSESSOR = Parameter("assessor", "Whose grades", "whose grades are taken")
LINE = Parameter(
    "line",
    "Relevant from a sum of",
    "the lowest sum that counts as relevant; the scale's own line if not given",
    number=True,
    optional=True,
)
BINARY = Parameter(
    "binary",
    "Grades of the sum",
    "whether the sums themselves or only their side of the line become grades",
    choices=(("no", "the sum itself"), ("yes", "1 from the line on, 0 below")),
    default="no",
)
FEWER = Parameter(
    "fewer",
    "Pairs that fewer assessors graded",
    "what becomes of pairs that fewer assessors graded than others, whose sums cannot be as high",
    choices=(("leave", "no line, since their sums mean less"), ("sum", "the sum of what there is")),
    default="leave",
)
