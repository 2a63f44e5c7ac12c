"""Judgments prepared for a rule: the latest of each assessor, then by pair."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.consensus.rule import Pair
from workbench.errors import Conflict, WorkbenchError
from workbench.records import Answer, Judgment, Scale, pair_of


@dataclass(frozen=True, slots=True)
class LatestJudgments:
    """The latest judgment of every assessor on every pair, in the order in which they were first judged.

    `repeated` counts those with an earlier one, `contradicted` those of them whose answers differ.
    """

    judgments: tuple[Judgment, ...]
    events: int
    repeated: int
    contradicted: int


def latest_judgments(judgments: Iterable[Judgment]) -> LatestJudgments:
    """The current judgments of all that were made, in the order in which they were made.

    >>> latest_judgments([Judgment("ann", "1", "d", 1), Judgment("ann", "1", "d", 0)]).contradicted
    1
    """
    current: dict[tuple[str, str, str], Judgment] = {}
    answers: dict[tuple[str, str, str], set[tuple[Answer, int | None]]] = {}
    repeated: set[tuple[str, str, str]] = set()
    events = 0
    for judgment in judgments:
        key = (judgment.assessor, judgment.topic, judgment.docno)
        if key in current:
            repeated.add(key)
        current[key] = judgment
        answers.setdefault(key, set()).add((judgment.answer, judgment.grade))
        events += 1
    contradicted = sum(len(answers[key]) > 1 for key in repeated)
    return LatestJudgments(tuple(current.values()), events, len(repeated), contradicted)


def grades_by_pair(judgments: Iterable[Judgment], scale: Scale | None) -> dict[Pair, dict[str, int]]:
    """The grades of every judged pair by assessor; empty where all answers are no grades.

    Raises WorkbenchError for a grade outside the scale, or below 0 without one, and Conflict where an
    assessor judged a pair twice.
    """
    by_pair: dict[Pair, dict[str, int]] = {}
    seen: set[tuple[str, str, str]] = set()
    # What need not be asked of the scale again, one judgment after the other.
    known = {grade.value for grade in scale.grades} if scale is not None else set[int]()
    for judgment in judgments:
        key = (judgment.assessor, judgment.topic, judgment.docno)
        if key in seen:
            raise Conflict(
                f"{judgment.assessor} judged document {judgment.docno} of topic {judgment.topic} twice",
                remedy="give only the current judgment of each assessor",
            )
        seen.add(key)
        grades = by_pair.setdefault(pair_of(judgment), {})
        grade = judgment.grade
        if grade not in known or judgment.answer is not Answer.GRADE:
            grade = _grade(judgment, scale)
        if grade is not None:
            grades[judgment.assessor] = grade
    return by_pair


def _grade(judgment: Judgment, scale: Scale | None) -> int | None:
    if judgment.answer is not Answer.GRADE or judgment.grade is None:
        return None
    if scale is None and judgment.grade < 0:
        raise WorkbenchError(
            f"the grade {judgment.grade} of document {judgment.docno} for topic {judgment.topic} is negative",
            remedy="name the codes that mean 'cannot judge', or remove these judgments",
        )
    return judgment.grade if scale is None else scale.grade(judgment.grade).value
