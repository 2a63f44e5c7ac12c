"""Scores of a campaign's runs."""

from __future__ import annotations

from collections.abc import Collection

import click

from workbench.cli.consensus_options import consensus_options
from workbench.cli.database import database_options, open_database
from workbench.cli.output import one_form, print_export, progress_bar
from workbench.cli.score_output import say_scores
from workbench.consensus.rule_choice import RuleChoice
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.scores.leaderboard import leaderboard, leaderboard_export
from workbench.workflow.scores.score_table import ScoreTable, score_runs


@click.command("score")
@click.argument("campaign")
@consensus_options(default="majority")
@click.option(
    "-m", "--measure", "measures", multiple=True, help="As 'AP(rel=2) nDCG@10'; by the scale if not given."
)
@click.option("--run", "tags", multiple=True, help="Only these runs, by tag; all if not given.")
@click.option("--per-topic", is_flag=True, help="Every topic's value too.")
@click.option("--csv", "as_csv", is_flag=True, help="A table as CSV, with all digits.")
@click.option("--latex", "as_latex", is_flag=True, help="A LaTeX table (booktabs).")
@click.option("--json", "as_json", is_flag=True, help="One JSON array.")
@database_options
def score(
    settings: Settings,
    campaign: str,
    choice: RuleChoice,
    measures: tuple[str, ...],
    tags: tuple[str, ...],
    per_topic: bool,
    **forms: bool,
) -> None:
    """Score the runs of CAMPAIGN on the qrels of a rule, best first by the first measure."""
    form = one_form(**forms)
    with open_database(settings) as database, database.reading() as db:
        table = scored_table(db, campaign_by_slug(db, campaign).id, choice, " ".join(measures), tags)
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
