"""The choice of a consensus rule in the address of a page: qrels, scores and the preview share it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import request

from workbench.consensus.parameters import Parameter
from workbench.consensus.rules import PARAMETERS, RULES, THEN
from workbench.storage import Session
from workbench.workflow.people.assessors import AssessorLine, assessors_of
from workbench.workflow.qrels.make_qrels import RuleChoice, default_rule, first_who_graded


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
            Field(parameter, getattr(self.choice, parameter.name), used_by(parameter.name))
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
    said = {name: request.args.get(name, "").strip() or None for name in PARAMETERS}
    said["assessor"] = said["assessor"] or assessor
    if said[THEN.name] is None:
        # So that the form shows what belongs to the rule that the rest goes to.
        said[THEN.name] = THEN.default
    return RuleChoice(rule, machines=request.args.get("machines") == "yes", **said)


def rule_name(choice: RuleChoice) -> str:
    """The rule with what it was told, for the name of a file: `majority-higher`."""
    machines = ["machines"] if choice.machines else []
    return "-".join([choice.rule, *choice.parameters().values(), *machines])
