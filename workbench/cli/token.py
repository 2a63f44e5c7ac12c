"""`workbench token`: access tokens of accounts, for programs that use the API."""

from __future__ import annotations

from datetime import datetime

import click

from workbench.cli.campaign.campaigns import JSON
from workbench.cli.database import database_options, open_database
from workbench.cli.output import say_json, say_table
from workbench.settings import Settings
from workbench.workflow.people.access_tokens import (
    MOST_DAYS,
    USUAL_DAYS,
    Scope,
    access_tokens,
    make_access_token,
    revoke_access_token,
)
from workbench.workflow.people.accounts import account_by_login


@click.group("token")
def command() -> None:
    """Create, list and revoke the access tokens by which programs act for an account."""


@command.command("new")
@click.argument("login")
@click.option("--name", required=True, help="What will use it.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    type=click.Choice([scope.value for scope in Scope]),
    help="What it may be used for (repeatable).",
)
@click.option(
    "--days",
    default=USUAL_DAYS,
    show_default=True,
    type=click.IntRange(1, MOST_DAYS),
    help="Days it is valid.",
)
@database_options
def new(settings: Settings, login: str, name: str, scopes: tuple[str, ...], days: int) -> None:
    """Print a new token of LOGIN, which is shown only now."""
    with open_database(settings) as database, database.writing() as db:
        account = account_by_login(db, login)
        made = make_access_token(db, account.id, name=name, scopes=scopes, days=days)
    click.echo(made.secret)


@command.command("list")
@click.argument("login")
@JSON
@database_options
def list_(settings: Settings, login: str, as_json: bool) -> None:
    """List the tokens of LOGIN with their last use, without what is secret of them."""
    with open_database(settings) as database, database.reading() as db:
        found = access_tokens(db, account_by_login(db, login).id)
    if as_json:
        say_json(
            [
                {
                    "token": one.id,
                    "name": one.name,
                    "scopes": list(one.scopes),
                    "created_at": _moment(one.created_at),
                    "expires_at": _moment(one.expires_at),
                    "used_at": _moment(one.used_at),
                    "expired": one.expired,
                }
                for one in found
            ]
        )
        return
    say_table(
        ["token", "name", "scopes", "expires", "last used"],
        [
            (
                one.id,
                one.name,
                " ".join(one.scopes),
                f"{one.expires_at:%Y-%m-%d}{' (expired)' if one.expired else ''}",
                f"{one.used_at:%Y-%m-%d %H:%M}" if one.used_at else "never",
            )
            for one in found
        ],
        numeric=[0],
    )


@command.command("revoke")
@click.argument("login")
@click.argument("token", type=click.IntRange(1))
@database_options
def revoke(settings: Settings, login: str, token: int) -> None:
    """Revoke the TOKEN of LOGIN, by its number in the list."""
    with open_database(settings) as database, database.writing() as db:
        account = account_by_login(db, login)
        revoked = revoke_access_token(db, account.id, token)
    click.echo(f"{revoked.name} is revoked")


def _moment(when: datetime | None) -> str | None:
    return None if when is None else when.isoformat(timespec="seconds")
