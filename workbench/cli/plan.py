"""`workbench plan`: what a pool of run files would cost."""

from __future__ import annotations

import click

from workbench.cli.output import say_json, say_table
from workbench.cli.plan_text import hours, pairs_in_words, work_options
from workbench.cli.runs import only_one_standard_input, read_runs
from workbench.cli.strategy_options import recipe_options, strategy_values
from workbench.errors import InvalidInput
from workbench.pooling.cost import Work
from workbench.pooling.every_strategy import EVERY_STRATEGY
from workbench.pooling.planning import Sizes, Values, depth_read, one_more, sizes
from workbench.pooling.reached import RunTops, reached
from workbench.ranking import ordered
from workbench.records import Ranking, Run, TieRule

SECONDS = 30.0


@click.command("plan")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@recipe_options(EVERY_STRATEGY)
@work_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def command(
    runs: tuple[str, ...],
    strategy: str,
    ties: str,
    assessors: int | None,
    per_pair: int,
    seconds: float | None,
    as_json: bool,
    **parameters: str | None,
) -> None:
    """Tell how large the pool of these RUNs would be, by topic, and the hours of judging it.

    Unless they are given a judgment takes 30 seconds, and there are as many assessors as a pair needs.
    """
    only_one_standard_input(runs)
    values = strategy_values(EVERY_STRATEGY[strategy], parameters)
    try:
        work = Work(
            per_pair, per_pair if assessors is None else assessors, SECONDS if seconds is None else seconds
        )
    except InvalidInput as error:
        said = "\n       ".join(f"{one.message} ({one.remedy})" for one in error.findings)
        raise click.UsageError(said) from error
    depth = depth_read(strategy, values)
    # One deeper, for what one step more would cost.
    depth = None if depth is None else depth + 1
    longest: dict[str, int] = {}
    tops = []
    for _, run in read_runs(runs, warnings=False, unique_tags=True, depth=depth, ties=TieRule(ties)):
        tops.append(RunTops.of(run if depth is not None else _in_order(run, TieRule(ties))))
        for topic, ranking in run.rankings.items():
            longest[topic] = max(len(ranking), longest.get(topic, 0))
    own = {name: values.get(name) for name in ("run_depths", "topic_depths")}
    reach = reached(tops, **own)

    def planned(of: Values) -> Sizes:
        return sizes(reach, strategy=strategy, values=of, longest=longest)

    found, larger = planned(values), one_more(values)
    step = None if larger is None else planned(larger).total - found.total
    if as_json:
        say_json(
            {
                "pairs": found.total,
                "certainty": str(found.certainty),
                "hours": work.hours(found.total),
                "hours_each": work.hours_each(found.total),
                "one_step_more": step,
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
        + ("" if step is None else f"; one step more: {step:.0f} pairs")
    )


def _in_order(run: Run, ties: TieRule) -> Run:
    """The run with its documents best first; their scores are not needed."""
    first = {topic: ordered(ranking, ties=ties) for topic, ranking in run.rankings.items()}
    return Run(run.tag, {topic: Ranking(docnos, (0.0,) * len(docnos)) for topic, docnos in first.items()})
