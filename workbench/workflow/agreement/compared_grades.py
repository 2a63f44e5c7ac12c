"""Which grades a report on agreement compares: every grade of the scale, or relevant and not."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput
from workbench.workflow.campaigns.campaigns import campaign_of


@dataclass(frozen=True, slots=True)
class ComparedGrades:
    """The grades of a campaign's scale, highest first, the lowest relevant one, whether all are compared."""

    scale: tuple[int, ...]
    relevant_from: int
    graded: bool

    @property
    def categories(self) -> tuple[int, ...]:
        """What is compared, highest first: the grades, or 1 for relevant and 0 for not."""
        return self.scale if self.graded else (1, 0)

    @property
    def lowest_relevant(self) -> int:
        """The lowest of the categories that is relevant."""
        return self.relevant_from if self.graded else 1

    def category(self, grade: int) -> int:
        """The category of a grade of the scale."""
        return grade if self.graded else int(self.relevant(grade))

    def relevant(self, grade: int) -> bool:
        """Whether a grade of the scale is relevant."""
        return grade >= self.relevant_from


def compared_grades(
    db: Session, campaign_id: int, *, relevant_from: int | None, graded: bool
) -> ComparedGrades:
    """What is compared of a campaign's grades; the line is the campaign's own where it is None.

    Raises InvalidInput for a line that the scale has not, or from which on all its grades are relevant.
    """
    scale = campaign_of(db, campaign_id).scale
    grades = tuple(sorted((grade.value for grade in scale.grades), reverse=True))
    line = scale.relevant_from if relevant_from is None else relevant_from
    if line not in grades[:-1]:
        message = f"{line} cannot be the lowest relevant grade"
        remedy = f"choose {' or '.join(map(str, reversed(grades[:-1])))}"
        raise InvalidInput([Finding("Agreement", None, "from", message, remedy)])
    return ComparedGrades(grades, line, graded)
