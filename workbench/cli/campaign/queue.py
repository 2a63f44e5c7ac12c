"""`workbench campaign queue`: pools that assessors judge from one queue."""

from __future__ import annotations

from functools import partial

import click

from workbench.cli.database import database_options, open_database, say_disabled, writing_to
from workbench.cli.output import say_json, say_table
from workbench.errors import NotFound
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging import queues
from workbench.workflow.judging.queues import QueueReport, queue_report
from workbench.workflow.people.assessors import assessors_of

CAMPAIGN = click.argument("campaign")
POOL = click.argument("pool_name", metavar="POOL")


@click.group("queue")
def queue() -> None:
    """Queues: assessors take the next pairs that still need judging."""


@queue.command("make")
@CAMPAIGN
@POOL
@click.option("--per-pair", type=int, default=1, show_default=True, help="Judgments per pair.")
@click.option("--lease", type=int, help="Minutes without an answer before others may get it.")
@database_options
def make(settings: Settings, campaign: str, pool_name: str, per_pair: int, lease: int | None) -> None:
    """Make POOL of CAMPAIGN a queue, also while people judge it, or change what it asks for.

    The lease applies to all queues of the campaign.
    """
    with open_database(settings) as database, database.writing() as db:
        campaign_id = campaign_by_slug(db, campaign).id
        queues.make_queue(db, campaign_id, pool_name, per_pair)
        if lease is not None:
            queues.set_lease(db, campaign_id, lease)
    click.echo(f"{pool_name} is now a queue: {per_pair} per pair")


@queue.command("end")
@CAMPAIGN
@POOL
@database_options
def end(settings: Settings, campaign: str, pool_name: str) -> None:
    """Make the queue POOL of CAMPAIGN a pool with assignments again."""
    with open_database(settings) as database, database.writing() as db:
        back = queues.end_queue(db, campaign_by_slug(db, campaign).id, pool_name)
    click.echo(f"{pool_name} is no longer a queue; {back} unanswered pairs released")


@queue.command("give")
@CAMPAIGN
@POOL
@click.option("--assessor", "names", multiple=True, help="Assessor name (repeatable).  [default: all]")
@database_options
def give(settings: Settings, campaign: str, pool_name: str, names: tuple[str, ...]) -> None:
    """Assign all topics of the queue POOL of CAMPAIGN to assessors."""
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            assessors = [one for one in assessors_of(db, campaign_id) if one.assignable]
        known = {one.name: one.id for one in assessors}
        for name in names:
            if name not in known:
                raise NotFound(f"no assessor named {name!r} has an account", remedy="invite the person")
        say_disabled(assessors, names)
        chosen = [known[one] for one in names or [one.name for one in assessors if one.able]]
        begin = partial(writing_to, database, campaign)
        added = queues.give_queue(database, campaign_id, pool_name, chosen, writing=begin)
    click.echo(f"{added} assignments added")


@queue.command("status")
@CAMPAIGN
@POOL
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def status(settings: Settings, campaign: str, pool_name: str, as_json: bool) -> None:
    """Show the progress of the queue POOL of CAMPAIGN and the documents that are out."""
    with open_database(settings) as database, database.reading() as db:
        report = queue_report(db, campaign_by_slug(db, campaign).id, pool_name)
    if as_json:
        say_json(_json(report))
        return
    say_table(
        ["topic", "pairs", "done", "out", "waiting", "judgments", "wanted"],
        [(t.topic, t.pairs, t.done, t.out, t.waiting, t.given, t.needed) for t in report.by_topic],
        numeric=[1, 2, 3, 4, 5, 6],
    )
    if report.out:
        say_table(
            ["topic", "document", "out with", "since", ""],
            [
                (
                    o.topic,
                    o.docno,
                    o.assessor,
                    o.since.isoformat(timespec="minutes"),
                    "lease expired" if o.abandoned else "",
                )
                for o in report.out
            ],
        )
    summary = (
        f"{report.pool}: {report.given} of {report.needed} judgments, {report.done} of {report.pairs} pairs"
    )
    click.echo(summary + (f", {report.stuck} without an assessor left: assign more" if report.stuck else ""))


@queue.command("take-back")
@CAMPAIGN
@POOL
@click.option("--assessor", help="Only from this assessor, by name.")
@click.option("--topic", help="Only of this topic.")
@database_options
def take_back(
    settings: Settings, campaign: str, pool_name: str, assessor: str | None, topic: str | None
) -> None:
    """Release unanswered documents of the queue POOL of CAMPAIGN; judgments stay."""
    with open_database(settings) as database, database.writing() as db:
        campaign_id = campaign_by_slug(db, campaign).id
        back = queues.take_back(db, campaign_id, pool_name, assessor=assessor, topic=topic)
    click.echo(f"{back} pairs released")


def _json(report: QueueReport) -> dict[str, object]:
    return {
        "pool": report.pool,
        "per_pair": report.per_pair,
        "lease_minutes": report.lease_minutes,
        "pairs": report.pairs,
        "done": report.done,
        "waiting": report.waiting,
        "stuck": report.stuck,
        "judgments": report.given,
        "wanted": report.needed,
        "assessors": list(report.assessors),
        "by_topic": [
            {
                "topic": line.topic,
                "pairs": line.pairs,
                "done": line.done,
                "out": line.out,
                "waiting": line.waiting,
                "stuck": line.stuck,
                "judgments": line.given,
                "wanted": line.needed,
            }
            for line in report.by_topic
        ],
        "out": [
            {
                "topic": one.topic,
                "docno": one.docno,
                "assessor": one.assessor,
                "since": one.since.isoformat(),
                "lease_over": one.abandoned,
            }
            for one in report.out
        ],
    }
