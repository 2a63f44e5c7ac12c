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
    """One grade for each settled pair, and the others; both sorted by topic, then docno (bytes)."""

    qrels: tuple[Qrel, ...]
    unsettled: tuple[Unsettled, ...]


def consensus(judgments: Iterable[Judgment], *, rule: str, scale: Scale, **parameters: str) -> Consensus:
    """Settle every pair by the named rule; answers that are no grade (unsure, cannot judge) never count.

    The judgments are the current ones, one for each assessor and pair.
    Raises WorkbenchError for an unknown rule, a wrong or missing parameter and a grade outside the scale, and
    Conflict where an assessor judged a pair twice.
    """
    chosen = _rule(rule)
    values = _bound(chosen, parameters)
    qrels: list[Qrel] = []
    unsettled: list[Unsettled] = []
    by_pair = _grades_by_pair(judgments, scale)
    for topic, docno in sorted(by_pair, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1]))):
        grades = {who: grade for who, grade in by_pair[topic, docno].items() if grade is not None}
        settled = chosen.settle(grades, **values) if grades else None
        if settled is not None:
            qrels.append(Qrel(topic, docno, settled))
        else:
            unsettled.append(Unsettled(topic, docno, chosen.unsettled if grades else NO_GRADE))
    return Consensus(tuple(qrels), tuple(unsettled))


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
