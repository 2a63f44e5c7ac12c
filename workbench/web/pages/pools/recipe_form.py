"""The form of a pool's recipe, generated from the registry of strategies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.errors import Finding, InvalidInput
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import ALL_STRATEGIES, WHILE_JUDGING, PoolRecipe
from workbench.pooling.strategy import Parameter, Strategy
from workbench.records import TieRule
from workbench.web.forms import whole_number

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


@dataclass(frozen=True, slots=True)
class ParameterField:
    """A parameter as a field of the form."""

    name: str
    label: str
    hint: str
    value: str


@dataclass(frozen=True, slots=True)
class StrategyFields:
    """A strategy as a choice of the form, with the fields of its parameters."""

    strategy: Strategy[Any]
    adaptive: bool
    chosen: bool
    fields: tuple[ParameterField, ...]
    use_when: str


def strategy_fields(sent: Mapping[str, str], deepest: int | None = None) -> tuple[StrategyFields, ...]:
    """Every strategy, with what was sent or the defaults in its fields.

    With `deepest`, the length of the longest list, no depth begins beyond it.
    """
    chosen = sent.get("strategy", FIRST)
    return tuple(
        StrategyFields(
            strategy,
            name in WHILE_JUDGING,
            name == chosen,
            tuple(_field(name, parameter, sent, deepest) for parameter in strategy.parameters),
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


def _field(
    strategy: str, parameter: Parameter, sent: Mapping[str, str], deepest: int | None
) -> ParameterField:
    name = field_name(strategy, parameter.name)
    default = parameter.default
    usual = parameter.text(min(default, deepest) if deepest and parameter.name == "depth" else default)
    value = sent.get(name, usual)
    bounds = f"; {parameter.bounds}" if parameter.bounds else ""
    empty = f"; {parameter.text(default)} if empty" if parameter.text(default) else ""
    return ParameterField(
        name=name,
        label=parameter.name.replace("_", " ").capitalize(),
        hint=f"{parameter.help[:1].upper()}{parameter.help[1:]} ({parameter.kind.name}{bounds}{empty})",
        value=value,
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
