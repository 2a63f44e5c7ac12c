"""The options of a pool's recipe, generated from the registry of strategies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import click

from workbench.errors import InvalidInput
from workbench.pooling.strategies import ALL_STRATEGIES, PoolRecipe
from workbench.pooling.strategy import Strategy
from workbench.records import TieRule

Command = Callable[..., Any]


def recipe_options(*, listed_by: str = "workbench pool --strategies") -> Callable[[Command], Command]:
    """Give a command the options of a recipe: strategy, all parameters, ties; it receives a `recipe`."""
    parameters = _parameter_help(ALL_STRATEGIES)

    def with_options(command: Command) -> Command:
        @wraps(command)
        def with_recipe(*args: Any, strategy: str, ties: str, **options: Any) -> Any:
            given = {name: options.pop(name) for name in parameters}
            runs = {
                name: options.pop(name) for name in ("tags", "priority", "supplementary") if name in options
            }
            if "tags" in runs:
                runs["tags"] = runs["tags"] or None
            values = _values(ALL_STRATEGIES[strategy], given)
            return command(*args, recipe=PoolRecipe(strategy, values, TieRule(ties), **runs), **options)

        decorated = click.option(
            "--ties",
            type=click.Choice([rule.value for rule in TieRule]),
            default=TieRule.TREC_EVAL.value,
            show_default=True,
            help="Order of documents with equal scores.",
        )(with_recipe)
        for name, help_text in reversed(parameters.items()):
            decorated = click.option(option_name(name), name, metavar="VALUE", help=help_text)(decorated)
        return click.option(
            "--strategy",
            type=click.Choice(list(ALL_STRATEGIES)),
            default="depth",
            show_default=True,
            help=f"Pooling strategy; {listed_by} lists them.",
        )(decorated)

    return with_options


def campaign_recipe_options(command: Command) -> Command:
    """The same with options for the campaign's runs and pairs that are pooled."""
    command = recipe_options()(command)
    for option in (
        click.option(
            "--supplementary", is_flag=True, help="Leave out pairs that are already pooled or judged."
        ),
        click.option(
            "--priority",
            type=click.IntRange(1),
            help="Only each group's runs with this priority or a smaller number.",
        ),
        click.option("--run", "tags", multiple=True, help="Tag of a run to pool (repeatable); default all."),
    ):
        command = option(command)
    return command


def option_name(parameter: str) -> str:
    """The option by which a parameter is given."""
    return f"--{parameter.replace('_', '-')}"


def _parameter_help(strategies: Mapping[str, Strategy[Any]]) -> dict[str, str]:
    """The help of every parameter that any strategy has, in the order of the registry.

    Strategies that describe a parameter alike are named together.
    """
    uses: dict[str, dict[str, list[str]]] = {}
    for strategy in strategies.values():
        for parameter in strategy.parameters:
            descriptions = uses.setdefault(parameter.name, {})
            descriptions.setdefault(parameter.description, []).append(strategy.name)
    return {
        name: " ".join(f"{', '.join(names)}: {description}." for description, names in descriptions.items())
        for name, descriptions in uses.items()
    }


def _values(strategy: Strategy[Any], given: Mapping[str, str | None]) -> dict[str, Any]:
    """The values of the options that were given; raises click's UsageError with everything that is wrong."""
    try:
        return strategy.values({name: text for name, text in given.items() if text is not None})
    except InvalidInput as error:
        lines = (
            f"{option_name(finding.source)}: {finding.message} ({finding.remedy})"
            for finding in error.findings
        )
        raise click.UsageError("\n       ".join(lines)) from error
