"""A receiver of webhooks that tests run, and webhooks for it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

from sqlalchemy.orm import Session

from workbench.workflow.webhooks.deliveries import deliveries
from workbench.workflow.webhooks.outbox import EventType
from workbench.workflow.webhooks.webhooks import add_webhook, send_test

INSIDE = ("localhost",)
PUBLIC = "https://example.org/workbench?key=in-the-address"


@dataclass
class Receiver:
    """What a program received, with the headers, and what it answers: a status, headers and a body."""

    url: str = ""
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    verify: Callable[[dict[str, str], bytes], object] = lambda _headers, _body: None


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A running receiver on this machine."""
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
    found.url = f"http://localhost:{server.server_port}/hook?of=tests"
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
