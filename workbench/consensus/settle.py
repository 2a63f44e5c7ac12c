"""One grade for each pair from all that assessors said of it, and a list of what is not settled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.consensus.rules import RULES, Rule
from workbench.errors import Conflict, WorkbenchError
from workbench.records import Answer, Judgment, Qrel, Scale, id_bytes

NO_GRADE = "nobody gave a grade"


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A judged pair without a grade, and why."""

    topic: str
    docno: str
    reason: str


@dataclass(frozen=True, slots=True)
class Consensus:
    """One grade for each settled pair, and the others; both sorted by topic, then docno (bytes).

    `confidence` has for each of the qrels the share of the assessors who gave this grade, or its probability
    under a model.
    """

    qrels: tuple[Qrel, ...]
    unsettled: tuple[Unsettled, ...]
    confidence: tuple[float, ...] = ()


def consensus(judgments: Iterable[Judgment], *, rule: str, scale: Scale, **parameters: str) -> Consensus:
    """Settle every pair by the named rule; answers that are no grade (unsure, cannot judge) never count.

    The judgments are the current ones, one for each assessor and pair.
    Raises WorkbenchError for an unknown rule, a wrong or missing parameter and a grade outside the scale, and
    Conflict where an assessor judged a pair twice.
    """
    chosen = _rule(rule)
    values = _bound(chosen, parameters)
    by_pair = _grades_by_pair(judgments, scale)
    graded: dict[tuple[str, str], dict[str, int]] = {}
    for pair, answers in by_pair.items():
        grades = {who: grade for who, grade in answers.items() if grade is not None}
        if grades:
            graded[pair] = grades
    settled = chosen.settled(graded, **values)
    in_order = sorted(by_pair, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1])))
    left = [pair for pair in in_order if pair not in settled]
    reasons = (chosen.unsettled if pair in graded else NO_GRADE for pair in left)
    return Consensus(
        qrels=tuple(Qrel(*pair, settled[pair].grade) for pair in in_order if pair in settled),
        unsettled=tuple(Unsettled(*pair, reason) for pair, reason in zip(left, reasons, strict=True)),
        confidence=tuple(settled[pair].confidence for pair in in_order if pair in settled),
    )


def _grades_by_pair(
    judgments: Iterable[Judgment], scale: Scale
) -> dict[tuple[str, str], dict[str, int | None]]:
    by_pair: dict[tuple[str, str], dict[str, int | None]] = {}
    for judgment in judgments:
        grades = by_pair.setdefault((judgment.topic, judgment.docno), {})
        if judgment.assessor in grades:
            raise Conflict(
                f"{judgment.assessor} judged document {judgment.docno} of topic {judgment.topic} twice",
                remedy="give only the current judgment of each assessor",
            )
        grades[judgment.assessor] = _grade(judgment, scale)
    return by_pair


def _grade(judgment: Judgment, scale: Scale) -> int | None:
    if judgment.answer is not Answer.GRADE or judgment.grade is None:
        return None
    return scale.grade(judgment.grade).value


def _rule(name: str) -> Rule:
    if name not in RULES:
        raise WorkbenchError(f'there is no consensus rule "{name}"', remedy=f"one of {', '.join(RULES)}")
    return RULES[name]


def _bound(rule: Rule, given: dict[str, str]) -> dict[str, str]:
    """The parameters of a rule with their defaults."""
    strange = given.keys() - {parameter.name for parameter in rule.parameters}
    if strange:
        names = ", ".join(parameter.name for parameter in rule.parameters) or "none"
        raise WorkbenchError(f'the rule "{rule.name}" has no {min(strange)}', remedy=f"parameters: {names}")
    values = {}
    for parameter in rule.parameters:
        value = given.get(parameter.name, parameter.default)
        if value is None:
            raise WorkbenchError(
                f'the rule "{rule.name}" needs {parameter.name}', remedy=f"say {parameter.help}"
            )
        if parameter.choices and value not in parameter.choices:
            raise WorkbenchError(
                f'{parameter.name} cannot be "{value}"', remedy=f"one of {', '.join(parameter.choices)}"
            )
        values[parameter.name] = value
    return values
