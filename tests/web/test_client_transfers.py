"""Files that the client downloads are whole, or there is none."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from workbench.client import ATTEMPTS, ApiError, Transport, Unreachable, _operation

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"
STATED = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none"


@contextmanager
def answering(*sent: bytes) -> Iterator[Transport]:
    """A client of a server that closes each connection after one of these responses."""

    def answer() -> None:
        for one in sent:
            connection, _ = listening.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(one)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=answer)
        server.start()
        try:
            yield Transport(f"http://127.0.0.1:{listening.getsockname()[1]}", "token", timeout=10)
        finally:
            server.join()


def downloaded(sent: bytes, file: Path) -> int:
    """The bytes that the client has of a response after which its server closes the connection."""
    with answering(sent) as sender:
        # As the document of the API has it, which this server cannot give.
        vars(sender)["_operations"] = {"large": _operation("GET", "/large", {"responses": {}})}
        return sender.download("large", {}, file)


def test_an_answer_that_breaks_off_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.client.PAUSE_SECONDS", 0)
    whole = b'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"a"'
    with answering(whole[:-1], whole[:-2], whole) as sender:
        assert sender.get("/campaigns") == "a"
    with answering(*[whole[:-1]] * ATTEMPTS) as sender, pytest.raises(Unreachable, match="interrupted"):
        sender.get("/campaigns")


def test_a_request_that_is_still_carried_out_is_waited_for() -> None:
    running = b"HTTP/1.1 409 Conflict\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
    whole = b'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"a"'
    with answering(*[running] * (ATTEMPTS + 2), whole) as sender:
        assert sender.get("/campaigns") == "a"
    with answering(running.replace(b"Retry-After: 0\r\n", b"")) as sender, pytest.raises(ApiError):
        sender.get("/campaigns")


@pytest.mark.parametrize(
    "sent", [CHUNKED, CHUNKED + b"3\r\nt", STATED], ids=["between chunks", "in a chunk", "of stated length"]
)
def test_a_transfer_that_ends_too_early_leaves_no_file(tmp_path: Path, sent: bytes) -> None:
    file = tmp_path / "large.tsv"
    with pytest.raises(Unreachable, match="the transfer"):
        downloaded(sent, file)
    assert not file.exists()


@pytest.mark.parametrize(
    "sent", [CHUNKED + b"3\r\ntwo\r\n0\r\n\r\n", STATED + b"two"], ids=["chunked", "stated"]
)
def test_a_whole_transfer_is_a_file(tmp_path: Path, sent: bytes) -> None:
    file = tmp_path / "large.tsv"
    assert downloaded(sent, file) == 6
    assert file.read_bytes() == b"onetwo"
