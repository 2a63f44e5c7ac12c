"""Adaptive pools replayed."""

from __future__ import annotations

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.output import REFUSED, say_json
from workbench.records import id_bytes
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.judging.adaptive_states import Replayed, replay_pool


@click.command("replay")
@click.argument("campaign")
@click.argument("pool")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@database_options
def replay(settings: Settings, campaign: str, pool: str, as_json: bool) -> None:
    """Make every choice of the adaptive POOL again from runs, recipe and events, and print the events.

    One line each: topic, number, what happened, docno, relevance (1, 0 or nothing), tab between. Differences
    are printed to the error stream, and the exit status is 1.
    """
    with open_database(settings) as database, database.reading() as db:
        done = replay_pool(db, campaign_by_slug(db, campaign).id, pool)
    if as_json:
        say_json(
            {
                "pool": done.pool,
                "events": [_object(one) for one in done.events],
                "differences": list(done.differences),
            }
        )
    else:
        click.echo(b"".join(_line(one) for one in done.events), nl=False)
    for difference in done.differences:
        click.echo(f"workbench: {difference.encode('utf-8', 'replace').decode()}", err=True)
    if done.differences:
        raise SystemExit(REFUSED)
    rankings = f" and {done.rankings} rankings" if done.rankings else ""
    click.echo(f"{len(done.events)} events{rankings} reproduced", err=True)
    if done.rankings_left:
        message = f"{done.rankings_left} rankings not: documents were added or changed since"
        click.echo(f"workbench: {message}", err=True)


def _line(one: Replayed) -> bytes:
    event = one.event
    relevant = "" if event.relevant is None else str(int(event.relevant))
    words = (event.topic, str(event.number), event.happening, event.docno, relevant)
    return id_bytes("\t".join(words)) + b"\n"


def _object(one: Replayed) -> dict[str, object]:
    event = one.event
    return {
        "topic": event.topic,
        "number": event.number,
        "happening": event.happening,
        "docno": event.docno,
        "relevant": event.relevant,
        "differs": one.differs,
    }
