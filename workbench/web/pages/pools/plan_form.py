"""The form of the cost planner: a recipe as the pool's form has it, and how its pairs would be judged."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from werkzeug.datastructures import MultiDict

from workbench.errors import Finding, InvalidInput
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.every_strategy import EVERY_STRATEGY
from workbench.pooling.parameters import SEED, WHOLE, Parameter, Strategy
from workbench.pooling.pool import Pool
from workbench.records import TieRule
from workbench.web.forms import whole_number
from workbench.web.pages.pools.recipe_form import Recipe, field_name, read_recipe
from workbench.workflow.pools.planning import FURTHER

# How far the slider of a budget goes unless more is typed into its field.
MOST_BUDGET = 500


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be planned; `others` are the parameters of the strategies that are not chosen, as texts."""

    recipe: Recipe
    others: Mapping[str, Mapping[str, str]]
    per_pair: int
    assessors: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Dial:
    """A parameter as a field; with `most` it has a slider from its lowest value to that."""

    name: str
    label: str
    hint: str
    value: str
    lowest: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Dials:
    """A strategy of the form, with its parameters."""

    name: str
    help: str
    chosen: bool
    fields: tuple[Dial, ...]


def read_asked(sent: MultiDict[str, str]) -> Asked:
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
    others = {name: _sent(strategy, form) for name, strategy in EVERY_STRATEGY.items()}
    return Asked(recipe, others, per_pair or 1, assessors, seconds)


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


def dials_of(sent: Mapping[str, str], deepest: int) -> tuple[Dials, ...]:
    """Every strategy with what was sent or the defaults in its fields; lists are `deepest` long at most."""
    chosen = sent.get("strategy", next(iter(EVERY_STRATEGY)))
    return tuple(
        Dials(
            name,
            strategy.help,
            name == chosen,
            tuple(_dial(strategy, one, sent, deepest) for one in strategy.parameters),
        )
        for name, strategy in EVERY_STRATEGY.items()
    )


def _dial(strategy: Strategy[Pool | Adaptive], one: Parameter, sent: Mapping[str, str], deepest: int) -> Dial:
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
    return Dial(name, one.name.replace("_", " ").capitalize(), hint, value, lowest, most)


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
