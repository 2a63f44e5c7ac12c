"""Options of the pooling strategies, generated from their registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from workbench.errors import InvalidInput
from workbench.pooling.strategy import Strategy
from workbench.records import TieRule

Command = TypeVar("Command", bound=Callable[..., Any])


def recipe_options(
    strategies: Mapping[str, Strategy[Any]], *, listed_by: str = "workbench pool --strategies"
) -> Callable[[Command], Command]:
    """The options of a pool's recipe: the strategy, all parameters, and which of equal scores comes first."""

    def with_options(command: Command) -> Command:
        command = click.option(
            "--ties",
            type=click.Choice([rule.value for rule in TieRule]),
            default=TieRule.TREC_EVAL.value,
            show_default=True,
            help="Which of two documents with the same score comes first.",
        )(command)
        command = strategy_options(strategies)(command)
        return click.option(
            "--strategy",
            type=click.Choice(list(strategies)),
            default="depth",
            show_default=True,
            help=f"How the documents are chosen; {listed_by} lists them.",
        )(command)

    return with_options


def some_runs_options(command: Command) -> Command:
    """The options that say which of a campaign's runs are pooled."""
    command = click.option(
        "--priority",
        type=click.IntRange(1),
        help="Only each group's runs with this priority or a smaller number.",
    )(command)
    return click.option("--run", "tags", multiple=True, help="Only these runs, by tag; all if not given.")(
        command
    )


def strategy_options(strategies: Mapping[str, Strategy[Any]]) -> Callable[[Command], Command]:
    """An option for every parameter that any of these strategies has, in the order of the catalogue."""
    uses: dict[str, dict[str, list[str]]] = {}
    for strategy in strategies.values():
        for parameter in strategy.parameters:
            said = uses.setdefault(parameter.name, {})
            said.setdefault(parameter.description, []).append(strategy.name)

    def with_options(command: Command) -> Command:
        for name, said in reversed(uses.items()):
            # Strategies that say the same of a parameter are named together.
            help_text = " ".join(f"{', '.join(names)}: {description}." for description, names in said.items())
            command = click.option(option_name(name), name, metavar="VALUE", help=help_text)(command)
        return command

    return with_options


def option_name(parameter: str) -> str:
    """The option by which a parameter is given."""
    return f"--{parameter.replace('_', '-')}"


def strategy_values(strategy: Strategy[Any], given: Mapping[str, str | None]) -> dict[str, Any]:
    """The values of the options that were given; raises click's UsageError with everything that is wrong."""
    try:
        return strategy.values({name: text for name, text in given.items() if text is not None})
    except InvalidInput as error:
        said = (
            f"{option_name(finding.source)}: {finding.message} ({finding.remedy})"
            for finding in error.findings
        )
        raise click.UsageError("\n       ".join(said)) from error
