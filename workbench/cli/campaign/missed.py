"""What the pool still misses: a random sample of what was not pooled, and what it says."""

from __future__ import annotations

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.output import one_form, print_export, say_table
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.searching.drawing import SampleDraw, keep_draw, plan_draw
from workbench.workflow.searching.missed import MissedLine, MissedReport, missed_export, missed_report


@click.group("missed")
def missed() -> None:
    """Draw a sample of what is not pooled, and estimate what the pools have missed."""


@missed.command("draw")
@click.argument("campaign")
@click.option("--pool", required=True, help="Name of the open pool that takes the documents.")
@click.option("-n", "--size", required=True, type=int, help="Documents of each topic.")
@click.option("--topic", "topics", multiple=True, help="A topic (repeatable); default all.")
@click.option("--seed", type=int, help="Random seed; drawn and recorded if not given.")
@database_options
def draw_missed(
    settings: Settings, campaign: str, pool: str, size: int, topics: tuple[str, ...], seed: int | None
) -> None:
    """Draw a random sample of what is neither pooled nor judged in CAMPAIGN and add it to a pool."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            planned = plan_draw(db, campaign_id, SampleDraw(pool, size, topics, seed))
        with database.writing() as db:
            keep_draw(db, campaign_id, planned)
    say_table(
        ["topic", "new", "sample", "not pooled", "seed"],
        [(one.topic, len(one.new), len(one.docnos), one.unpooled, one.seed) for one in planned.topics],
        numeric=range(1, 5),
    )


@missed.command("estimate")
@click.argument("campaign")
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with all topics together.")
@click.option("--csv", "as_csv", is_flag=True, help="The topics as CSV.")
@database_options
def estimate(settings: Settings, campaign: str, as_json: bool, as_csv: bool) -> None:
    """Estimate the relevant documents that the pools of CAMPAIGN miss, from the samples drawn.

    Intervals hold at 95 % and allow for sampled documents that are not judged yet.
    """
    form = one_form(as_json=as_json, as_csv=as_csv, as_latex=False)
    with open_database(settings) as database, database.reading() as db:
        report = missed_report(db, campaign_by_slug(db, campaign).id)
    if not print_export(missed_export(report), form):
        _say(report)


def _say(report: MissedReport) -> None:
    together = () if report.together is None else (report.together,)
    say_table(
        [
            "topic",
            "sample",
            "not pooled",
            "judged",
            "relevant",
            "missed",
            "95 % interval",
            "recall",
            "95 % interval",
        ],
        [_row(one) for one in (*report.topics, *together)],
        numeric=range(1, 9),
    )
    click.echo(f"{len(report.topics)} of {report.of_topics} topics sampled", err=True)


def _row(one: MissedLine) -> tuple[str, ...]:
    known = one.recall_low is not None and one.recall_high is not None
    return (
        one.topic,
        str(one.drawn),
        str(one.unpooled),
        str(one.judged),
        str(one.relevant),
        "-" if one.missed is None else f"{one.missed:.1f}",
        f"{one.missed_low} to {one.missed_high}",
        "-" if one.recall is None else f"{one.recall:.2f}",
        f"{one.recall_low:.2f} to {one.recall_high:.2f}" if known else "-",
    )
