"""Plans in the terminal: the options of the work, and numbers in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from workbench.pooling.planning import Certainty

Command = TypeVar("Command", bound=Callable[..., Any])
_WORDS = {Certainty.EXACT: "", Certainty.EXPECTED: "about ", Certainty.AT_MOST: "at most "}


def work_options(command: Command) -> Command:
    """The options that say how pairs are judged."""
    for option in (
        click.option("--seconds", type=float, help="Seconds that a judgment takes."),
        click.option(
            "--per-pair",
            "--per-topic",
            "per_pair",
            default=1,
            show_default=True,
            type=int,
            help="How many assessors judge each topic, and so each pair.",
        ),
        click.option("--assessors", type=int, help="How many assessors share the work."),
    ):
        command = option(command)
    return command


def pairs_in_words(pairs: float, certainty: Certainty) -> str:
    """A size, with what it is: `86830`, `about 120`, `at most 5000`."""
    return f"{_WORDS[certainty]}{pairs:.0f}"


def hours(number: float) -> str:
    """Hours to a tenth."""
    return f"{number:.1f}"
