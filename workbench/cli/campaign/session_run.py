"""The searches of a person as a manual run."""

from __future__ import annotations

import click

from workbench.cli.database import database_options, open_database
from workbench.cli.output import say_findings, say_table
from workbench.settings import Settings
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.groups import group_named
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_checks import run_checker
from workbench.workflow.runs.run_metadata import RunKind, read_metadata
from workbench.workflow.runs.store import store_run
from workbench.workflow.searching.session_run import checked_session_run, search_session, searcher_by_login


@click.command("search-run")
@click.argument("campaign")
@click.argument("login")
@click.option("--tag", help="Tag of the run; default search- and the login.")
@click.option("--group", help="The group that it belongs to.")
@click.option("--description", help="How it was made; by default the searches and the order are named.")
@database_options
def search_run(
    settings: Settings, campaign: str, login: str, tag: str | None, group: str | None, description: str | None
) -> None:
    """Save what LOGIN searched in CAMPAIGN as a manual run.

    By topic: judged relevant or added to a pool, in the order of doing so; then opened; then shown, by best
    rank. What LOGIN judged not relevant is left out. The run is checked as an uploaded one.
    """
    with open_database(settings) as database:
        with database.reading() as db:
            campaign_id = campaign_by_slug(db, campaign).id
            session = search_session(db, campaign_id, searcher_by_login(db, campaign_id, login))
            tag = tag or session.suggested_tag
            about = description if description is not None else session.suggested_description
            metadata = read_metadata(
                {"kind": RunKind.MANUAL, "description": about},
                group_id=group_named(db, campaign_id, group) if group else None,
                source="options",
            )
            upload = checked_session_run(run_checker(db, campaign_id), session, tag)
        with database.writing() as db:
            store_run(db, campaign_id, upload, metadata)
        pack_runs_one_by_one(database, campaign_id)
    say_findings(upload.report.warnings)
    say_table(
        ["topic", "relevant", "opened", "shown", "left out"],
        [
            (one.topic, len(one.relevant), len(one.opened), len(one.shown), one.left_out)
            for one in session.topics
        ],
        numeric=range(1, 5),
    )
    click.echo(f"run {tag} added", err=True)
