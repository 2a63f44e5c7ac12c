"""`workbench trail`: the audit trail in the terminal."""

from __future__ import annotations

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, open_database
from workbench.cli.output import printable, say_json
from workbench.settings import Settings
from workbench.workflow.people.trail import TrailFilter, entry_data, trail_entries


@click.command("trail")
@click.option("--login", default="", help="Only acts of this account.")
@click.option("--act", default="", help="Only acts whose name contains this, such as role.")
@click.option("--campaign", default="", help="Only acts in this campaign.")
@click.option("--request", default="", help="Only acts of this request ID.")
@click.option("--last", default=50, show_default=True, type=click.IntRange(1), help="Number of entries.")
@JSON
@database_options
def command(
    settings: Settings, login: str, act: str, campaign: str, request: str, last: int, as_json: bool
) -> None:
    """List administrative acts, sign-ins and refusals, latest first.

    Entries cannot be changed or deleted. `workbench verify` checks that none is missing or was changed.
    """
    with open_database(settings) as database, database.reading() as db:
        entries = trail_entries(db, TrailFilter(login, act, campaign, request), most=last)
    if as_json:
        say_json([entry_data(one) for one in entries])
        return
    for one in entries:
        changed = ", ".join(
            f"{each['rows']} {each['table']} {each['kind']}" for each in one.details.get("changes", ())
        )
        words = (
            str(one.number),
            f"{one.at:%Y-%m-%d %H:%M:%S}",
            one.who or "-",
            one.act_name,
            one.outcome_name,
            one.campaign,
            changed,
        )
        click.echo("  ".join(printable(word) for word in words if word))
