"""`workbench campaign records`: what is said of many runs, from a table or as one."""

from __future__ import annotations

import sys

import click

from workbench.cli.campaign.collection import JSON
from workbench.cli.campaign.run_json import line_json
from workbench.cli.inputs import open_input
from workbench.cli.opening import database_options, opened
from workbench.cli.output import say_json
from workbench.formats.run_records import read_records, write_table
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.runs.metadata_tables import HEADER, load_records, record_rows
from workbench.workflow.runs.run_lines import runs_of


@click.command("records")
@click.argument("campaign")
@click.argument("file", required=False)
@click.option("--new-groups", is_flag=True, help="Make the groups that are not there yet.")
@JSON
@database_options
def records(settings: Settings, campaign: str, file: str | None, new_groups: bool, as_json: bool) -> None:
    """Load the records of runs of CAMPAIGN from FILE, or print them as a table that can be loaded.

    FILE is TSV or CSV with a header: tag and some of group, kind, description and priority. A column that is
    lacking leaves that part of the records as it is; all rows are taken, or none.
    """
    if file is None:
        _say_records(settings, campaign, as_json)
        return
    with opened(settings) as database, database.writing() as db, open_input(file) as (stream, source):
        table = read_records(stream, source=source)
        found = campaign_by_slug(db, campaign)
        done = load_records(db, found.id, table, source=source, new_groups=new_groups)
    if as_json:
        say_json(
            {
                "rows": done.rows,
                "changed": done.changed,
                "new_groups": list(done.new_groups),
                "not_read": list(done.passed_over),
            }
        )
        return
    click.echo(f"{done.rows} rows, {done.changed} records changed")
    if done.new_groups:
        click.echo(f"new groups: {', '.join(done.new_groups)}")
    if done.passed_over:
        click.echo(f"columns not read: {', '.join(done.passed_over)}", err=True)


def _say_records(settings: Settings, campaign: str, as_json: bool) -> None:
    with opened(settings) as database, database.reading() as db:
        runs = runs_of(db, campaign_by_slug(db, campaign).id)
    if as_json:
        say_json([line_json(one) for one in runs])
        return
    sys.stdout.buffer.write(write_table(HEADER, record_rows(runs), parted="\t"))
