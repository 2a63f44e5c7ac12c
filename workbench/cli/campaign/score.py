"""Scores of a campaign's runs."""

from __future__ import annotations

import click

from workbench.cli.consensus_options import consensus_options
from workbench.cli.database import database_options, open_database
from workbench.cli.score_output import say_scores
from workbench.consensus.rule_choice import RuleChoice
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.scores.score_table import score_runs


@click.command("score")
@click.argument("campaign")
@consensus_options(default="majority")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="As 'AP(rel=2) nDCG@10'; by the scale if not given."
)
@click.option("--run", "tags", multiple=True, help="Only these runs, by tag; all if not given.")
@click.option("--per-topic", is_flag=True, help="Every topic's value too.")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@database_options
def score(
    settings: Settings,
    campaign: str,
    choice: RuleChoice,
    measures: tuple[str, ...],
    tags: tuple[str, ...],
    per_topic: bool,
    as_json: bool,
) -> None:
    """Score the runs of CAMPAIGN on the qrels of a rule, best first by the first measure."""
    with open_database(settings) as database, database.reading() as db:
        table = score_runs(
            db,
            campaign_by_slug(db, campaign).id,
            choice=choice,
            measures=" ".join(measures) or None,
            tags=tags or None,
        )
    say_scores(table.runs, per_topic=per_topic, as_json=as_json)
