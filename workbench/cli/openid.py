"""`workbench openid`: a check of the provider, and the accounts that are linked with identities there."""

from __future__ import annotations

from dataclasses import asdict

import click

from workbench.cli.database import database_command, reading, writing
from workbench.cli.output import JSON_OBJECT, say_list
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.settings import Settings
from workbench.workflow.openid.identities import linked_identities, unlink_identities
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.openid.provider_http import LEEWAY_SECONDS
from workbench.workflow.openid.refusals import NotSignedIn
from workbench.workflow.people.accounts import account_by_login


@click.group("openid")
def command() -> None:
    """Check sign-in with OpenID Connect, and list and remove linked identities."""


@database_command("check", command)
def check(settings: Settings) -> None:
    """Ask the provider what it publishes, and say what is wrong.

    Client ID, client secret and the registered address are known to be right once somebody has signed in.
    """
    if settings.openid is None:
        raise WorkbenchError("this site has no OpenID provider", remedy="set WORKBENCH_OPENID_ISSUER")
    provider = OpenIdProvider(settings.openid)
    try:
        metadata, keys = provider.checked()
    except NotSignedIn as error:
        remedy = "check the WORKBENCH_OPENID_ settings, and whether this machine reaches the provider"
        raise WorkbenchError(f"{error.message}: {error.cause}", remedy=remedy) from None
    click.echo(f"{provider.settings.name} answers as {provider.settings.issuer} with {counted(keys, 'key')}")
    click.echo(f"Register this address there: {provider.redirect_uri}")
    ahead = metadata.clock_ahead
    if ahead is not None and abs(ahead) > LEEWAY_SECONDS / 2:
        side = "ahead of" if ahead > 0 else "behind"
        message = f"the provider's clock is {abs(ahead):.0f} seconds {side} that of this machine"
        remedy = f"set the clock; from {LEEWAY_SECONDS} seconds on nobody can sign in"
        raise WorkbenchError(message, remedy=remedy)


@database_command("list", command)
@JSON_OBJECT
def list_(settings: Settings, as_json: bool) -> None:
    """List the linked identities by login name."""
    with reading(settings) as db:
        found = linked_identities(db)
    say_list(
        [asdict(one) for one in found],
        as_json,
        ["login", "known as", "issuer", "linked", "last used"],
        [
            (
                one.login,
                one.known_as,
                one.issuer,
                f"{one.linked_at:%Y-%m-%d}",
                f"{one.used_at:%Y-%m-%d}" if one.used_at else "",
            )
            for one in found
        ],
    )


@database_command("unlink", command)
@click.argument("login")
def unlink(settings: Settings, login: str) -> None:
    """Let nobody sign in to LOGIN with the provider; the password keeps working.

    An account without a password gets one first, by `workbench account password` or `account reset`.
    """
    with writing(settings) as db:
        unlink_identities(db, account_by_login(db, login).id)
    click.echo(f"{login} signs in with a password only")
