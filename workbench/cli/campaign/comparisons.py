"""Runs of a campaign against one another, and its topics by difficulty: as on the pages of Scores."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import click

from workbench.cli.campaign.score import scored_table
from workbench.cli.comparisons import METHOD, ORDER, SEED, say_all_pairs, say_topic_table, say_two_runs
from workbench.cli.consensus_options import consensus_options
from workbench.cli.database import database_options, open_database
from workbench.cli.output import form_options, one_form, print_export
from workbench.cli.record_options import record_options
from workbench.consensus.rule_choice import RuleChoice
from workbench.errors import WorkbenchError
from workbench.scoring.all_pairs import all_pairs_export
from workbench.scoring.measures import parse_measures
from workbench.scoring.pairs_of_runs import Comparisons
from workbench.scoring.topic_difficulty import topic_table_export
from workbench.scoring.two_runs import two_runs_export
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.scores.run_pairs import table_pairs, table_two_runs
from workbench.workflow.scores.score_table import ScoreTable, default_measures
from workbench.workflow.scores.topic_table import table_topics

MEASURE = click.option(
    "-m",
    "--measure",
    help="One measure, as nDCG@10 or P(rel=2)@10; AP at the scale's threshold if not given.",
)


@dataclass(frozen=True, slots=True)
class ScoredScope:
    """Which runs are compared, none standing for all, and by which measure, None for the default."""

    measure: str | None
    tags: tuple[str, ...]


_SCOPE = (
    MEASURE,
    click.option("--run", "tags", multiple=True, help="Tag of a run (repeatable); default all."),
)


@click.command("score-compare")
@click.argument("campaign")
@click.argument("first")
@click.argument("second")
@consensus_options(default="majority")
@MEASURE
@SEED
@form_options
@database_options
def score_compare(
    settings: Settings,
    campaign: str,
    first: str,
    second: str,
    choice: RuleChoice,
    measure: str | None,
    seed: int,
    **forms: bool,
) -> None:
    """Compare the runs FIRST and SECOND of CAMPAIGN topic by topic, as the page Two runs does.

    The difference is the first run less the second. Four tests of no difference: paired t, Wilcoxon,
    randomisation and paired bootstrap (Sakai 2006). --csv prints the topics, --latex the tests, --json both.
    """
    form = one_form(**forms)
    table = compared_table(settings, campaign, choice, measure, (first, second))
    found = table_two_runs(table, table.measures[0], first, second, seed=seed)
    if not print_export(two_runs_export(found), form):
        say_two_runs(found)


@click.command("score-pairs")
@click.argument("campaign")
@consensus_options(default="majority")
@record_options("scope", ScoredScope, _SCOPE)
@METHOD
@SEED
@form_options
@database_options
def score_pairs(
    settings: Settings,
    campaign: str,
    choice: RuleChoice,
    scope: ScoredScope,
    method: str,
    seed: int,
    **forms: bool,
) -> None:
    """Compare every two runs of CAMPAIGN: which differences are significant, corrected for their number."""
    form = one_form(**forms)
    table = compared_table(settings, campaign, choice, scope.measure, scope.tags)
    found = table_pairs(table, table.measures[0], Comparisons(method), seed=seed)
    if not print_export(all_pairs_export(found), form):
        say_all_pairs(found)


@click.command("score-topics")
@click.argument("campaign")
@consensus_options(default="majority")
@record_options("scope", ScoredScope, _SCOPE)
@ORDER
@form_options
@database_options
def score_topics(
    settings: Settings, campaign: str, choice: RuleChoice, scope: ScoredScope, order: str, **forms: bool
) -> None:
    """Sort the topics of CAMPAIGN by difficulty, or by how far its runs disagree on them."""
    form = one_form(**forms)
    table = compared_table(settings, campaign, choice, scope.measure, scope.tags)
    found = table_topics(table, table.measures[0], order)
    if not print_export(topic_table_export(found), form):
        say_topic_table(found)


def compared_table(
    settings: Settings, slug: str, choice: RuleChoice, measure: str | None, tags: Collection[str]
) -> ScoreTable:
    """Runs by one measure; raises WorkbenchError for several."""
    with open_database(settings) as database, database.reading() as db:
        campaign = campaign_by_slug(db, slug)
        parsed = parse_measures(measure or default_measures(campaign.scale, choice))
        if measure and len(parsed) > 1:
            raise WorkbenchError("runs are compared by one measure", remedy="name one, such as AP")
        return scored_table(db, campaign.id, choice, str(parsed[0]), tags)
