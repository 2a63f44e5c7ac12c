"""A receiver of webhooks that tests run, and webhooks for it."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from sqlalchemy.orm import Session

from workbench.workflow.webhooks.deliveries import deliveries
from workbench.workflow.webhooks.outbox import EventType
from workbench.workflow.webhooks.webhooks import add_webhook, send_test

INSIDE = ("localhost",)
PUBLIC = "https://example.org/workbench?key=in-the-address"


@dataclass
class Receiver:
    """What a program received, with the headers, and what it answers: a status, headers and a body.

    `names` are those that were asked for as encrypted connections began (SNI).
    """

    url: str = ""
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    names: list[str | None] = field(default_factory=list)
    port: int = 0
    tls: ssl.SSLContext | None = None

    def renew(self, certificate: Path) -> None:
        """Use another certificate from the next connection on."""
        assert self.tls is not None
        self.tls.load_cert_chain(certificate)


@contextmanager
def receiver(certificate: Path | None = None) -> Iterator[Receiver]:
    """A running receiver on this machine, by HTTPS where it has a certificate."""
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            found.received.append(({name.casefold(): value for name, value in self.headers.items()}, body))
            self.send_response(found.status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(found.body)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: what was received is what tests look at."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    found.port = server.server_port
    found.url = f"http://localhost:{found.port}/hook?of=tests"
    if certificate is not None:
        found.url = found.url.replace("http", "https", 1)
        found.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        found.renew(certificate)
        found.tls.sni_callback = lambda _socket, name, _context: found.names.append(name)
        server.socket = found.tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


def a_webhook(db: Session, campaign_id: int, url: str = PUBLIC) -> int:
    """Add a webhook that is told of everything, with a test that waits; gives its number."""
    made = add_webhook(db, campaign_id, url, list(EventType), inside=INSIDE)
    send_test(db, campaign_id, made.webhook.id)
    return made.webhook.id


def webhook_samples(db: Session, campaign_id: int) -> dict[str, int]:
    """A webhook and its delivery, for the addresses of pages."""
    webhook_id = a_webhook(db, campaign_id)
    return {"webhook_id": webhook_id, "delivery_id": deliveries(db, webhook_id)[0].id}
