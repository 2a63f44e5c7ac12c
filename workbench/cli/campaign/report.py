"""The report on a campaign's collection."""

from __future__ import annotations

import click

from workbench.cli.consensus_options import consensus_options
from workbench.cli.database import database_options, open_database
from workbench.cli.output import with_progress
from workbench.cli.trust.shared import MEASURE
from workbench.consensus.rules import RuleChoice
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.trust.collection_report import collection_report
from workbench.workflow.trust.report_markdown import report_markdown


@click.command("report")
@click.argument("campaign")
@consensus_options(default="majority")
@MEASURE
@database_options
def report(settings: Settings, campaign: str, choice: RuleChoice, measure: str) -> None:
    """Write the report on the collection of CAMPAIGN as Markdown.

    It has the size of the collection, its pools, judgments, agreement and qrels, how stable the ranking of
    its runs is, and in sentences what may and may not be concluded.
    """
    with open_database(settings) as database, database.reading() as db:
        campaign_id = campaign_by_slug(db, campaign).id
        found = collection_report(db, campaign_id, choice=choice, measure=measure, steps=with_progress)
    click.echo(report_markdown(found), nl=False)
