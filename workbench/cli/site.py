"""`workbench mail` and `openid`: the messages of a site, and its OpenID provider."""

from __future__ import annotations

from dataclasses import asdict

import click

from workbench.cli.database import database_command, open_database, reading, writing
from workbench.cli.main import CommandGroup
from workbench.cli.output import JSON_OBJECT, record_json, say_list
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.settings import MailSettings, Settings
from workbench.workflow.mail.queue import messages
from workbench.workflow.mail.sending import NotSent, send_test, send_waiting
from workbench.workflow.openid.identities import linked_identities, unlink_identities
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.openid.refusals import LEEWAY_SECONDS, NotSignedIn
from workbench.workflow.people.accounts import account_by_login
from workbench.workflow.people.mail_addresses import checked_address


@click.group("mail", cls=CommandGroup)
def mail() -> None:
    """List and send messages, and test the mail server."""


@database_command("list", mail)
@JSON_OBJECT
def list_messages(settings: Settings, as_json: bool) -> None:
    """List the messages of the last 30 days, the latest first."""
    with reading(settings) as db:
        found = messages(db)
    say_list(
        [record_json(one, id="message", due_at="", tries="attempts") for one in found],
        as_json,
        ["message", "kind", "state", "address", "asked for", "attempts", "reason"],
        [
            (
                one.id,
                one.kind,
                one.state,
                one.address,
                f"{one.created_at:%Y-%m-%d %H:%M}",
                one.tries,
                one.reason,
            )
            for one in found
        ],
        numeric=[0, 5],
    )


@database_command("send", mail)
def send(settings: Settings) -> None:
    """Send what is due now. A running server does so by itself every few seconds."""
    mail = _mail(settings)
    with open_database(settings) as database:
        number = send_waiting(database, mail)
    click.echo(f"{counted(number, 'message')} sent")


@database_command("test", mail)
@click.argument("address")
def test(settings: Settings, address: str) -> None:
    """Send a test message to ADDRESS at once, and say what is wrong if that fails."""
    mail, checked = _mail(settings), checked_address(address)
    try:
        send_test(mail, checked)
    except NotSent as error:
        remedy = "check the WORKBENCH_MAIL_ settings"
        raise WorkbenchError(f"the message was not sent: {error.reason}", remedy=remedy) from None
    click.echo(f"{mail.host} accepted the message")


def _mail(settings: Settings) -> MailSettings:
    if settings.mail is None:
        raise WorkbenchError("this site sends no e-mail", remedy="set WORKBENCH_MAIL_HOST")
    return settings.mail


@click.group("openid", cls=CommandGroup)
def openid() -> None:
    """Check sign-in with OpenID Connect, and list and remove linked identities."""


@database_command("check", openid)
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


@database_command("list", openid)
@JSON_OBJECT
def list_linked(settings: Settings, as_json: bool) -> None:
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


@database_command("unlink", openid)
@click.argument("login")
def unlink(settings: Settings, login: str) -> None:
    """Let nobody sign in to LOGIN with the provider; the password keeps working.

    An account without a password gets one first, by `workbench account password` or `account reset`.
    """
    with writing(settings) as db:
        unlink_identities(db, account_by_login(db, login).id)
    click.echo(f"{login} signs in with a password only")
