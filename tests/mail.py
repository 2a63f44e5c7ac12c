"""A mail server that tests run, and the settings by which messages are handed to it."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword

from workbench.settings import MailSettings

SITE = "https://judge.example.org/bench"
LOGIN, SECRET = "relay", "the password of the relay"


@dataclass  # without slots, whose parts aiosmtpd would look through
class Mailbox:
    """What a mail server accepted, and what it answers to addresses that it refuses."""

    port: int
    received: list[EmailMessage] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)
    after_data: str = "250 accepted"

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Refuse an address, or note it."""
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's
        """Keep a message."""
        content = envelope.content
        assert isinstance(content, bytes)
        if self.after_data.startswith("250"):
            found = message_from_bytes(content, _class=EmailMessage, policy=policy.default)
            self.received.append(found)
        return self.after_data

    def settings(self, **changes: Any) -> MailSettings:
        """How messages are handed to this server."""
        given = {"security": "none", "sender": "Workbench <bench@example.org>", "site": SITE}
        return MailSettings(host="localhost", port=self.port, **given | changes)

    def bodies(self) -> list[str]:
        """The texts of what was received."""
        return [one.get_content() for one in self.received]


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


@contextmanager
def mail_server(tls: ssl.SSLContext | None = None) -> Iterator[Mailbox]:
    """A running mail server; with `tls` it demands STARTTLS and a login."""
    mailbox = Mailbox(free_port())

    def authenticate(_server: Any, _session: Any, _envelope: Any, _mechanism: str, data: Any) -> AuthResult:
        assert isinstance(data, LoginPassword)
        return AuthResult(success=data == LoginPassword(LOGIN.encode(), SECRET.encode()), handled=False)

    demands: dict[str, Any] = (
        {"tls_context": tls, "require_starttls": True, "auth_required": True} if tls else {}
    )
    controller = Controller(
        mailbox, hostname="127.0.0.1", port=mailbox.port, authenticator=authenticate, **demands
    )
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()
