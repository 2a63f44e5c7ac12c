"""Work side by side: tasks given, and what came of them."""

from __future__ import annotations

import sys

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, open_database
from workbench.cli.output import say_json, say_table
from workbench.errors import NotFound
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging import preference_tasks
from workbench.workflow.judging.preferences import (
    compared_json,
    preference_lines,
    preferences_of,
    runs_compared,
)
from workbench.workflow.people.assessors import assessors_of

ASSESSORS = click.option(
    "--assessor", "names", multiple=True, required=True, help="Assessor name (repeatable)."
)
TOPICS = click.option("--topic", "topics", multiple=True, help="Topic id (repeatable).  [default: all]")
SEED = click.option("--seed", type=int, help="Random seed of order and sides; drawn if not given.")


@click.command("compare-documents")
@click.argument("campaign")
@click.option(
    "--best",
    type=click.IntRange(2),
    default=5,
    show_default=True,
    help="How many of the best graded.",
)
@TOPICS
@ASSESSORS
@SEED
@JSON
@database_options
def compare_documents(
    settings: Settings,
    campaign: str,
    best: int,
    topics: tuple[str, ...],
    names: tuple[str, ...],
    seed: int | None,
    as_json: bool,
) -> None:
    """Have assessors of CAMPAIGN compare every two of the best graded documents of each topic."""
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        chosen = topics or [topic.id for topic in topics_of(db, found.id)]
        pairs = preference_tasks.best_judged(db, found.id, chosen, best)
        ids = _assessors(db, found.id, names)
        added = preference_tasks.compare_documents(db, found.id, pairs, assessor_ids=ids, seed=seed)
    _say_added(added, as_json)


@click.command("compare-runs")
@click.argument("campaign")
@click.argument("first")
@click.argument("second")
@TOPICS
@ASSESSORS
@SEED
@JSON
@database_options
def compare_runs(
    settings: Settings,
    campaign: str,
    first: str,
    second: str,
    topics: tuple[str, ...],
    names: tuple[str, ...],
    seed: int | None,
    as_json: bool,
) -> None:
    """Have assessors of CAMPAIGN compare the first ten documents of the runs FIRST and SECOND."""
    with open_database(settings) as database, database.writing() as db:
        found = campaign_by_slug(db, campaign)
        chosen = topics or [topic.id for topic in topics_of(db, found.id)]
        ids = _assessors(db, found.id, names)
        added = preference_tasks.compare_runs(
            db, found.id, first, second, topics=chosen, assessor_ids=ids, seed=seed
        )
    _say_added(added, as_json)


@click.command("preferences")
@click.argument("campaign")
@click.option("--runs", is_flag=True, help="The results of compared runs instead.")
@JSON
@database_options
def preferences(settings: Settings, campaign: str, runs: bool, as_json: bool) -> None:
    """Write what assessors of CAMPAIGN preferred of two documents, as trec_eval reads it with -R prefs."""
    with open_database(settings) as database, database.reading() as db:
        found = campaign_by_slug(db, campaign).id
        if runs:
            _say_runs(db, found, as_json)
        elif as_json:
            say_json(
                [
                    {
                        "topic": one.topic,
                        "assessor": one.assessor,
                        "first": one.first,
                        "second": one.second,
                        "choice": one.choice,
                    }
                    for one in preferences_of(db, found)
                ]
            )
        else:
            sys.stdout.buffer.writelines(preference_lines(db, found))


def _say_runs(db: Session, campaign_id: int, as_json: bool) -> None:
    compared = runs_compared(db, campaign_id)
    if as_json:
        say_json([compared_json(one) for one in compared])
        return
    say_table(
        ["one run", "better", "tie", "both bad", "better", "the other", "sign test p"],
        [
            (
                one.first, one.first_better, one.ties, one.both_bad, one.second_better, one.second,
                "no decision" if one.p is None else f"{one.p:.3f}",
            )
            for one in compared
        ],
        numeric=[1, 2, 3, 4, 6],
    )  # fmt: skip


def _assessors(db: Session, campaign_id: int, names: tuple[str, ...]) -> list[int]:
    ids = {line.name: line.id for line in assessors_of(db, campaign_id)}
    for name in names:
        if name not in ids:
            raise NotFound(f"{name} is not an assessor of this campaign", remedy="see the list of assessors")
    return [ids[name] for name in names]


def _say_added(added: int, as_json: bool) -> None:
    if as_json:
        say_json({"tasks": added})
    else:
        click.echo(f"{added} tasks assigned.")
