"""The qrels that assessors' judgments could have become: each assessor's own, and those of each rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.consensus.judgments import latest_judgments
from workbench.consensus.rule_choice import RuleChoice, choice_name
from workbench.consensus.rules import RULES
from workbench.consensus.settle import consensus
from workbench.consensus.simple import ASSESSOR
from workbench.errors import WorkbenchError
from workbench.records import Judgment, sorted_ids
from workbench.trust.alternatives import AlternativeQrels

REFERENCE = "lower-median"
"""The rule whose qrels are the reference unless others are named: it settles every pair that was graded."""


def rules_to_compare() -> tuple[str, ...]:
    """The rules that make qrels of grades alone, within a second; union and intersection are any and all."""
    return tuple(
        rule.name
        for rule in RULES.values()
        if not (rule.soft or rule.slow or rule.adjudicated or ASSESSOR in rule.parameters)
    )


def qrels_of_assessors(judgments: Iterable[Judgment], *, relevant_from: int = 1) -> list[AlternativeQrels]:
    """The grades of each assessor, by name (bytes); of repeated judgments the latest, and grades alone.

    An assessor who gave no grade is left out. Raises WorkbenchError for a negative grade.
    """
    grades: dict[str, dict[tuple[str, str], int]] = {}
    for one in latest_judgments(judgments).judgments:
        if one.grade is not None:
            if one.grade < 0:
                raise WorkbenchError(
                    f"{one.assessor} gave document {one.docno} of topic {one.topic} the grade {one.grade}",
                    remedy="name the codes that mean cannot judge, or remove these judgments",
                )
            grades.setdefault(one.assessor, {})[one.topic, one.docno] = one.grade
    return [AlternativeQrels(name, grades[name], relevant_from) for name in sorted_ids(grades)]


def qrels_of_rules(
    judgments: Iterable[Judgment], choices: Sequence[RuleChoice], *, relevant_from: int = 1
) -> list[AlternativeQrels]:
    """The grades that each rule makes of the latest judgments; a rule that settles nothing is left out.

    Raises WorkbenchError as `consensus.settle.consensus`.
    """
    latest = latest_judgments(judgments).judgments
    found = []
    for choice in choices:
        settled = consensus(
            latest,
            rule=choice.rule,
            scale=None,
            relevant_from=relevant_from,
            decided=None,
            **choice.parameters(),
        )
        grades = {(one.topic, one.docno): one.grade for one in settled.qrels}
        if grades:
            found.append(AlternativeQrels(choice_name(choice), grades, settled.relevant_from))
    return found


def filled(qrels: Sequence[AlternativeQrels], reference: AlternativeQrels) -> list[AlternativeQrels]:
    """The same qrels, with the reference's grade of the pairs that they lack of topics that they have.

    What an assessor did not see counts as not relevant otherwise, which is a judgment that nobody made.
    Raises WorkbenchError where one is relevant from another grade on.
    """
    found = []
    for one in qrels:
        if one.relevant_from != reference.relevant_from:
            raise WorkbenchError(
                f"{one.name} cannot be filled from {reference.name}, whose grades are of another scale",
                remedy=f"leave {one.name} out",
            )
        own = {topic for topic, _ in one.grades}
        rest = {pair: grade for pair, grade in reference.grades.items() if pair[0] in own}
        found.append(AlternativeQrels(one.name, {**rest, **one.grades}, one.relevant_from))
    return found
