"""The grades of some qrels for people: their names and colours, whether they are the scale's or sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.records import Scale


@dataclass(frozen=True, slots=True)
class GradeRow:
    """So many lines of a grade; `weight` 0 to 3 is how strongly it is coloured."""

    value: int
    label: str
    weight: int
    count: int


def grade_rows(
    by_grade: Sequence[tuple[int, int]], scale: Scale, *, relevant_from: int, own_scale: bool
) -> tuple[GradeRow, ...]:
    """The grades in descending order; of sums (not `own_scale`) it is said whether they are relevant."""
    highest = max((value for value, _ in by_grade), default=0)
    rows = []
    for value, count in sorted(by_grade, reverse=True):
        if own_scale:
            grade = scale.grade(value)
            rows.append(GradeRow(value, grade.label, grade.weight, count))
        else:
            label = "relevant" if value >= relevant_from else "not relevant"
            # A third of the way up is the first colour; nothing is none.
            weight = min(3, -(-3 * value // highest)) if highest else 0
            rows.append(GradeRow(value, label, weight, count))
    return tuple(rows)
