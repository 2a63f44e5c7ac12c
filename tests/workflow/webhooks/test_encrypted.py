"""Deliveries over HTTPS: who vouches for the receiver, for which name, and what a refusal says."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.builders import pooled_campaign
from tests.certificates import DAY, LocalAuthority, localhost_certificate, made_authority
from tests.webhooks import receiver
from workbench.storage.engine import Database
from workbench.workflow.delivery_queue import LONGEST_REASON, DeliveryState
from workbench.workflow.webhooks import sending
from workbench.workflow.webhooks.deliveries import ClaimedDelivery, deliveries, send_again
from workbench.workflow.webhooks.destination import MOST_TRIED, Destination, connected_socket
from workbench.workflow.webhooks.outbox import EventType
from workbench.workflow.webhooks.sending import NotDelivered, deliver, send_waiting
from workbench.workflow.webhooks.signing import new_secret
from workbench.workflow.webhooks.tls_failures import tls_failure
from workbench.workflow.webhooks.webhooks import add_webhook, send_test

HOST = "receiver.example.org"
INSIDE = (HOST,)


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalAuthority:
    """The only authority that this machine trusts, by the variable that OpenSSL reads."""
    made = made_authority(tmp_path / "authority.pem")
    monkeypatch.setenv("SSL_CERT_FILE", str(made.certificate))
    return made


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every name leads to this machine."""

    def found(_host: str, port: int, **_more: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", found)


def told(port: int, host: str = HOST) -> int:
    """The status with which a test is accepted."""
    url = f"https://{host}:{port}/hook"
    return deliver(ClaimedDelivery(1, url, new_secret(), "evt_1", "{}"), (host,))


def refusal(port: int, host: str = HOST) -> str:
    """Why a test is not accepted."""
    with pytest.raises(NotDelivered) as error:
        told(port, host)
    assert len(error.value.attempt.reason) <= LONGEST_REASON
    return error.value.attempt.reason


def test_a_receiver_is_known_by_its_name_and_reached_at_the_address_that_was_checked(
    tmp_path: Path, authority: LocalAuthority
) -> None:
    with receiver(authority.signed(tmp_path / "receiver.pem", HOST)) as found:
        assert told(found.port) == 204
    # By SNI (RFC 6066, 3) and by the header of HTTP; the name leads here by the fixture alone.
    assert found.names == [HOST]
    assert [headers["host"] for headers, _ in found.received] == [f"{HOST}:{found.port}"]


def ended(one: LocalAuthority, path: Path) -> Path:
    return one.signed(path, HOST, begins=-3 * DAY, ends=-DAY)


def not_begun(one: LocalAuthority, path: Path) -> Path:
    return one.signed(path, HOST, begins=DAY, ends=3 * DAY)


def of_another_name(one: LocalAuthority, path: Path) -> Path:
    return one.signed(path, "another.example.org")


def of_another_authority(_one: LocalAuthority, path: Path) -> Path:
    return made_authority(path.with_suffix(".authority")).signed(path, HOST)


def of_nobody(_one: LocalAuthority, path: Path) -> Path:
    return localhost_certificate(path)


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (ended, "has expired: have it renewed"),
        (not_begun, "is not valid yet"),
        (of_another_name, "is for other names"),
        (of_another_authority, "is signed by an authority that this server does not know"),
        (of_nobody, "is signed by nobody but itself"),
    ],
)
def test_a_certificate_that_does_not_hold_is_told_nothing_and_named(
    tmp_path: Path, authority: LocalAuthority, made: Callable[[LocalAuthority, Path], Path], says: str
) -> None:
    with receiver(made(authority, tmp_path / "receiver.pem")) as found:
        reason = refusal(found.port)
    assert reason.startswith(f"the certificate of {HOST} {says}")
    assert found.received == []


def test_the_line_of_a_delivery_says_so_until_the_certificate_is_renewed(
    tmp_path: Path, authority: LocalAuthority, sqlite_database: Database
) -> None:
    with receiver(ended(authority, tmp_path / "ended.pem")) as found:
        with sqlite_database.writing() as db:
            campaign = pooled_campaign(db)[0].campaign.id
            url = found.url.replace("localhost", HOST)
            number = add_webhook(db, campaign, url, [EventType.RUN_RECEIVED], inside=INSIDE).webhook.id
            send_test(db, campaign, number)
        assert send_waiting(sqlite_database, INSIDE) == 0
        with sqlite_database.writing() as db:
            (line,) = deliveries(db, number)
            assert (line.state, line.attempts, line.status) == (DeliveryState.WAITING, 1, None)
            assert "has expired" in line.reason
            send_again(db, campaign, number, line.id)
        found.renew(authority.signed(tmp_path / "renewed.pem", HOST))
        assert send_waiting(sqlite_database, INSIDE) == 1
    with sqlite_database.reading() as db:
        (line,) = deliveries(db, number)
    assert (line.state, line.status, line.reason) == (DeliveryState.SENT, 204, "")


def test_a_redirect_and_an_answer_without_end_are_cut_short(
    tmp_path: Path, authority: LocalAuthority
) -> None:
    with receiver(authority.signed(tmp_path / "receiver.pem", HOST)) as found:
        found.status, found.headers = 307, {"Location": f"https://{HOST}:{found.port}/other"}
        assert "redirects are not followed" in refusal(found.port)
        assert len(found.received) == 1
        found.status, found.headers, found.body = 200, {}, b"." * 10_000_000
        assert told(found.port) == 200


@contextmanager
def reluctant(certificate: Path | None, answer: bytes) -> Iterator[int]:
    """A server that sends an answer byte by byte, by TLS if it has a certificate; gives its port."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if certificate is not None:
        tls.load_cert_chain(certificate)
    over = threading.Event()

    def drip(server: socket.socket) -> None:
        plain, _ = server.accept()
        with (
            suppress(OSError),
            plain if certificate is None else tls.wrap_socket(plain, server_side=True) as opened,
        ):
            for byte in answer:
                opened.send(bytes([byte]))
                if over.wait(0.02):
                    return
            over.wait(5)

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=drip, args=(server,))
        thread.start()
        try:
            yield server.getsockname()[1]
        finally:
            over.set()
            thread.join()


@pytest.mark.parametrize("encrypted", [True, False], ids=["an endless answer", "no handshake"])
def test_whoever_takes_too_long_is_left(
    tmp_path: Path, authority: LocalAuthority, monkeypatch: pytest.MonkeyPatch, *, encrypted: bool
) -> None:
    monkeypatch.setattr(sending, "WHOLE_SECONDS", 0.2)
    certificate = authority.signed(tmp_path / "receiver.pem", HOST) if encrypted else None
    with reluctant(certificate, b"HTTP/1.1 200 OK\r\n" + b"X: y" * 100 if encrypted else b"") as port:
        assert refusal(port).startswith("no answer within")


def test_what_speaks_no_tls_is_told_from_a_wrong_certificate(authority: LocalAuthority) -> None:
    with reluctant(None, b"HTTP/1.1 400 Bad Request\r\n") as port:
        assert refusal(port) == f"what answers on port {port} does not speak TLS: check the port"


def test_what_openssl_has_no_number_for_here_is_told_in_its_own_words() -> None:
    odd = ssl.SSLCertVerificationError("odd")
    odd.verify_code, odd.verify_message = 24, "invalid CA certificate"
    assert tls_failure(odd, HOST, 443) == f"the certificate of {HOST} is not valid (invalid CA certificate)"


def test_of_many_addresses_that_do_not_answer_few_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    class Unanswered(socket.socket):
        def connect(self, address: object) -> None:
            tried.append(address)
            raise TimeoutError("timed out")

    places = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (f"93.184.215.{n}", 443)) for n in range(1, 50)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_args, **_more: places)
    monkeypatch.setattr(socket, "socket", Unanswered)
    with pytest.raises(TimeoutError, match="no connection within 1 seconds"):
        connected_socket(Destination(True, HOST, 443, "/"), (), 1.0)
    assert len(tried) == MOST_TRIED
