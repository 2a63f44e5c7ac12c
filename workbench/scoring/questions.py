"""Measures of question answering: list questions, confidence in answers, questions without an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.scoring.kernels.binary import f_measure


@dataclass(frozen=True, slots=True)
class InstanceScores:
    """Precision, recall and F of the instances that answer a question; a share of nothing is 0."""

    precision: float
    recall: float
    f: float


def list_question(*, known: int, correct: int, returned: int) -> InstanceScores:
    """Instance precision D / N and recall D / S of a list question, and F = 2 IP IR / (IP + IR).

    `known` is S, the answers that exist, `correct` is D, the distinct correct ones among the N `returned`.
    Source: TREC question answering 2001 to 2007. Raises WorkbenchError where D is above S or N.

    >>> list_question(known=16, correct=8, returned=20)
    InstanceScores(precision=0.4, recall=0.5, f=0.4444444444444444)
    """
    if not 0 <= correct <= min(known, returned):
        raise WorkbenchError(
            f"{correct} correct answers of {returned} returned and {known} known are impossible",
            remedy="count each correct answer once",
        )
    precision = correct / returned if returned else 0.0
    recall = correct / known if known else 0.0
    return InstanceScores(precision, recall, float(f_measure(precision, recall)))


def without_answer(*, returned: int, correct: int, existing: int) -> InstanceScores:
    """Precision and recall of the answer NIL, which says that the collection has no answer.

    NIL was `returned` so often, of these `correct`, and is right for `existing` questions. Raises
    WorkbenchError as `list_question` does.
    """
    return list_question(known=existing, correct=correct, returned=returned)


def confidence_weighted_score(correct: Sequence[bool]) -> float:
    """The mean over i of the share of correct answers among the first i, surest answer first.

    One answer a question. Source: TREC 2002 question answering track (Voorhees 2002). Raises WorkbenchError
    where there is no question.

    >>> confidence_weighted_score([True, True, False, True])
    0.8541666666666666
    """
    if not correct:
        raise WorkbenchError("there is no question", remedy="give one answer for each question")
    found, total = 0, 0.0
    for number, right in enumerate(correct, start=1):
        found += right
        total += found / number
    return total / len(correct)
