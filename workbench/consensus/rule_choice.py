"""A consensus rule as a form or a command names it, with its parameters; several of them side by side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.consensus.rules import PARAMETERS, RULES, THEN, bound, parameters_of, rule_of
from workbench.consensus.simple import ASSESSOR
from workbench.errors import WorkbenchError
from workbench.records import Scale


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """A rule by its name with the parameters that were given, by their names; `rule_choice` makes one.

    What a rule does not ask for is ignored. Machine judgments count only with `machines`, or where a machine
    is the named assessor.
    """

    rule: str
    machines: bool = False
    given: tuple[tuple[str, str], ...] = ()

    def value(self, name: str) -> str | None:
        """A parameter as it was given, also where the rule does not ask for it; None if it was not."""
        return dict(self.given).get(name)

    def parameters(self) -> dict[str, str]:
        """The parameters that the rule asks for and that were given; others have the rule's default."""
        if self.rule not in RULES:
            return {}
        given = dict(self.given)
        requested = parameters_of(RULES[self.rule], given)
        return {parameter.name: given[parameter.name] for parameter in requested if parameter.name in given}

    def relevant_from(self, scale: Scale) -> int:
        """The lowest relevant grade of the qrels: that of the scale, unless the rule has its own."""
        try:
            rule = rule_of(self.rule)
            return rule.relevant_from(scale.relevant_from, bound(rule, self.parameters()))
        except WorkbenchError:
            # What is wrong with the choice is reported where the rule is applied.
            return scale.relevant_from


def rule_choice(rule: str = "majority", *, machines: bool = False, **given: str | None) -> RuleChoice:
    """A rule with its parameters by keyword; None leaves one to the rule's default."""
    return RuleChoice(
        rule, machines, tuple((name, value) for name, value in given.items() if value is not None)
    )


def default_rules(*, slow: bool = False) -> tuple[str, ...]:
    """The rules to begin with: all that give qrels; models, which take a while, only with `slow`."""
    return tuple(rule.name for rule in RULES.values() if not rule.soft and (slow or not rule.slow))


def choices_of(
    rules: Iterable[str], given: RuleChoice, *, assessors: Sequence[str] = ()
) -> tuple[RuleChoice, ...]:
    """The rules, each with those of the given parameters that it asks for, in the order of the registry.

    A rule of one assessor is there for each of the `assessors`. An unknown name comes last, to be refused.
    """
    requested = set(rules)
    names = [name for name in RULES if name in requested] + sorted(requested - RULES.keys())
    values = dict(given.given)
    found: list[RuleChoice] = []
    for name in names:
        of_one = name in RULES and ASSESSOR in RULES[name].parameters
        for assessor in assessors if of_one and assessors else (values.get(ASSESSOR.name),):
            own = values if assessor is None else {**values, ASSESSOR.name: assessor}
            asked_for = RuleChoice(name, given=tuple(own.items())).parameters()
            found.append(RuleChoice(name, given.machines, tuple(asked_for.items())))
    return tuple(found)


def choice_name(choice: RuleChoice) -> str:
    """The rule with its parameters, apart from the same rule with others: `majority-higher`."""
    return "-".join([choice.rule, *choice.parameters().values()])


def choice_label(choice: RuleChoice) -> str:
    """The rule with its parameters, for people: `Majority (ties: higher)`."""
    if choice.rule not in RULES:
        return choice.rule
    details = []
    for name, value in choice.parameters().items():
        if name == ASSESSOR.name:
            details.append(value)
        elif name == THEN.name and value in RULES:
            rest = RULES[value].label
            # With further capitals it is a name.
            details.append(f"then {rest[:1].lower() + rest[1:] if rest[1:].islower() else rest}")
        elif value != PARAMETERS[name].default:
            details.append(f"{name}: {value}")
    label = RULES[choice.rule].label
    return f"{label} ({', '.join(details)})" if details else label
