"""What enters, made from grades by assessor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.agreement.several.answers import Voice, answers_of
from workbench.agreement.several.entering import Entering, entering


def entered(
    grades: Mapping[str, Sequence[int | None]],
    *,
    scale: Sequence[int] = (0, 1),
    topics: int = 1,
    machines: Sequence[str] = (),
    **how: Any,
) -> Entering:
    """Grades of documents d0, d1, ... by assessor; None is not judged. Documents go to the topics in turn."""
    voices = [Voice(name, name in machines) for name in grades]
    said = [
        (number, f"t{at % topics}", f"d{at:05}", grade)
        for number, row in enumerate(grades.values())
        for at, grade in enumerate(row)
        if grade is not None
    ]
    return entering(answers_of(voices, said), scale, **{"relevant_from": 1, **how})


def columns(table: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    """The grades of two assessors from their table of relevant (first) and not."""
    (both, first), (second, neither) = table
    return {
        "first": [1] * both + [1] * first + [0] * second + [0] * neither,
        "second": [1] * both + [0] * first + [1] * second + [0] * neither,
    }
