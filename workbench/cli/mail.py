"""`workbench mail`: the messages that wait or were sent, sending them, and a test of the settings."""

from __future__ import annotations

import click

from workbench.cli.database import database_command, open_database, reading
from workbench.cli.output import JSON_OBJECT, record_json, say_list
from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.settings import MailSettings, Settings
from workbench.workflow.mail.queue import messages
from workbench.workflow.mail.sending import NotSent, send_test, send_waiting
from workbench.workflow.people.mail_addresses import checked_address


@click.group("mail")
def command() -> None:
    """List and send messages, and test the mail server."""


@database_command("list", command)
@JSON_OBJECT
def list_(settings: Settings, as_json: bool) -> None:
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


@database_command("send", command)
def send(settings: Settings) -> None:
    """Send what is due now. A running server does so by itself every few seconds."""
    mail = _mail(settings)
    with open_database(settings) as database:
        number = send_waiting(database, mail)
    click.echo(f"{counted(number, 'message')} sent")


@database_command("test", command)
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
