"""The robots of the benchmarks understand an answer however its server ends it."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from tests.benchmarks.crowd import Figures, figures
from tests.benchmarks.robots import Answer, Conversation, Robots, request

ANSWERS = {
    "length": (b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwhole", Answer(200, b"whole"), True),
    "close": (b"HTTP/1.1 201 Created\r\nConnection: close\r\n\r\nwhole", Answer(201, b"whole"), False),
    "old": (b"HTTP/1.0 404 Not Found\r\nContent-Length: 2\r\n\r\nno", Answer(404, b"no"), False),
    "chunked": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        Answer(200, b"2\r\nab\r\n0\r\n\r\n"),
        True,
    ),
}


@contextmanager
def answering(answer: bytes, *, stays: bool) -> Iterator[tuple[str, int]]:
    """A server that gives every request the same answer, in two parts."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            asked = 0
            while asked < 2:
                line = server.accept()[0]
                with line:
                    while asked < 2 and line.recv(1000):
                        asked += 1
                        line.sendall(answer[:30])
                        line.sendall(answer[30:])
                        if not stays:
                            break

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[:2]
        thread.join(20)


@pytest.mark.parametrize("form", ANSWERS)
def test_an_answer_ends_as_its_server_says(form: str) -> None:
    sent, expected, stays = ANSWERS[form]
    heard: list[Answer] = []

    def ask_twice() -> Conversation:
        for _ in range(2):
            heard.append((yield request("GET", "/", "Host: x\r\n")))

    with answering(sent, stays=stays) as where:
        robots = Robots(where)
        robots.converse([ask_twice()], lambda: None)
    assert (heard, robots.wrong) == ([expected] * 2, [])


def test_a_server_that_hangs_up_is_told_of() -> None:
    def ask() -> Conversation:
        yield request("POST", "/", "Host: x\r\n", b"{}")

    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        hangs_up = threading.Thread(target=lambda: server.accept()[0].close(), daemon=True)
        hangs_up.start()
        robots = Robots(server.getsockname()[:2])
        robots.converse([ask()], lambda: None)
        hangs_up.join(20)
    assert len(robots.wrong) == 1
    assert "Connection" in robots.wrong[0]


def test_figures_are_the_nearest_ranks_in_milliseconds() -> None:
    # Of 1 to 100 ms the places 50 and 99 (from 0) hold 51 and 100.
    assert figures([number / 1000 for number in range(1, 101)]) == Figures(51, 100, 100)
