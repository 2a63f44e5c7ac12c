"""Which grades the commands about agreement compare, and whose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from workbench.agreement.several.entering import Machines

Command = TypeVar("Command", bound=Callable[..., Any])
RELEVANT_FROM = click.option(
    "--relevant-from", type=int, metavar="N", help="Lowest relevant grade; the campaign's if not given."
)
MACHINES = click.option(
    "--machines",
    default=Machines.APART.value,
    show_default=True,
    type=click.Choice([one.value for one in Machines]),
    help="Whose answers: of people alone, machines among them, or machines only.",
)


def grade_options(command: Command) -> Command:
    """The options that say which grades are compared."""
    command = click.option("--graded", is_flag=True, help="Compare all grades instead of relevant or not.")(
        command
    )
    return RELEVANT_FROM(command)


def bootstrap_options(rounds: int) -> Callable[[Command], Command]:
    """The options of intervals by drawing again."""

    def decorate(command: Command) -> Command:
        command = click.option(
            "--seed", default=0, show_default=True, type=click.IntRange(0), help="Of the drawing."
        )(command)
        return click.option(
            "--rounds", default=rounds, show_default=True, type=click.IntRange(1, 100_000), help="Resamples."
        )(command)

    return decorate
