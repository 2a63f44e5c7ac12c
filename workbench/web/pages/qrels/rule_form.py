"""What pages on qrels, scores and the preview share: the chosen rule in an address, grades of qrels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import request

from workbench.consensus.rule import Parameter
from workbench.consensus.rule_choice import RuleChoice, rule_choice
from workbench.consensus.rules import PARAMETERS, RULES, THEN
from workbench.consensus.simple import ASSESSOR
from workbench.records import Scale
from workbench.storage import Session
from workbench.workflow.people.assessors import AssessorLine, assessors_of
from workbench.workflow.qrels.qrels import default_rule, first_who_graded


@dataclass(frozen=True, slots=True)
class RuleForm:
    """What is chosen, and the assessors there are to choose from."""

    choice: RuleChoice
    assessors: tuple[AssessorLine, ...]

    def arguments(self) -> dict[str, str]:
        """The choice as it stands in an address."""
        machines = "yes" if self.choice.machines else ""
        chosen = {"rule": self.choice.rule, **self.choice.parameters(), "machines": machines}
        return {name: value for name, value in chosen.items() if value}

    @property
    def fields(self) -> tuple[Field, ...]:
        """A field for every parameter that a rule may have."""
        # What the rest goes to comes before what that has to be told.
        order = sorted(PARAMETERS.values(), key=lambda parameter: parameter is not THEN)
        return tuple(
            Field(parameter, self.choice.value(parameter.name), used_by(parameter.name))
            for parameter in order
        )


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter in a form: what is chosen, and the rules that ask for it, which alone show it."""

    parameter: Parameter
    value: str | None
    rules: tuple[str, ...]

    @property
    def chosen(self) -> str:
        """What the field shows: what was chosen, else the default."""
        return self.value or self.parameter.default or ""


def used_by(parameter: str) -> tuple[str, ...]:
    """The rules that have a parameter themselves."""
    return tuple(rule.name for rule in RULES.values() if parameter in {one.name for one in rule.parameters})


def rule_form(db: Session, campaign_id: int) -> RuleForm:
    """The rule that the address names, else the one to begin with; `one` is the first who graded anything."""
    assessors = assessors_of(db, campaign_id)
    named = request.args.get("rule") or default_rule(db, campaign_id)
    return RuleForm(sent_choice(named, first_who_graded(db, campaign_id)), assessors)


def sent_choice(rule: str, assessor: str | None) -> RuleChoice:
    """A rule with the parameters of the address; `assessor` where it names none."""
    given = {name: request.args.get(name, "").strip() or None for name in PARAMETERS}
    given[ASSESSOR.name] = given[ASSESSOR.name] or assessor
    if given[THEN.name] is None:
        # So that the form shows what belongs to the rule that the rest goes to.
        given[THEN.name] = THEN.default
    return rule_choice(rule, machines=request.args.get("machines") == "yes", **given)


def rule_name(choice: RuleChoice) -> str:
    """The rule with what it was told, for the name of a file: `majority-higher`."""
    machines = ["machines"] if choice.machines else []
    return "-".join([choice.rule, *choice.parameters().values(), *machines])


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
