"""`workbench init`: the database and the first organiser."""

from __future__ import annotations

import click

from workbench.cli.opening import database_options, opened
from workbench.settings import Settings
from workbench.workflow.people.accounts import create_first_account, prepare_account
from workbench.workflow.people.passwords import Passwords


@click.command("init")
@click.option("--login", prompt=True, help="Name to sign in with.")
@click.option("--name", help="Name that others see; the login if not given.")
@click.option(
    "--password",
    envvar="WORKBENCH_PASSWORD",
    prompt=True,
    hide_input=True,
    confirmation_prompt=True,
    help="Asked for if not given (or WORKBENCH_PASSWORD).",
)
@database_options
def command(settings: Settings, login: str, name: str | None, password: str) -> None:
    """Make the database and the account of the first organiser."""
    new = prepare_account(login=login, name=name or login, password=password, passwords=Passwords())
    with opened(settings) as database, database.writing() as db:
        account = create_first_account(db, new)
    click.echo(f"{account.name} may sign in as {account.login}. Now: workbench serve")
