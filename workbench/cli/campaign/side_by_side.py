"""Work side by side: tasks given, and what came of them."""

from __future__ import annotations

import sys

import click

from workbench.cli.database import ChosenCampaign, assessors_named, campaign_command
from workbench.cli.output import (
    CSV,
    FIRST_AND_SECOND,
    JSON_OBJECT,
    Texts,
    all_of,
    one_form,
    print_export,
    repeatable,
    say_json,
    say_short,
    setting,
)
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging import preference_tasks
from workbench.workflow.judging.preferences import (
    answers_export,
    preference_agreement_export,
    preference_answers,
    preference_lines,
    preference_results,
    rankings_export,
    runs_export,
)

task_options = all_of(
    repeatable("--topic", "topics", help="Topic id (repeatable).  [default: all]"),
    repeatable("--assessor", "names", required=True, help="Assessor name (repeatable)."),
    click.option("--seed", type=int, help="Random seed of order and sides; drawn if not given."),
    JSON_OBJECT,
)


@click.group("side-by-side")
def side_by_side() -> None:
    """Have assessors compare two documents or runs, and write what they preferred."""


@campaign_command("documents", side_by_side)
@setting(
    "--best",
    type=click.IntRange(2),
    default=5,
    help="Number of the documents that an assessor graded highest.",
)
@task_options
def compare_documents(
    at: ChosenCampaign,
    best: int,
    topics: Texts,
    names: Texts,
    seed: int | None,
    as_json: bool,
) -> None:
    """Have assessors of CAMPAIGN compare every two of the documents of a topic that they graded best.

    Only documents that the assessor graded as relevant.
    """
    with at.writing() as (db, campaign_id):
        chosen = topics or [topic.id for topic in topics_of(db, campaign_id)]
        ids = assessors_named(db, campaign_id, names)
        added = preference_tasks.compare_best(
            db, campaign_id, chosen, count=best, assessor_ids=ids, seed=seed
        )
    _say_added(added, as_json)


@campaign_command("runs", side_by_side)
@FIRST_AND_SECOND
@task_options
def compare_runs(
    at: ChosenCampaign,
    first: str,
    second: str,
    topics: Texts,
    names: Texts,
    seed: int | None,
    as_json: bool,
) -> None:
    """Have assessors of CAMPAIGN compare the first ten documents of the runs FIRST and SECOND."""
    with at.writing() as (db, campaign_id):
        chosen = topics or [topic.id for topic in topics_of(db, campaign_id)]
        ids = assessors_named(db, campaign_id, names)
        added = preference_tasks.compare_runs(
            db, campaign_id, first, second, topics=chosen, assessor_ids=ids, seed=seed
        )
    _say_added(added, as_json)


@campaign_command("results", side_by_side)
@click.option(
    "--documents", "what", flag_value="documents", help="The ranked documents of each topic instead."
)
@click.option("--runs", "what", flag_value="runs", help="The results of compared runs instead.")
@click.option(
    "--agreement",
    "what",
    flag_value="agreement",
    help="The agreement of every two assessors instead.",
)
@CSV
@JSON_OBJECT
@one_form
def preferences(at: ChosenCampaign, what: str | None, form: str) -> None:
    """Write what assessors of CAMPAIGN preferred of two documents, as trec_eval reads it with -R prefs.

    With --csv or --json every answer, also between runs, with its reason, what stood left, and the time.
    """
    with at.reading() as (db, campaign_id):
        answers = preference_answers(db, campaign_id)
        if what is None and form == "text":
            sys.stdout.buffer.writelines(preference_lines(db, campaign_id))
            return
    results = preference_results(answers)
    export = {
        None: answers_export(answers),
        "documents": rankings_export(results),
        "runs": runs_export(results),
        "agreement": preference_agreement_export(results),
    }[what]
    if not print_export(export, form):
        say_short(export.columns, export.rows(), numeric_from=3)


def _say_added(added: int, as_json: bool) -> None:
    if as_json:
        say_json({"tasks": added})
    else:
        click.echo(f"{added} tasks assigned.")
