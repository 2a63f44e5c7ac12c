"""What pages on qrels, scores and the preview share: the chosen rule in an address, grades of qrels."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.consensus.rule import RuleParameter
from workbench.consensus.rules import ASSESSOR, PARAMETERS, RULES, THEN, RuleChoice, rule_choice
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.forms import query_text
from workbench.workflow.people.assessors import AssessorLine, assessors_of
from workbench.workflow.qrels.qrels import QrelsReport, default_rule, who_graded_most


@dataclass(frozen=True, slots=True)
class RuleForm:
    """What is chosen, and the assessors there are to choose from."""

    choice: RuleChoice
    assessors: tuple[AssessorLine, ...]

    def arguments(self) -> dict[str, str]:
        """The choice in an address."""
        machines = "yes" if self.choice.machines else ""
        chosen = {"rule": self.choice.rule, **self.choice.parameters(), "machines": machines}
        return {name: value for name, value in chosen.items() if value}

    @property
    def fields(self) -> tuple[RuleField, ...]:
        """A field for every parameter that a rule may have."""
        # The rule for the rest comes before the parameters of that rule.
        order = sorted(PARAMETERS.values(), key=lambda parameter: parameter is not THEN)
        return tuple(RuleField(parameter, self.choice.value(parameter.name)) for parameter in order)


@dataclass(frozen=True, slots=True)
class RuleField:
    """A parameter in a form with its value."""

    parameter: RuleParameter
    value: str | None

    @property
    def chosen(self) -> str:
        """The value that the field shows: the one given, else the default."""
        return self.value or self.parameter.default or ""


def field_styles() -> str:
    """The stylesheet that shows only the fields of the chosen rules, also where no script runs."""
    first = [rule for rule in RULES.values() if THEN in rule.parameters]
    sheet = []
    for parameter in PARAMETERS.values():
        selector = ""
        for rule in RULES.values():
            if parameter in rule.parameters:
                selector += f":not(:has({_chosen(rule.name)}))"
                if rule.for_the_rest:
                    rest = f"[name={THEN.name}] [value={rule.name}]:checked"
                    selector += "".join(f":not(:has({_chosen(one.name)}):has({rest}))" for one in first)
        sheet.append(f"form{selector} .for-{parameter.name} {{ display: none; }}")
    # Whoever names an assessor has said whether a machine counts.
    for rule in RULES.values():
        if ASSESSOR in rule.parameters:
            sheet.append(f"form:has({_chosen(rule.name)}) .for-machines {{ display: none; }}")
    return "\n".join(sheet) + "\n"


def _chosen(rule: str) -> str:
    return f"[name=rule][value={rule}]:checked, [name=rule] [value={rule}]:checked"


def rule_form(db: Session) -> RuleForm:
    """The rule that the address names, else the one to begin with; `one` is of whoever graded most."""
    rule = query_text("rule") or default_rule(db, here().id)
    given = {name: query_text(name).strip() or None for name in PARAMETERS}
    given[ASSESSOR.name] = given[ASSESSOR.name] or who_graded_most(db, here().id)
    # So that the form shows the fields of the rule for the rest.
    given[THEN.name] = given[THEN.name] or THEN.default
    choice = rule_choice(rule, machines=query_text("machines") == "yes", **given)
    return RuleForm(choice, assessors_of(db, here().id))


def rule_name(choice: RuleChoice) -> str:
    """The rule with its parameters, for the name of a file: `majority-higher`."""
    machines = ["machines"] if choice.machines else []
    return "-".join([choice.rule, *choice.parameters().values(), *machines])


@dataclass(frozen=True, slots=True)
class GradeCountRow:
    """The number of lines of a grade; `weight` 0 to 3 is the depth of its colour."""

    value: int
    label: str
    weight: int
    count: int


def grade_rows(report: QrelsReport, scale: Scale) -> tuple[GradeCountRow, ...]:
    """The grades in descending order; those that are not the scale's are labelled relevant or not."""
    by_grade = report.summary.by_grade
    highest = max((value for value, _ in by_grade), default=0)
    rows = []
    for value, count in sorted(by_grade, reverse=True):
        if RULES[report.choice.rule].own_scale:
            label = "relevant" if value >= report.relevant_from else "not relevant"
            # A third of the way up is the first colour; nothing is none.
            weight = min(3, -(-3 * value // highest)) if highest else 0
        else:
            label, weight = scale.grade(value).label, scale.grade(value).weight
        rows.append(GradeCountRow(value, label, weight, count))
    return tuple(rows)
