"""`workbench plan`: what a pool of run files would cost; and the text of every plan."""

from __future__ import annotations

import click

from workbench.cli.output import JSON_OBJECT, Command, say_json, say_table
from workbench.cli.pool import recipe_options
from workbench.cli.runs import RunFiles, only_one_standard_input, read_runs, run_arguments
from workbench.errors import InvalidInput
from workbench.pooling.planning import Certainty, JudgingWork
from workbench.pooling.run_tops import RunTops, reached
from workbench.pooling.strategies import ALL_STRATEGIES, PoolRecipe
from workbench.ranking import ordered
from workbench.records import Ranking, Run, TieRule

_WORDS = {Certainty.EXACT: "", Certainty.EXPECTED: "about ", Certainty.AT_MOST: "at most "}


def work_options(command: Command) -> Command:
    """The options for how pairs are judged."""
    for option in (
        click.option("--seconds", type=float, help="Seconds per judgment."),
        click.option(
            "--per-pair",
            "--per-topic",
            "per_pair",
            default=1,
            show_default=True,
            type=int,
            help="Assessors per topic, and so judgments per pair.",
        ),
        click.option("--assessors", type=int, help="Number of assessors who share the work."),
    ):
        command = option(command)
    return command


def pairs_in_words(pairs: float, certainty: Certainty) -> str:
    """A size, with what it is: `86830`, `about 120`, `at most 5000`."""
    return f"{_WORDS[certainty]}{pairs:.0f}"


def hours(number: float) -> str:
    """Hours to a tenth."""
    return f"{number:.1f}"


SECONDS = 30.0


@click.command("plan")
@run_arguments()
@recipe_options()
@work_options
@JSON_OBJECT
def command(
    runs: RunFiles,
    recipe: PoolRecipe,
    assessors: int | None,
    per_pair: int,
    seconds: float | None,
    as_json: bool,
) -> None:
    """Estimate the size of the pool of these RUNs, by topic, and the hours of judging it.

    By default a judgment takes 30 seconds, and there are as many assessors as each pair needs.
    """
    only_one_standard_input(runs.names)
    strategy, values, ties = ALL_STRATEGIES[recipe.strategy], recipe.values(), recipe.ties
    try:
        work = JudgingWork(
            per_pair, per_pair if assessors is None else assessors, SECONDS if seconds is None else seconds
        )
    except InvalidInput as error:
        lines = "\n       ".join(f"{one.message} ({one.remedy})" for one in error.findings)
        raise click.UsageError(lines) from error
    depth = strategy.depth_read(values)
    longest: dict[str, int] = {}
    tops = []
    for _, run in read_runs(runs, warnings=False, depth=depth, ties=ties):
        tops.append(RunTops.of(run if depth is not None else _in_order(run, ties)))
        for topic, ranking in run.rankings.items():
            longest[topic] = max(len(ranking), longest.get(topic, 0))
    own = {name: values.get(name) for name in ("run_depths", "topic_depths")}
    reach = reached(tops, **own)
    found = strategy.sizes(reach, values, longest=longest)
    if as_json:
        say_json(
            {
                "pairs": found.total,
                "certainty": str(found.certainty),
                "hours": work.hours(found.total),
                "hours_each": work.hours_each(found.total),
                "topics": dict(zip(found.topics, found.pairs, strict=True)),
            }
        )
        return
    rows = sorted(zip(found.topics, found.pairs, strict=True), key=lambda row: -row[1])
    say_table(
        ["topic", "pairs", "hours"],
        [(topic, pairs_in_words(pairs, found.certainty), hours(work.hours(pairs))) for topic, pairs in rows],
        numeric=[1, 2],
    )
    click.echo(
        f"{found.total:.0f} pairs, {work.per_pair} times {work.seconds:g} s: "
        f"{hours(work.hours(found.total))} hours, "
        f"{hours(work.hours_each(found.total))} for each of {work.assessors}"
    )


def _in_order(run: Run, ties: TieRule) -> Run:
    """The run with its documents best first; their scores are not needed."""
    first = {topic: ordered(ranking, ties=ties) for topic, ranking in run.rankings.items()}
    return Run(run.tag, {topic: Ranking(docnos, (0.0,) * len(docnos)) for topic, docnos in first.items()})
