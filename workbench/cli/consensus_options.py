"""Options of the consensus rules, generated from their registry."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from workbench.consensus.rule import RuleParameter
from workbench.consensus.rules import PARAMETERS, RULES, rule_choice

NAMES = list(RULES)
_HELP = "; ".join(f"{rule.name}: {rule.help}" for rule in RULES.values())


_EXPORTS = {
    "qrels": "qrels lines",
    "labels": "every grade with its confidence, as CSV",
    "soft": "mean, number and shares of the grades of every pair, as CSV",
    "groups": "every assessor's grades as a group, for trec_eval -R qrels_jg",
}
NEEDS_RULE = ("qrels", "labels")
TEXT = ("qrels", "groups")
"""What is exported as text for other programs only."""
EXPORT = click.option(
    "--export",
    type=click.Choice(list(_EXPORTS)),
    help="; ".join(f"{name}: {what}" for name, what in _EXPORTS.items()),
)
OUTPUT = click.option(
    "-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="A file; else printed."
)


def consensus_options(
    *, default: str | None = None, machines: bool = True, several: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command `--rule` and every parameter that a rule may have; it receives a `choice`.

    Without a default and a rule the choice has an empty rule. With `several` the option may be repeated; the
    command receives `rules` as well, and `people`, the assessors that were named.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            given = {name: kwargs.pop(name) for name in PARAMETERS}
            rule = kwargs.pop("rule")
            machines = bool(kwargs.pop("machines", False))
            if several:
                people = given["assessor"]
                given["assessor"] = people[0] if people else None
                kwargs |= {"rules": rule, "people": people}
                rule = ""
            return command(*args, choice=rule_choice(rule or "", machines=machines, **given), **kwargs)

        made: Callable[..., Any] = wrapped
        for parameter in reversed(tuple(PARAMETERS.values())):
            made = _option(parameter, several)(made)
        if machines:
            made = click.option("--machines", is_flag=True, help="Count machine judgments as votes.")(made)
        shown = default is not None
        return click.option(
            "--rule",
            default=() if several else default,
            show_default=shown and not several,
            multiple=several,
            type=click.Choice(NAMES),
            help=_HELP,
        )(made)

    return decorate


def _option(parameter: RuleParameter, several: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    users = [rule.name for rule in RULES.values() if parameter in rule.parameters]
    meanings = "".join(f"; {value}: {meaning}" for value, meaning in parameter.choices)
    ending = f".  [default: {parameter.default}]" if parameter.default else "."
    kind: Any = click.Choice([value for value, _ in parameter.choices]) if parameter.choices else str
    if parameter.number:
        kind = _number
    text = f"For {', '.join(users)}: {parameter.help}{'' if parameter.name == 'then' else meanings}{ending}"
    repeated = several and parameter.name == "assessor"
    metavar = "N" if parameter.number else None
    return click.option(f"--{parameter.name}", multiple=repeated, type=kind, metavar=metavar, help=text)


def _number(text: str) -> str:
    if not text.isdecimal() or int(text) < 1:
        raise click.BadParameter("a whole number, 1 or more")
    return text
