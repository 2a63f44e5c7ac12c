"""`workbench demo`: a small campaign to try everything on."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click

from workbench.cli.database import migrated_database
from workbench.cli.output import announce
from workbench.cli.serve import DEFAULT_PORT, print_address, serve_until_interrupted, usable_port
from workbench.demo.campaign import PEOPLE, has_demo, make_demo, require_own
from workbench.errors import InvalidInput, WorkbenchError
from workbench.settings import read_settings
from workbench.storage.contents import delete_everything
from workbench.storage.engine import Database
from workbench.workflow.people.passwords import Passwords, password_findings

PASSWORD = "harbour-demo"  # noqa: S105 - public; the demo is served to this machine only
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@click.command("demo")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"Port to listen on; {DEFAULT_PORT}, or any free one if that is in use.",
)
@click.option("--password", help="Password of the accounts; required if others can reach the address.")
@click.option("--fresh", is_flag=True, help="Delete the demo and its judgments, and make it anew.")
@click.option(
    "--database",
    "--database-url",
    "database_url",
    help="URL of an empty database for the demo, such as postgresql://…; without it, a file of its own.",
)
@click.option("--make-only", is_flag=True, help="Make the campaign without serving it.")
@click.option(
    "--instance", type=click.Path(file_okay=False, path_type=Path), help="Folder of the demo's database."
)
def command(
    host: str,
    port: int | None,
    password: str | None,
    fresh: bool,
    make_only: bool,
    instance: Path | None,
    database_url: str | None,
) -> None:
    """Create and serve an illustrative campaign, ready to judge.

    It has its own database; the next start continues where you stopped. A database that holds
    anything else is refused.
    """
    if host not in LOOPBACK and password is None:
        raise WorkbenchError("the password of the demo is public", remedy="choose another with --password")
    if password is not None and (findings := password_findings(password)):
        raise InvalidInput(findings)
    settings = read_settings(instance=instance)
    folder = settings.instance / "demo"
    own = f"sqlite:///{folder / 'workbench.sqlite3'}"
    settings = replace(settings, instance=folder, database_url=database_url or own)
    if fresh and database_url is None:
        for leftover in folder.glob("workbench.sqlite3*"):
            leftover.unlink()
    chosen = usable_port(host, DEFAULT_PORT if port is None else port, or_another=port is None)
    if database_url is not None:
        with closing(Database(database_url)) as given:
            require_own(given)
    with migrated_database(settings) as database:
        if fresh and database_url is not None:
            delete_everything(database)
        with database.reading() as db:
            exists = has_demo(db)
        if not exists:
            announce("Making the demo campaign…")
            hashes = _hashes(password or PASSWORD)
            with database.writing() as db:
                make_demo(db, hashes)
        elif password is not None:
            click.echo(
                "The demo exists already: its passwords stay as they are (--fresh makes it anew).", err=True
            )
    _print_accounts(password or PASSWORD)
    if not make_only:
        print_address(host, chosen, settings)
        serve_until_interrupted(settings, host=host, port=chosen, workers=1)


def _hashes(password: str) -> dict[str, str]:
    passwords = Passwords()
    return {person.login: passwords.hash(password) for person in PEOPLE}


def _print_accounts(password: str) -> None:
    announce("An illustrative campaign; its texts, runs and judgments are invented. Sign in as")
    for person in PEOPLE:
        of = f" of {person.group}" if person.group else ""
        announce(f"  {person.login:<10} {password}   {person.role}{of}, {person.name}")
