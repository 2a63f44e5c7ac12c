"""One grade for each pair from all that assessors said of it, and a list of what is not settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from workbench.consensus.outcomes import Evidence, Left, Outcome, Pair, Settled
from workbench.consensus.rules import Rule, bound, rule_of
from workbench.consensus.summing import line_of
from workbench.errors import Conflict, WorkbenchError
from workbench.records import Answer, Judgment, Qrel, Scale, id_bytes

NO_GRADE = "nobody gave a grade"


@dataclass(frozen=True, slots=True)
class Label:
    """The one grade of a pair: how sure it is, of how many assessors' grades, and whether adjudicated."""

    topic: str
    docno: str
    grade: int
    confidence: float
    n: int
    adjudicated: bool = False


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A judged pair without a grade, and why."""

    topic: str
    docno: str
    reason: str


@dataclass(frozen=True, slots=True)
class Consensus:
    """One grade for each settled pair, and the others; all sorted by topic, then docno (bytes).

    `relevant_from` is the lowest grade of these that counts as relevant: that of a sum is another than that
    of the scale.
    """

    labels: tuple[Label, ...]
    unsettled: tuple[Unsettled, ...]
    relevant_from: int
    qrels: tuple[Qrel, ...]

    @property
    def confidence(self) -> tuple[float, ...]:
        """How sure each of the qrels is, from 0 to 1."""
        return tuple(label.confidence for label in self.labels)


def consensus(
    judgments: Iterable[Judgment],
    *,
    rule: str,
    scale: Scale | None = None,
    relevant_from: int | None = None,
    decided: Mapping[Pair, int] | None = None,
    **parameters: str,
) -> Consensus:
    """Settle every pair by the named rule; answers that are no grade (unsure, cannot judge) never count.

    The judgments are the current ones, one for each assessor and pair (`repeats.latest` makes them so);
    `decided` are the grades of an adjudicator. Without a `scale` any grade goes that is not negative.
    Relevant is what is so by `relevant_from`, by the scale, or else from 1 on.

    Raises WorkbenchError for an unknown rule or one that makes no whole grades, for a wrong or missing
    parameter and a grade outside the scale, and Conflict where an assessor judged a pair twice.

    >>> given = [Judgment("ann", "1", "d", 2), Judgment("bea", "1", "d", 0), Judgment("cyd", "1", "d", 2)]
    >>> consensus(given, rule="majority").labels[0].grade
    2
    """
    chosen = rule_of(rule)
    values = bound(chosen, parameters)
    by_pair = grades_by_pair(judgments, scale)
    line = relevant_from if relevant_from is not None else (scale.relevant_from if scale else 1)
    graded = {pair: grades for pair, grades in by_pair.items() if grades}
    outcomes = chosen.outcomes(Evidence(graded, dict(decided or {}), line), **values)
    nobody = Left(NO_GRADE)
    labels: list[Label] = []
    left: list[Unsettled] = []
    for pair in sorted({**by_pair, **outcomes}, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1]))):
        outcome: Outcome = outcomes.get(pair, nobody)
        if isinstance(outcome, Settled):
            n = len(graded.get(pair, ()))
            labels.append(Label(*pair, outcome.grade, outcome.confidence, n, outcome.adjudicated))
        else:
            left.append(Unsettled(*pair, outcome.reason))
    return Consensus(
        labels=tuple(labels),
        unsettled=tuple(left),
        relevant_from=line_after(chosen, values, line),
        qrels=tuple(Qrel(label.topic, label.docno, label.grade) for label in labels),
    )


def grades_by_pair(judgments: Iterable[Judgment], scale: Scale | None) -> dict[Pair, dict[str, int]]:
    """The grades of every judged pair by assessor; empty where all answers are no grades.

    Raises WorkbenchError for a grade outside the scale, or below 0 without one, and Conflict where an
    assessor judged a pair twice.
    """
    by_pair: dict[Pair, dict[str, int]] = {}
    said: set[tuple[str, str, str]] = set()
    for judgment in judgments:
        key = (judgment.assessor, judgment.topic, judgment.docno)
        if key in said:
            raise Conflict(
                f"{judgment.assessor} judged document {judgment.docno} of topic {judgment.topic} twice",
                remedy="give only the current judgment of each assessor",
            )
        said.add(key)
        grades = by_pair.setdefault((judgment.topic, judgment.docno), {})
        grade = _grade(judgment, scale)
        if grade is not None:
            grades[judgment.assessor] = grade
    return by_pair


def line_after(rule: Rule, values: Mapping[str, str], relevant_from: int) -> int:
    """The lowest relevant grade of what a rule gives, from that of the scale and the rule's parameters."""
    if not rule.sums:
        return relevant_from
    return 1 if values.get("binary") == "yes" else line_of(relevant_from, values.get("line"))


def _grade(judgment: Judgment, scale: Scale | None) -> int | None:
    if judgment.answer is not Answer.GRADE or judgment.grade is None:
        return None
    if scale is None and judgment.grade < 0:
        raise WorkbenchError(
            f"the grade {judgment.grade} of document {judgment.docno} for topic {judgment.topic} is negative",
            remedy="name codes that mean 'cannot judge', or take these judgments out",
        )
    return judgment.grade if scale is None else scale.grade(judgment.grade).value
