"""Several choices of consensus rules side by side: which, and what each is called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.consensus.rules import PARAMETERS, RULES, THEN
from workbench.workflow.qrels.make_qrels import RuleChoice


def default_rules(*, slow: bool = False) -> tuple[str, ...]:
    """The rules to begin with: all that give qrels; models, which take a while, only with `slow`."""
    return tuple(rule.name for rule in RULES.values() if not rule.soft and (slow or not rule.slow))


def choices_of(
    rules: Iterable[str], given: RuleChoice, *, assessors: Sequence[str] = ()
) -> tuple[RuleChoice, ...]:
    """The rules, each with those of the parameters given that it asks for, in the order of the catalogue.

    `one` is there for each of the `assessors`. A name that is no rule comes last, to be refused.
    """
    wanted = set(rules)
    names = [name for name in RULES if name in wanted] + sorted(wanted - RULES.keys())
    found: list[RuleChoice] = []
    for name in names:
        people = assessors if name == "one" and assessors else (given.assessor,)
        for assessor in people:
            chosen = replace(given, rule=name, assessor=assessor)
            found.append(RuleChoice(name, machines=given.machines, **chosen.parameters()))
    return tuple(found)


def choice_name(choice: RuleChoice) -> str:
    """The rule with what it was told, apart from the same rule told otherwise: `majority-higher`."""
    return "-".join([choice.rule, *choice.parameters().values()])


def choice_label(choice: RuleChoice) -> str:
    """The rule with what it was told, for people: `Majority (ties: higher)`."""
    if choice.rule not in RULES:
        return choice.rule
    said = []
    for name, value in choice.parameters().items():
        if name == "assessor":
            said.append(value)
        elif name == THEN.name and value in RULES:
            rest = RULES[value].label
            said.append(f"then {rest if rest.isupper() else rest[:1].lower() + rest[1:]}")
        elif value != PARAMETERS[name].default:
            said.append(f"{name}: {value}")
    label = RULES[choice.rule].label
    return f"{label} ({', '.join(said)})" if said else label
