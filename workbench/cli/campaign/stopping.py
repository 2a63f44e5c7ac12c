"""When to stop in a learner's pool."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.output import one_form, print_export, say_table
from workbench.learning.advice import RecallEstimate
from workbench.learning.stopping import StoppingGoal
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.pools.stopping_advice import TopicAdvice, advice_export, further_sample, pool_advice


@click.command("stopping")
@click.argument("campaign")
@click.argument("pool")
@click.option("--topic", "topics", multiple=True, help="A topic (repeatable); default all.")
@click.option("--recall", default=0.8, show_default=True, help="Recall that the rules are to reach.")
@click.option("--confidence", default=0.95, show_default=True, help="How sure to be of it.")
@click.option("--further", type=click.IntRange(1), help="Estimate what so many more random documents buy.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option("--csv", "as_csv", is_flag=True, help="One row for each topic and rule, as CSV.")
@database_options
def stopping(settings: Settings, campaign: str, pool: str, topics: tuple[str, ...], **given: Any) -> None:
    """Estimate the recall of a learner's POOL, and show where each stopping rule would have stopped.

    This is advice: nothing is stopped by it. Intervals of recall hold at 95 %.
    """
    form = one_form(as_json=given["as_json"], as_csv=given["as_csv"], as_latex=False)
    goal = StoppingGoal(given["recall"], given["confidence"])
    with open_database(settings) as database, database.reading() as db:
        found = pool_advice(db, campaign_by_slug(db, campaign).id, pool, goal, topics)
    if not print_export(advice_export(found, given["further"]), form):
        for one in found:
            _say(one, given["further"])


def _say(of: TopicAdvice, further: int | None) -> None:
    advice, sample = of.advice, of.advice.sample
    drawn = f"{sample.judged} of {sample.drawn} judged" if sample else "none drawn"
    click.echo(f"topic {of.topic}: {advice.found} relevant in {advice.judged} judged documents")
    where = f"random documents among {advice.unread} unread ones: {drawn}"
    click.echo(f"recall {_recall(advice.recall)}, from the {where}")
    more = further_sample(advice, further)
    if more is not None:
        click.echo(f"with {more.documents} more of them, expect recall {_recall(more.recall)}")
    say_table(
        ["rule", "read", "found", "why"],
        [
            (rule.name, *("-" if one is None else str(one) for one in (stop.read, stop.found)), stop.reason)
            for rule, stop in advice.stops
        ],
        numeric=(1, 2),
    )


def _recall(estimate: RecallEstimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "unknown: there may be no relevant document"
    value = "unknown" if estimate.value is None else f"{estimate.value:.2f}"
    return f"{value} (95 % interval {estimate.low:.2f} to {estimate.high:.2f})"
