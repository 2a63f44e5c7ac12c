"""Files that the client downloads are whole, or there is none."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from workbench.client import Transport, Unreachable, _operation

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"
STATED = b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none"


def downloaded(sent: bytes, file: Path) -> int:
    """The bytes that the client has of a response after which its server closes the connection."""

    def answer() -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(sent)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = threading.Thread(target=answer)
        server.start()
        try:
            port = listening.getsockname()[1]
            sender = Transport(f"http://127.0.0.1:{port}", "token", timeout=10)
            # As the document of the API has it, which this server cannot give.
            vars(sender)["_operations"] = {"large": _operation("GET", "/large", {"responses": {}})}
            return sender.download("large", {}, file)
        finally:
            server.join()


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
