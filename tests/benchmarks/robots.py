"""Robots that share one thread: each has a connection, sends a request, and waits for its answer.

They are one process without threads, so that most of the machine is the server's. A server that closes the
connection after an answer is connected to again.
"""

from __future__ import annotations

import os
import selectors
import socket
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import NamedTuple

CLOCK = os.sysconf("SC_CLK_TCK")
SILENT_SECONDS = 30


class Answer(NamedTuple):
    """The status and body of a response."""

    status: int
    body: bytes


Conversation = Generator[bytes, Answer, None]
"""Yields requests, and is sent the answer to each."""


class Robots:
    """Conversations with the server at `where`, all at once."""

    def __init__(self, where: tuple[str, int], silent_seconds: float = SILENT_SECONDS) -> None:
        self._where = where
        self._silent_seconds = silent_seconds
        self.wrong: list[str] = []

    def converse(self, conversations: Iterable[Conversation], meanwhile: Callable[[], None]) -> None:
        """Go on until all have ended; `meanwhile` is called before each look at the connections.

        Raises RuntimeError where nobody is answered for `silent_seconds`.
        """
        selector = selectors.DefaultSelector()
        for conversation in conversations:
            self._ask(selector, _Robot(conversation), next(conversation))
        while selector.get_map():
            meanwhile()
            ready = selector.select(timeout=self._silent_seconds)
            if not ready:
                raise RuntimeError(f"no answer for {self._silent_seconds:.0f} s: {self.wrong[:5]}")
            for key, _ in ready:
                self._hear(selector, key.data)

    def _hear(self, selector: selectors.BaseSelector, robot: _Robot) -> None:
        try:
            answer = robot.heard()
            if answer is None:
                return
            if not robot.stays:
                self._hang_up(selector, robot)
            self._ask(selector, robot, robot.conversation.send(answer))
        except StopIteration:
            self._hang_up(selector, robot)
        except (OSError, ValueError) as error:
            self.wrong.append(f"{type(error).__name__}: {error}")
            self._hang_up(selector, robot)

    def _ask(self, selector: selectors.BaseSelector, robot: _Robot, request: bytes) -> None:
        if robot.line is None:
            robot.line = socket.create_connection(self._where)
            robot.line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            selector.register(robot.line, selectors.EVENT_READ, robot)
        robot.line.sendall(request)

    def _hang_up(self, selector: selectors.BaseSelector, robot: _Robot) -> None:
        if robot.line is not None:
            selector.unregister(robot.line)
            robot.line.close()
            robot.line = None


class _Robot:
    """A conversation, its connection, and what was received of the answer so far."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.line: socket.socket | None = None
        self.stays = True
        self._received = bytearray()

    def heard(self) -> Answer | None:
        """Take what has arrived: a whole answer or None; raises OSError if the server hung up early."""
        if self.line is None:
            raise ConnectionError("not connected")
        more = self.line.recv(1 << 18)
        self._received += more
        found = self._answer(ended=not more)
        if found is None and not more:
            raise ConnectionError("the server hung up")
        if found is not None:
            self._received.clear()
        return found

    def _answer(self, *, ended: bool) -> Answer | None:
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return None
        head, body = bytes(self._received[:end]).lower(), self._received[end + 4 :]
        self.stays = b"connection: close" not in head and not head.startswith(b"http/1.0")
        status = int(head.split(b" ", 2)[1])
        if b"\r\ntransfer-encoding: chunked" in head:
            # Nobody here looks into such an answer.
            return Answer(status, bytes(body)) if body.endswith(b"0\r\n\r\n") else None
        _, stated, rest = head.partition(b"\r\ncontent-length:")
        if not stated:
            self.stays = False
            return Answer(status, bytes(body)) if ended or status == 204 else None
        length = int(rest.split(b"\r\n", 1)[0])
        return Answer(status, bytes(body[:length])) if len(body) >= length else None


def request(method: str, path: str, head: str, body: bytes = b"") -> bytes:
    """A request; `head` is the lines of its header that all requests of a robot have, `body` is JSON."""
    more = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    return f"{method} {path} HTTP/1.1\r\n{head}{more}\r\n".encode() + body


def processor_seconds(tag: str) -> float:
    """What the processes have used so far in whose environment `tag` stands, this one left out."""
    used = 0.0
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) == os.getpid():
            continue
        try:
            if tag.encode() not in (process / "environ").read_bytes():
                continue
            times = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        used += (int(times[11]) + int(times[12])) / CLOCK
    return used


def machine_seconds() -> tuple[float, float]:
    """Seconds that all processors have been busy since the start of the machine, and that there have been."""
    ticks = [int(one) for one in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return (sum(ticks) - idle) / CLOCK, sum(ticks) / CLOCK
