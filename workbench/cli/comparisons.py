"""Comparisons of runs at the terminal, from files and in a campaign: their options, and tables for people."""

from __future__ import annotations

from collections.abc import Sequence

import click

from workbench.cli.output import say_table
from workbench.cli.qrels_files import note_topics
from workbench.scoring.pairs_of_runs import Comparisons
from workbench.scoring.significance import FEWEST_TOPICS, LEVEL, TOO_FEW_TOPICS
from workbench.scoring.topic_difficulty import ORDERS, TopicTable
from workbench.scoring.two_runs import METHODS, TESTS, AllPairs, TwoRuns, method_in_words

SEED = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of what is drawn at random."
)
METHOD = click.option(
    "--method",
    type=click.Choice([str(method) for method in METHODS]),
    default=str(Comparisons.MAX_T),
    show_default=True,
    help="Test of all pairs: the largest t by bootstrap, which keeps the error of all together where runs "
    "vary differently, or tests of each pair corrected by Holm's method.",
)
AVERAGE_OVER = click.option(
    "--average-over",
    type=click.Choice(["shared", "qrels"]),
    default="shared",
    show_default=True,
    help="Topics compared: those that every run has, or all of the qrels, where a run that lacks one counts "
    "as retrieving nothing.",
)
ORDER = click.option(
    "--order",
    type=click.Choice(list(ORDERS)),
    default=next(iter(ORDERS)),
    show_default=True,
    help="By the median of the runs, hardest first, or by their standard deviation, highest first.",
)


def _note_left_out(topics: Sequence[str]) -> None:
    note_topics(topics, "topics that a run lacks are not compared")


def say_two_runs(found: TwoRuns) -> None:
    """Print the topics of two runs and the tests; on the error stream the difference with its interval."""
    one = found.difference
    _note_left_out(found.left_out)
    say_table(
        ["topic", found.first.tag, found.second.tag, "difference"],
        [[topic, *map(_four, values)] for topic, *values in found.topics],
        numeric=range(1, 4),
    )
    click.echo()
    say_table(
        ["test", "n", "statistic", "p", "method"],
        [
            [TESTS[test.test], test.n, "-", "-", f"undefined: {test.undefined}"]
            if test.p is None or test.statistic is None
            else [
                TESTS[test.test],
                test.n,
                f"{test.statistic:.4f}",
                f"{test.p:.4f}",
                test.method + (f", seed {test.seed}" if test.seed is not None else ""),
            ]
            for test in one.tests
        ],
        numeric=range(1, 4),
    )
    interval = (
        f"no interval of {TOO_FEW_TOPICS}"
        if one.low is None or one.high is None
        else f"{LEVEL:.0%} t interval {one.low:.4f} to {one.high:.4f}"
    )
    effect = "undefined" if one.effect is None else f"{one.effect:.2f}"
    click.echo(
        f"{found.shown}, {found.first.tag} less {found.second.tag} over {one.topics} topics: "
        f"{one.mean:.4f} ({interval}), d_z {effect}; better on {one.better}, equal on {one.tied}, "
        f"worse on {one.worse}",
        err=True,
    )


def say_all_pairs(found: AllPairs) -> None:
    """Print every two runs; on the error stream how many differences are significant, and by which test."""
    _note_left_out(found.left_out)
    say_table(
        ["better", "other", "difference", "low", "high", "d_z", "p adjusted", "significant"],
        [
            [
                line.first,
                line.second,
                *map(_four, (line.difference, line.low, line.high)),
                "-" if line.effect is None else f"{line.effect:.2f}",
                "-" if line.p is None else f"{line.p:.4f}",
                "yes" if line.significant else "no",
            ]
            for line in found.lines
        ],
        numeric=range(2, 7),
    )
    if found.compared.topics < FEWEST_TOPICS:
        click.echo(f"note: no interval and no test of {TOO_FEW_TOPICS}", err=True)
        return
    if found.finds_nothing:
        click.echo(f"note: {found.finds_nothing}", err=True)
    click.echo(
        f"{found.shown} of {len(found.ranked)} runs over {found.compared.topics} topics: "
        f"{found.significant} of {found.pairs} differences are significant at {1 - LEVEL:.2g} "
        f"({method_in_words(found.compared)})",
        err=True,
    )


def say_topic_table(found: TopicTable) -> None:
    """Print the topics with what the runs score on them."""
    say_table(
        ["topic", "median", "quartiles", "lowest", "highest", "std. dev.", "relevant"],
        [
            [
                one.topic,
                _four(one.median),
                f"{one.lower:.4f} to {one.upper:.4f}",
                _four(one.low),
                _four(one.high),
                "-" if one.deviation is None else _four(one.deviation),
                found.relevant.get(one.topic, 0),
            ]
            for one in found.lines
        ],
        numeric=range(1, 7),
    )
    click.echo(f"{found.shown} of {found.lines[0].runs} runs on {len(found.lines)} topics", err=True)


def _four(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
