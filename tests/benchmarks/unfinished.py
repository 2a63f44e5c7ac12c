"""Requests that never end: what tests of servers and of faults put beside people who judge."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

FORM = "application/x-www-form-urlencoded"
FILES = "multipart/form-data; boundary=b"


class _Slow:
    """A connection that begins a request and sends a part of its body at a time, or nothing more."""

    def __init__(self, address: str, head: str, *, part: int) -> None:
        parts = urlsplit(address)
        self._where = (parts.hostname or "", parts.port or 0)
        self._head, self._part = head.encode(), part
        self._open()

    def _open(self) -> None:
        self._connection = socket.create_connection(self._where)
        self._connection.sendall(self._head + b"\r\n\r\nlogin=a")
        self._connection.setblocking(False)

    def go_on(self) -> None:
        """Send the next part; open the connection again if the server has answered or closed it."""
        try:
            if self._part:
                self._connection.send(bytes(self._part))
            self._connection.recv(1)
        except BlockingIOError:
            return
        except OSError:
            pass
        self.close()
        self._open()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def request_head(path: str, kind: str, length: int, token: str = "") -> str:
    """The head of a request that announces a body of so many bytes."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Type: {kind}", f"Content-Length: {length}"]
    return "\r\n".join([*lines, f"Cookie: workbench={token}"] if token else lines)


@contextmanager
def unfinished(address: str, head: str, count: int, *, part: int = 0) -> Iterator[None]:
    """So many connections whose requests never end; each sends a part of so many bytes a second."""
    connections = [_Slow(address, head, part=part) for _ in range(count)]
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(1):
            for one in connections:
                one.go_on()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        for one in connections:
            one.close()
