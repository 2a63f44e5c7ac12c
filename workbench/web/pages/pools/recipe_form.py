"""The form of a pool's recipe: strategies with their parameters, generated from the registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.errors import Finding, InvalidInput
from workbench.pooling.adaptive.strategies import ADAPTIVE
from workbench.pooling.every_strategy import EVERY_STRATEGY
from workbench.pooling.parameters import Parameter, Strategy
from workbench.records import TieRule
from workbench.web.forms import whole_number

FIRST = "depth"


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a form asks for; parameters are texts, checked for the strategy."""

    strategy: str
    parameters: Mapping[str, str]
    ties: TieRule
    supplementary: bool


@dataclass(frozen=True, slots=True)
class ParameterField:
    """A parameter as a field: its name in the form, its label and what stands in it."""

    name: str
    label: str
    hint: str
    value: str


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """A strategy as a choice of the form, with the fields of its parameters.

    An adaptive one chooses while people judge.
    """

    name: str
    help: str
    source: str
    adaptive: bool
    chosen: bool
    fields: tuple[ParameterField, ...]


def strategy_choices(typed: Mapping[str, str]) -> tuple[StrategyChoice, ...]:
    """Every strategy, with what was typed or the defaults in its fields."""
    return tuple(
        StrategyChoice(
            strategy.name,
            strategy.help,
            strategy.source,
            strategy.name in ADAPTIVE,
            typed.get("strategy", FIRST) == strategy.name,
            tuple(_field(strategy, parameter, typed) for parameter in strategy.parameters),
        )
        for strategy in EVERY_STRATEGY.values()
    )


def read_recipe(form: Mapping[str, str]) -> Recipe:
    """The recipe that was sent; raises InvalidInput with all that is wrong, coded by its field."""
    findings: list[Finding] = []
    ties = next((rule for rule in TieRule if rule == form.get("ties")), None)
    if ties is None:
        findings.append(Finding("Ties", None, "ties", "no tie rule is chosen", "choose one"))
    strategy = EVERY_STRATEGY.get(form.get("strategy", FIRST))
    given: dict[str, str] = {}
    if strategy is None:
        findings.append(Finding("Strategy", None, "strategy", "no strategy is chosen", "choose one"))
    else:
        names = {one.name: field_name(strategy.name, one.name) for one in strategy.parameters}
        given = {name: form[field].strip() for name, field in names.items() if field in form}
        try:
            strategy.values(given)
        except InvalidInput as error:
            findings.extend(
                Finding(one.source, None, names.get(one.source, one.code), one.message, one.remedy)
                for one in error.findings
            )
    if findings or strategy is None or ties is None:
        raise InvalidInput(findings)
    return Recipe(strategy.name, given, ties, form.get("supplementary") == "yes")


def read_priority(form: Mapping[str, str]) -> int | None:
    """Up to which priority runs are taken, None for all; raises InvalidInput for what is no priority."""
    text = form.get("priority", "").strip()
    number = whole_number(text)
    if text and (number is None or number < 1):
        remedy = "a whole number from 1, or nothing for all runs"
        raise InvalidInput([Finding("Priority", None, "priority", f"{text[:40]!r} is no priority", remedy)])
    return number


def field_name(strategy: str, parameter: str) -> str:
    """The name of a parameter's field: several strategies have a `budget`."""
    return parameter if parameter == strategy else f"{strategy}-{parameter}"


def _field(strategy: Strategy[Any], parameter: Parameter, typed: Mapping[str, str]) -> ParameterField:
    name = field_name(strategy.name, parameter.name)
    bounds = f"; {parameter.bounds}" if parameter.bounds else ""
    return ParameterField(
        name=name,
        label=parameter.name.replace("_", " ").capitalize(),
        hint=f"{parameter.help[:1].upper()}{parameter.help[1:]} ({parameter.kind.name}{bounds})",
        value=typed.get(name, parameter.text(parameter.default)),
    )
