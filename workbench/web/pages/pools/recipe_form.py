"""The forms of a pool's recipe and of its plan, generated from the registry of strategies."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import MultiDict

from workbench.errors import Finding, InvalidInput
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import ADAPTIVE, ALL_STRATEGIES
from workbench.pooling.strategy import SEED, WHOLE, Parameter, Strategy
from workbench.records import TieRule
from workbench.web.forms import whole_number
from workbench.workflow.pools.planning import FURTHER

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
class StrategyFields:
    """A strategy as a choice of the form, with the fields of its parameters.

    An adaptive one chooses while people judge.
    """

    name: str
    help: str
    source: str
    adaptive: bool
    chosen: bool
    fields: tuple[ParameterField, ...]


def strategy_choices(typed: Mapping[str, str]) -> tuple[StrategyFields, ...]:
    """Every strategy, with what was typed or the defaults in its fields."""
    return tuple(
        StrategyFields(
            strategy.name,
            strategy.help,
            strategy.source,
            strategy.name in ADAPTIVE,
            typed.get("strategy", FIRST) == strategy.name,
            tuple(_field(strategy, parameter, typed) for parameter in strategy.parameters),
        )
        for strategy in ALL_STRATEGIES.values()
    )


def read_recipe(form: Mapping[str, str]) -> Recipe:
    """The recipe that was sent; raises InvalidInput with all that is wrong, coded by its field."""
    findings: list[Finding] = []
    ties = next((rule for rule in TieRule if rule == form.get("ties")), None)
    if ties is None:
        findings.append(Finding("Ties", None, "ties", "no tie rule is chosen", "choose one"))
    strategy = ALL_STRATEGIES.get(form.get("strategy", FIRST))
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


# How far the slider of a budget goes unless more is typed into its field.
MOST_BUDGET = 500


@dataclass(frozen=True, slots=True)
class PlanForm:
    """What is to be planned; `others` are the parameters of the strategies that are not chosen, as texts."""

    recipe: Recipe
    others: Mapping[str, Mapping[str, str]]
    per_pair: int
    assessors: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class PlanField:
    """A parameter as a field; with `most` it has a slider from its lowest value to that."""

    name: str
    label: str
    hint: str
    value: str
    lowest: int
    most: int | None


@dataclass(frozen=True, slots=True)
class PlanFields:
    """A strategy of the form, with its parameters."""

    name: str
    help: str
    chosen: bool
    fields: tuple[PlanField, ...]


def read_plan_form(sent: MultiDict[str, str]) -> PlanForm:
    """What the form asks for, with defaults for what was not sent.

    Raises InvalidInput with all that is wrong, coded by its field.
    """
    form = {"ties": str(TieRule.TREC_EVAL), **sent.to_dict()}
    findings: list[Finding] = []
    recipe = None
    try:
        recipe = read_recipe(form)
    except InvalidInput as error:
        findings.extend(error.findings)
    per_pair = _whole(form, "per_pair", "1", findings)
    assessors = _whole(form, "assessors", "", findings)
    seconds = read_seconds(form.get("seconds", ""), "seconds", findings)
    if findings or recipe is None:
        raise InvalidInput(findings)
    others = {name: _sent(strategy, form) for name, strategy in ALL_STRATEGIES.items()}
    return PlanForm(recipe, others, per_pair or 1, assessors, seconds)


def read_seconds(text: str, field: str, findings: list[Finding]) -> float | None:
    """The seconds that were typed, None where the field is empty; what is none is added to the findings."""
    text = text.strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        findings.append(Finding("Seconds", None, field, f"{text[:40]!r} is no number", "give one, as 25"))
        return None
    return seconds


def plan_fields(sent: Mapping[str, str], deepest: int) -> tuple[PlanFields, ...]:
    """Every strategy with what was sent or the defaults in its fields; lists are `deepest` long at most."""
    chosen = sent.get("strategy", next(iter(ALL_STRATEGIES)))
    return tuple(
        PlanFields(
            name,
            strategy.help,
            name == chosen,
            tuple(_dial(strategy, one, sent, deepest) for one in strategy.parameters),
        )
        for name, strategy in ALL_STRATEGIES.items()
    )


def _dial(
    strategy: Strategy[Pool | Adaptive], one: Parameter, sent: Mapping[str, str], deepest: int
) -> PlanField:
    name = field_name(strategy.name, one.name)
    value = sent.get(name, one.text(one.default))
    lowest = int(one.lowest or 0)
    most = None
    # A seed or a rank constant has no direction in which a pool grows.
    if one.kind is WHOLE and one.name in {"depth", "budget"}:
        typed = whole_number(value) or 0
        # Below the longest list there is nothing more to be had.
        reach = min(max(FURTHER, typed), deepest) if one.name == "depth" else max(MOST_BUDGET, typed)
        most = max(reach, lowest + 1)
    bounds = f"; {one.bounds}" if one.bounds else ""
    hint = "" if one is SEED else f"{one.help[:1].upper()}{one.help[1:]} ({one.kind.name}{bounds})"
    return PlanField(name, one.name.replace("_", " ").capitalize(), hint, value, lowest, most)


def _sent(strategy: Strategy[Pool | Adaptive], form: Mapping[str, str]) -> dict[str, str]:
    names = {one.name: field_name(strategy.name, one.name) for one in strategy.parameters}
    return {name: form[field].strip() for name, field in names.items() if field in form}


def _whole(form: Mapping[str, str], field: str, default: str, findings: list[Finding]) -> int | None:
    text = form.get(field, "").strip() or default
    if not text:
        return None
    number = whole_number(text)
    if number is None or number < 1:
        findings.append(Finding("Plan", None, field, f"{text[:40]!r} is no number of it", "give 1 or more"))
    return number
