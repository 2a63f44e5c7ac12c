"""`workbench init` and `workbench account`: the first organiser, further accounts, roles, passwords."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from workbench.cli.database import database_options, open_database, same_database
from workbench.errors import Conflict, InvalidInput
from workbench.settings import Settings
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.accounts import (
    account_by_login,
    any_account,
    create_account,
    create_first_account,
    prepare_account,
)
from workbench.workflow.people.groups import group_named, join
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.passwords import Passwords, password_findings
from workbench.workflow.people.roles import Role
from workbench.workflow.people.signing_in import set_password as store_password
from workbench.workflow.people.trail import Act, recorded

PASSWORD = click.option(
    "--password",
    envvar="WORKBENCH_PASSWORD",
    prompt=True,
    hide_input=True,
    confirmation_prompt=True,
    help="Password; prompted for if missing (or WORKBENCH_PASSWORD).",
)


@click.command("init")
@click.option("--login", prompt=True, help="Login name.")
@click.option("--name", help="Name shown to others; defaults to the login name.")
@PASSWORD
@database_options
def init(settings: Settings, login: str, name: str | None, password: str) -> None:
    """Create the database and the first account, an administrator."""
    new = prepare_account(login=login, name=name or login, password=password, passwords=Passwords())
    with open_database(settings) as database, database.writing() as db:
        if any_account(db):
            raise Conflict(
                "the database already has an account, and `init` only creates the first",
                remedy=f"add another with: {same_database('account new LOGIN')}",
            )
        with recorded(db, Act("command init")):
            account = create_first_account(db, new)
    click.echo(f"{account.name} can sign in as {account.login}. Next: {same_database('serve')}")


@click.group("account")
def command() -> None:
    """Create accounts, assign roles, reset passwords."""


@contextmanager
def _acting(database: Database, name: str) -> Iterator[Session]:
    """A transaction that leaves an entry in the trail."""
    with database.writing() as db, recorded(db, Act(f"command account {name}")):
        yield db


@command.command("new")
@click.argument("login")
@click.option("--name", help="Name shown to others; defaults to the login name.")
@click.option("--administrator", is_flag=True, help="May create campaigns.")
@PASSWORD
@database_options
def new(settings: Settings, login: str, name: str | None, administrator: bool, password: str) -> None:
    """Create the account LOGIN."""
    prepared = prepare_account(login=login, name=name or login, password=password, passwords=Passwords())
    with open_database(settings) as database, _acting(database, "new") as db:
        account = create_account(db, prepared, administrator=administrator)
    click.echo(f"{account.name} can sign in as {account.login}")


@command.command("role")
@click.argument("login")
@click.argument("campaign")
@click.argument("role", type=click.Choice([role.value for role in Role]))
@click.option("--group", help="Group of a participant.")
@click.option("--both", is_flag=True, help="Allow one person to both judge and submit runs.")
@database_options
def role(settings: Settings, login: str, campaign: str, role: str, group: str | None, both: bool) -> None:
    """Give LOGIN a ROLE in CAMPAIGN."""
    if (role == Role.PARTICIPANT) != (group is not None):
        raise click.UsageError("--group is required for a participant and not allowed for other roles")
    with open_database(settings) as database, _acting(database, "role") as db:
        account, found = account_by_login(db, login), campaign_by_slug(db, campaign)
        if group is not None:
            join(db, found.id, group_named(db, found.id, group), account.id, both_sides=both)
        else:
            add_role(db, found.id, account.id, Role(role), both_sides=both)
    click.echo(f"{account.name} is {role} of {found.name}")


@command.command("password")
@click.argument("login")
@PASSWORD
@database_options
def reset(settings: Settings, login: str, password: str) -> None:
    """Set a new password for LOGIN; all sessions of the account end."""
    findings = password_findings(password, login=login)
    if findings:
        raise InvalidInput(findings)
    hashed = Passwords().hash(password)
    with open_database(settings) as database, _acting(database, "password") as db:
        account = store_password(db, login, hashed)
    click.echo(f"{account.login} has a new password and is signed out everywhere")
