"""Sending: what waits in the queue is handed to the mail server, message by message."""

from __future__ import annotations

import logging
import re
import smtplib
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, formataddr, parseaddr
from functools import partial
from urllib.parse import urlsplit

from workbench.errors import Unavailable
from workbench.settings import MailSettings
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.workflow.clock import utc_now
from workbench.workflow.mail import messages
from workbench.workflow.mail.messages import Message, one_line
from workbench.workflow.mail.queue import ClaimedMessage, claim_next, note_failed, note_sent, work_of_next

LOG = logging.getLogger(__name__)
SECONDS = 30.0
"""For each step of a conversation with the server."""
NOTED_AGAIN = 1.0
"""Seconds before a note that the database did not take is made again."""
FOR_GOOD = range(500, 600)
"""Replies to an address or a message that the same message would get again."""
_TOKEN = re.compile(r"[\w-]{40,}")


class NotSent(Exception):
    """A mail server did not accept a message; `for_good` if it never will."""

    def __init__(self, reason: str, *, for_good: bool = False) -> None:
        # A reply may quote the message, with the link that stands in it.
        self.reason = _TOKEN.sub("…", one_line(reason))
        self.for_good = for_good
        super().__init__(self.reason)


def send_waiting(database: Database, settings: MailSettings) -> int:
    """Send what is due, over one connection; gives how many messages were sent."""
    sent = 0
    connection: smtplib.SMTP | None = None
    try:
        while True:
            with database.reading() as db:
                work = work_of_next(db)
            with database.writing() as db:
                claimed = claim_next(db, settings.site, work=work)
            if claimed is False:
                return sent
            if claimed is True:
                continue
            try:
                connection = connection or connected(settings)
                _hand_over(connection, claimed.message, _number(claimed), settings)
            except NotSent as error:
                LOG.warning("message %d (%s) is not sent", claimed.id, claimed.kind)
                failed = partial(
                    note_failed, message_id=claimed.id, reason=error.reason, for_good=error.for_good
                )
                _note(database, failed)
                if connection is None:
                    return sent  # the others would wait for the same server
                _close(connection)
                connection = None
            else:
                _note(database, partial(note_sent, message_id=claimed.id))
                sent += 1
    finally:
        _close(connection)


def send_test(settings: MailSettings, address: str) -> None:
    """Send a test message at once, without the queue; raises NotSent."""
    connection = connected(settings)
    try:
        message = messages.message(address, settings.site)
        _hand_over(connection, message, f"test-{utc_now():%Y%m%d%H%M%S}", settings)
    finally:
        _close(connection)


def email_of(message: Message, number: str, settings: MailSettings) -> EmailMessage:
    """A message with its headers; `number` tells it apart from all others of this site."""
    host = urlsplit(settings.site).hostname
    email = EmailMessage(policy=SMTP)
    email["From"] = formataddr(parseaddr(settings.sender))
    email["To"] = message.to
    email["Subject"] = one_line(message.subject)
    email["Date"] = format_datetime(utc_now())
    email["Message-ID"] = f"<workbench-{number}@{host}>"
    email["Auto-Submitted"] = "auto-generated"
    email.set_content(message.body)
    return email


def connected(settings: MailSettings) -> smtplib.SMTP:
    """A connection to the mail server, encrypted and signed in as the settings say; raises NotSent."""
    with _explained(f"{settings.host}, port {settings.port}"):
        if settings.security == "tls":
            connection: smtplib.SMTP = smtplib.SMTP_SSL(
                settings.host, settings.port, timeout=SECONDS, context=ssl.create_default_context()
            )
        else:
            connection = smtplib.SMTP(settings.host, settings.port, timeout=SECONDS)
        try:
            if settings.security == "starttls":
                connection.starttls(context=ssl.create_default_context())
            if settings.login:
                connection.login(settings.login, settings.password)
        except BaseException:
            _close(connection)
            raise
    return connection


def _note(database: Database, change: Callable[[Session], object]) -> None:
    """Note what became of an attempt, again and again until the database takes it.

    The mail server has it: a claim that ended without a note would have it sent twice.
    """
    while True:
        try:
            with database.writing() as db:
                change(db)
            return
        except Unavailable as error:
            LOG.warning("what became of a message is noted again: %s", error)
            time.sleep(NOTED_AGAIN)


def _hand_over(connection: smtplib.SMTP, message: Message, number: str, settings: MailSettings) -> None:
    with _explained(settings.host):
        connection.send_message(email_of(message, number, settings))


def _number(claimed: ClaimedMessage) -> str:
    """The same for every attempt, so that a mail system drops what it has, unless the link is another."""
    return f"{claimed.id}-{claimed.attempt}" if claimed.message.secret else str(claimed.id)


@contextmanager
def _explained(place: str) -> Iterator[None]:
    """Raise NotSent with the reason of whatever goes wrong."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as error:
        code, reply = next(iter(error.recipients.values()))
        raise NotSent(f"{code} {_text(reply)}", for_good=code in FOR_GOOD) from None
    except smtplib.SMTPAuthenticationError as error:
        # The settings are wrong, not the message: it is sent once they are right.
        raise NotSent(f"{place} refused the login: {error.smtp_code}") from None
    except smtplib.SMTPResponseException as error:
        # A refused sender is a matter of the settings, like a login.
        answer = f"{error.smtp_code} {_text(error.smtp_error)}"
        lasting = error.smtp_code in FOR_GOOD and isinstance(error, smtplib.SMTPDataError)
        raise NotSent(answer, for_good=lasting) from None
    except (smtplib.SMTPException, OSError, ValueError) as error:
        raise NotSent(f"{place}: {error or type(error).__name__}") from None


def _text(reply: bytes | str) -> str:
    return reply.decode("utf-8", "replace") if isinstance(reply, bytes) else reply


def _close(connection: smtplib.SMTP | None) -> None:
    if connection is not None:
        with suppress(smtplib.SMTPException, OSError):
            connection.quit()
