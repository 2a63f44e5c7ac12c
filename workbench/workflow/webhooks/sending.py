"""Sending: what waits is posted to its webhook, over a connection of its own to a public address."""

from __future__ import annotations

import http.client
import logging
import socket
import ssl
import threading
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial

from workbench import __version__
from workbench.errors import InvalidInput
from workbench.storage.engine import Database
from workbench.workflow.clock import utc_now
from workbench.workflow.delivery_queue import note
from workbench.workflow.webhooks.deliveries import (
    ClaimedDelivery,
    FailedAttempt,
    claim_next,
    note_accepted,
    note_failed,
)
from workbench.workflow.webhooks.destination import (
    Destination,
    NoDestination,
    connected_socket,
    destination_of,
)
from workbench.workflow.webhooks.signing import signature_headers
from workbench.workflow.webhooks.tls_failures import tls_failure

LOG = logging.getLogger(__name__)
CONNECT_SECONDS, WHOLE_SECONDS = 10.0, 20.0
"""To connect, and for everything after that."""
ACCEPTED = range(200, 300)
MOST_READ = 2_000
SHOWN = 200


class NotDelivered(Exception):
    """A receiver did not accept a delivery."""

    def __init__(self, attempt: FailedAttempt) -> None:
        self.attempt = attempt
        super().__init__(attempt.reason)


def send_waiting(database: Database, inside: Collection[str]) -> int:
    """Deliver what is due; gives how many deliveries were accepted."""
    accepted = 0
    while True:
        with database.writing() as db:
            claimed = claim_next(db)
        if claimed is None:
            return accepted
        try:
            status = deliver(claimed, inside)
        except NotDelivered as error:
            LOG.warning("delivery %d to a webhook failed", claimed.id)
            note(database, partial(note_failed, delivery_id=claimed.id, attempt=error.attempt))
        else:
            note(database, partial(note_accepted, delivery_id=claimed.id, status=status))
            accepted += 1


def deliver(claimed: ClaimedDelivery, inside: Collection[str]) -> int:
    """Post a delivery to its webhook, and give the status with which it was accepted; raises NotDelivered."""
    try:
        destination = destination_of(claimed.url, inside)
        with connected_socket(destination, inside, CONNECT_SECONDS) as opened, _ended_in_time(opened) as late:
            try:
                status, answer = _posted(opened, claimed, destination)
            except (http.client.HTTPException, OSError) as error:
                if late.is_set() or isinstance(error, TimeoutError):
                    raise TimeoutError(f"no answer within {WHOLE_SECONDS:.0f} seconds") from None
                raise
    except InvalidInput as error:
        raise NotDelivered(FailedAttempt(error.findings[0].message)) from None
    except ssl.SSLError as error:
        reason = tls_failure(error, destination.host, destination.port)
        raise NotDelivered(FailedAttempt(reason)) from None
    except (NoDestination, http.client.HTTPException, OSError, UnicodeError) as error:
        raise NotDelivered(FailedAttempt(_in_words(error))) from None
    if status not in ACCEPTED:
        raise NotDelivered(FailedAttempt(_refusal(status), status, answer))
    return status


@contextmanager
def _ended_in_time(opened: socket.socket) -> Iterator[threading.Event]:
    """End a connection that takes too long; the event says that it did.

    A limit for each read would not do, of a receiver that sends its answer byte by byte.
    """
    late = threading.Event()
    # By a number of its own, since TLS takes over that of the socket.
    with opened.dup() as same:

        def end() -> None:
            late.set()
            with suppress(OSError):
                same.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(WHOLE_SECONDS, end)
        timer.daemon = True
        timer.start()
        try:
            yield late
        finally:
            timer.cancel()
            timer.join()


def _posted(opened: socket.socket, claimed: ClaimedDelivery, destination: Destination) -> tuple[int, str]:
    """The status of the answer, and how a refusal begins; TLS and HTTP are told the host's own name."""
    body = claimed.payload.encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"Workbench/{__version__}",
        "Connection": "close",
        **signature_headers(claimed.secret, claimed.event_id, body, utc_now(None)),
    }
    connection = http.client.HTTPConnection(destination.host, destination.port)
    # Connected already, to the address that was checked.
    opened.settimeout(WHOLE_SECONDS)
    connection.sock = opened
    if destination.secure:
        connection.sock = ssl.create_default_context().wrap_socket(opened, server_hostname=destination.host)
    with closing(connection):
        connection.request("POST", destination.target, body, headers)
        response = connection.getresponse()
        begun = "" if response.status in ACCEPTED else response.read(MOST_READ).decode("utf-8", "replace")
    plain = "".join(one if one.isprintable() else " " for one in begun)
    return response.status, " ".join(plain.split())[:SHOWN]


def _refusal(status: int) -> str:
    name = http.client.responses.get(status, "")
    redirect = ": redirects are not followed" if 300 <= status < 400 else ""
    return f"status {status} {name}".rstrip() + redirect


def _in_words(error: Exception) -> str:
    if isinstance(error, socket.gaierror | UnicodeError):
        return "the host was not found"
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
