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
from workbench.pooling.strategies import ALL_STRATEGIES, WHILE_JUDGING, PoolRecipe
from workbench.pooling.strategy import Parameter, Strategy
from workbench.records import TieRule
from workbench.web.forms import whole_number
from workbench.workflow.pools.planning import FURTHER

FIRST = "depth"
# The strategies that most campaigns choose from, and when; the others are one click away.
USE_WHEN: Mapping[str, str] = {
    "depth": "Use for a standard collection that others will reuse: all runs are treated alike.",
    "take-n": "Use when the number of judgments for each topic is fixed in advance.",
    "stratified": "Use to estimate measures without bias from few judgments of long lists.",
    "learner": "Use to find relevant documents that no run found. Documents are chosen from the whole "
    "collection while people judge, a share of them at random; the runs below do not matter.",
    "move-to-front": "Use to find as many relevant documents as possible with few judgments. Documents are "
    "chosen while people judge and judged once each, so agreement cannot be measured.",
}
MOST_BUDGET = 500
"""How far the slider of a budget goes unless more is typed into its field."""


@dataclass(frozen=True, slots=True)
class ParameterField:
    """A parameter as a field of the form; with `most` it has a slider from its lowest value to that."""

    name: str
    label: str
    hint: str
    value: str
    lowest: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class StrategyFields:
    """A strategy as a choice of the form, with the fields of its parameters."""

    strategy: Strategy[Any]
    adaptive: bool
    chosen: bool
    fields: tuple[ParameterField, ...]
    use_when: str


@dataclass(frozen=True, slots=True)
class PlanForm:
    """What is to be planned; `others` are the parameters of the strategies that are not chosen, as texts."""

    recipe: PoolRecipe
    others: Mapping[str, Mapping[str, str]]
    per_pair: int
    assessors: int | None
    seconds: float | None


def strategy_fields(
    sent: Mapping[str, str], deepest: int | None = None, *, sliders: bool = True
) -> tuple[StrategyFields, ...]:
    """Every strategy, with what was sent or the defaults in its fields.

    With `deepest`, the length of the longest list, no depth begins beyond it, and with `sliders` depths and
    budgets have some.
    """
    chosen = sent.get("strategy", FIRST)
    return tuple(
        StrategyFields(
            strategy,
            name in WHILE_JUDGING,
            name == chosen,
            tuple(_field(name, parameter, sent, deepest, sliders) for parameter in strategy.parameters),
            USE_WHEN.get(name, ""),
        )
        for name, strategy in ALL_STRATEGIES.items()
    )


def field_name(strategy: str, parameter: str) -> str:
    """The name of a parameter's field: several strategies have a `budget`."""
    return parameter if parameter == strategy else f"{strategy}-{parameter}"


def read_recipe(form: Mapping[str, str]) -> PoolRecipe:
    """The recipe that was sent, of all runs; raises InvalidInput with every error, coded by its field."""
    findings: list[Finding] = []
    ties = next((rule for rule in TieRule if rule == form.get("ties")), None)
    if ties is None:
        findings.append(Finding("Ties", None, "ties", "no tie rule is chosen", "choose one"))
    strategy = ALL_STRATEGIES.get(form.get("strategy", FIRST))
    given: dict[str, str] = {}
    if strategy is None:
        findings.append(Finding("Strategy", None, "strategy", "no strategy is chosen", "choose one"))
    else:
        given = _sent_parameters(strategy, form)
        try:
            strategy.values(given)
        except InvalidInput as error:
            names = {one.name: field_name(strategy.name, one.name) for one in strategy.parameters}
            findings.extend(
                Finding(one.source, None, names.get(one.source, one.code), one.message, one.remedy)
                for one in error.findings
            )
    priority = _priority(form, findings)
    if findings or strategy is None or ties is None:
        raise InvalidInput(findings)
    supplementary = form.get("supplementary") == "yes"
    return PoolRecipe(strategy.name, given, ties, priority=priority, supplementary=supplementary)


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
    others = {name: _sent_parameters(strategy, form) for name, strategy in ALL_STRATEGIES.items()}
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


def _field(
    strategy: str, parameter: Parameter, sent: Mapping[str, str], deepest: int | None, sliders: bool
) -> ParameterField:
    name = field_name(strategy, parameter.name)
    default = parameter.default
    usual = parameter.text(min(default, deepest) if deepest and parameter.name == "depth" else default)
    value = sent.get(name, usual)
    bounds = f"; {parameter.bounds}" if parameter.bounds else ""
    empty = f"; {parameter.text(default)} if empty" if parameter.text(default) else ""
    lowest = int(parameter.lowest or 0)
    most = None
    # A seed or a rank constant has no direction in which a pool grows.
    if sliders and deepest is not None and parameter.name in {"depth", "budget"}:
        typed = whole_number(value) or 0
        # Below the longest list there is nothing more to be had.
        reach = min(max(FURTHER, typed), deepest) if parameter.name == "depth" else max(MOST_BUDGET, typed)
        most = max(reach, lowest + 1)
    return ParameterField(
        name=name,
        label=parameter.name.replace("_", " ").capitalize(),
        hint=f"{parameter.help[:1].upper()}{parameter.help[1:]} ({parameter.kind.name}{bounds}{empty})",
        value=value,
        lowest=lowest,
        most=most,
    )


def _sent_parameters(strategy: Strategy[Pool | Adaptive], form: Mapping[str, str]) -> dict[str, str]:
    names = {one.name: field_name(strategy.name, one.name) for one in strategy.parameters}
    typed = {name: form.get(field, "").strip() for name, field in names.items()}
    # An empty field is as if it were not there: the default.
    return {name: text for name, text in typed.items() if text}


def _priority(form: Mapping[str, str], findings: list[Finding]) -> int | None:
    """The lowest priority of the runs that are pooled, None for all."""
    text = form.get("priority", "").strip()
    number = whole_number(text)
    if text and (number is None or number < 1):
        remedy = "give a whole number from 1, or nothing for all runs"
        findings.append(Finding("Priority", None, "priority", f"{text[:40]!r} is no priority", remedy))
    return number


def _whole(form: Mapping[str, str], field: str, default: str, findings: list[Finding]) -> int | None:
    text = form.get(field, "").strip() or default
    if not text:
        return None
    number = whole_number(text)
    if number is None or number < 1:
        findings.append(Finding("Plan", None, field, f"{text[:40]!r} is no number of it", "give 1 or more"))
    return number
