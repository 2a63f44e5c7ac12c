"""The registry of consensus rules: forms, options, help and error texts are made from it."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.consensus.adjudication import TWO_AND_ADJUDICATOR, adjudicated_first, rule_for_the_rest
from workbench.consensus.models.dawid_skene import DAWID_SKENE
from workbench.consensus.rule import Rule, RuleParameter
from workbench.consensus.simple import SIMPLE
from workbench.consensus.soft import MEAN
from workbench.consensus.sums import SUM
from workbench.errors import WorkbenchError

_OTHERS = (TWO_AND_ADJUDICATOR, SUM, MEAN, DAWID_SKENE)
_REST = tuple(rule for rule in (*SIMPLE, *_OTHERS) if rule.for_the_rest)

THEN = rule_for_the_rest(_REST)
"""The parameter that names another rule."""

RULES: dict[str, Rule] = {rule.name: rule for rule in (*SIMPLE, adjudicated_first(THEN, _REST), *_OTHERS)}
"""Every rule by its name, in the order in which pages and commands list them."""

PARAMETERS: Mapping[str, RuleParameter] = {
    parameter.name: parameter for rule in RULES.values() for parameter in rule.parameters
}
"""Every parameter of any rule by its name: two rules that share a name share its meaning."""


def rule_of(name: str) -> Rule:
    """The rule of a name; raises WorkbenchError where there is none."""
    if name not in RULES:
        raise WorkbenchError(f'there is no consensus rule "{name}"', remedy=f"one of {', '.join(RULES)}")
    return RULES[name]


def parameters_of(rule: Rule, given: Mapping[str, str | None]) -> tuple[RuleParameter, ...]:
    """The parameters of a rule, and of the rule that it uses for the rest."""
    if THEN not in rule.parameters:
        return rule.parameters
    rest = given.get(THEN.name) or THEN.default or ""
    return (*rule.parameters, *(RULES[rest].parameters if rest in RULES else ()))


def bound(rule: Rule, given: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a rule with their defaults.

    Raises WorkbenchError for a parameter that the rule does not have, a missing one, and a wrong value.
    """
    parameters = parameters_of(rule, given)
    strange = given.keys() - {parameter.name for parameter in parameters}
    if strange:
        names = ", ".join(parameter.name for parameter in parameters) or "none"
        raise WorkbenchError(f'the rule "{rule.name}" has no {min(strange)}', remedy=f"parameters: {names}")
    values = {}
    for parameter in parameters:
        value = given.get(parameter.name, parameter.default)
        if value is not None:
            values[parameter.name] = parameter.accept(value)
        elif not parameter.optional:
            raise WorkbenchError(
                f'the rule "{rule.name}" needs {parameter.name}', remedy=f"give {parameter.help}"
            )
    return values
