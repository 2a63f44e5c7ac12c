"""Runs of a campaign against one another, and its topics by difficulty: as on the pages of Scores."""

from __future__ import annotations

from collections.abc import Collection

import click

from workbench.cli.compare import METHOD, ORDER, say_all_pairs, say_topic_table, say_two_runs
from workbench.cli.consensus import consensus_options
from workbench.cli.database import ChosenCampaign, campaign_command
from workbench.cli.output import (
    CSV,
    FIRST_AND_SECOND,
    JSON_ARRAY,
    SEED,
    Texts,
    data_options,
    flag,
    form_options,
    one_form,
    print_export,
    progress_bar,
    repeatable,
)
from workbench.cli.score import say_scores
from workbench.consensus.rules import RuleChoice
from workbench.errors import WorkbenchError
from workbench.scoring.measures import parse_measures
from workbench.scoring.pairs_of_runs import Comparisons
from workbench.scoring.topic_difficulty import topic_table_export
from workbench.scoring.two_runs import all_pairs_export, two_runs_export
from workbench.storage import Session
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export, table_pairs, table_two_runs
from workbench.workflow.scores.run_profile import table_topics
from workbench.workflow.scores.score_table import ScoreTable, default_measures, score_runs

MEASURE = click.option(
    "-m",
    "--measure",
    help="One measure, such as nDCG@10 or P(rel=2)@10; by default, AP at the scale's threshold.",
)


RUNS = repeatable("--run", "tags", help="Tag of a run (repeatable); default all.")


@click.group("scores")
def scores() -> None:
    """Compare two or all runs of a campaign, and sort its topics by difficulty."""


@campaign_command("compare", scores)
@FIRST_AND_SECOND
@consensus_options()
@MEASURE
@SEED
@form_options
def score_compare(
    at: ChosenCampaign,
    first: str,
    second: str,
    choice: RuleChoice,
    measure: str | None,
    seed: int,
    form: str,
) -> None:
    """Compare the runs FIRST and SECOND of CAMPAIGN topic by topic, as the page Two runs does.

    The difference is the first run less the second. Four tests of no difference: paired t, Wilcoxon,
    randomisation and paired bootstrap (Sakai 2006). --csv prints the topics, --latex the tests, --json both.
    """
    table = compared_table(at, choice, measure, (first, second))
    found = table_two_runs(table, table.measures[0], first, second, seed=seed)
    if not print_export(two_runs_export(found), form):
        say_two_runs(found)


@campaign_command("pairs", scores)
@consensus_options()
@MEASURE
@RUNS
@METHOD
@SEED
@form_options
def score_pairs(
    at: ChosenCampaign,
    choice: RuleChoice,
    measure: str | None,
    tags: Texts,
    method: str,
    seed: int,
    form: str,
) -> None:
    """Compare every two runs of CAMPAIGN: which differences are significant, corrected for their number."""
    table = compared_table(at, choice, measure, tags)
    found = table_pairs(table, table.measures[0], Comparisons(method), seed=seed)
    if not print_export(all_pairs_export(found), form):
        say_all_pairs(found)


@campaign_command("topics", scores)
@consensus_options()
@MEASURE
@RUNS
@ORDER
@data_options
def score_topics(
    at: ChosenCampaign, choice: RuleChoice, measure: str | None, tags: Texts, order: str, form: str
) -> None:
    """Sort the topics of CAMPAIGN by difficulty, or by how far its runs disagree on them."""
    table = compared_table(at, choice, measure, tags)
    found = table_topics(table, table.measures[0], order)
    if not print_export(topic_table_export(found), form):
        say_topic_table(found)


def compared_table(
    at: ChosenCampaign, choice: RuleChoice, measure: str | None, tags: Collection[str]
) -> ScoreTable:
    """Runs by one measure; raises WorkbenchError for several."""
    with at.reading() as (db, campaign_id):
        parsed = parse_measures(measure or default_measures(campaign_of(db, campaign_id).scale, choice))
        if measure and len(parsed) > 1:
            raise WorkbenchError("runs are compared by one measure", remedy="name one, such as AP")
        return scored_table(db, campaign_id, choice, str(parsed[0]), tags)


@campaign_command("score")
@consensus_options()
@repeatable(
    "-m", "--measure", "measures", help="Such as 'AP(rel=2) nDCG@10'; by default, chosen by the scale."
)
@repeatable("--run", "tags", help="Only these runs, by tag; by default, all.")
@flag("--per-topic", help="Also the value of every topic.")
@CSV
@flag("--latex", "as_latex", help="A LaTeX table (booktabs).")
@JSON_ARRAY
@one_form
def score(
    at: ChosenCampaign,
    choice: RuleChoice,
    measures: Texts,
    tags: Texts,
    per_topic: bool,
    form: str,
) -> None:
    """Score the runs of CAMPAIGN on the qrels of a rule, best first by the first measure."""
    table = at.read(scored_table, choice, " ".join(measures), tags)
    if form in {"csv", "latex"}:
        if per_topic:
            raise click.UsageError("--per-topic goes with a table or --json")
        print_export(leaderboard_export(leaderboard(table)), form)
        return
    say_scores(table.runs, per_topic=per_topic, as_json=form == "json")


def scored_table(
    db: Session, campaign_id: int, choice: RuleChoice, measures: str, tags: Collection[str]
) -> ScoreTable:
    """The runs of a campaign, scored, with a bar on the error stream where that is a terminal.

    Without measures these are the campaign's, without tags all runs. Raises WorkbenchError as `score_runs`.
    """
    with progress_bar() as bar:
        task = bar.add_task("Scoring")
        return score_runs(
            db,
            campaign_id,
            choice=choice,
            measures=measures or None,
            tags=tags or None,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
