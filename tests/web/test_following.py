"""Large files are sent while they are made, and one that is not made to its end is a broken transfer."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from granian.rsgi import ProtocolClosed  # type: ignore[attr-defined]  # it is imported there
from sqlalchemy import text
from sqlalchemy.pool import QueuePool
from werkzeug.wrappers import Response

from tests.web.asked import Asked, Headers
from workbench.errors import WorkbenchError
from workbench.web.access import anyone
from workbench.web.context import context_of, reading
from workbench.web.downloads import streamed
from workbench.web.following import Following, is_open, shut
from workbench.web.refusals import WholeResponse, followed_answer
from workbench.web.response_files import FOLDER, ResponseFiles

PART = b"x" * 600_000
ENVIRON = {
    "REQUEST_METHOD": "GET", "PATH_INFO": "/large", "SERVER_NAME": "x", "SERVER_PORT": "80",
    "wsgi.url_scheme": "http",
}  # fmt: skip


class Noted:
    """A follower that notes what it is told, and how much of the file was there as it began."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def begin(self, response: WholeResponse) -> None:
        assert isinstance(response.body, Path)
        self.path = response.body
        self.told.append((response.status, self.path.stat().st_size))

    def end(self, *, whole: bool) -> None:
        self.told.append((whole, self.path.read_bytes() if whole else None))


def left(instance: Path) -> list[Path]:
    folder = instance / FOLDER
    return list(folder.iterdir()) if folder.exists() else []


def route(app: Flask, parts: Callable[[], Iterator[bytes]]) -> None:
    def large() -> Response:
        with reading() as db:
            db.execute(text("select 1"))
            return streamed(parts(), "large.tsv", kind="text/plain")

    app.add_url_rule("/large", "large", anyone(large))


def followed(app: Flask, tmp_path: Path, follower: Noted) -> WholeResponse | None:
    return followed_answer(app.wsgi_app, ENVIRON, ResponseFiles(tmp_path), follower)


def in_use(app: Flask) -> int:
    """How many connections to the database are not given back."""
    pool = context_of(app).database.engine.pool
    assert isinstance(pool, QueuePool)
    return pool.checkedout()


def test_a_large_file_is_sent_as_it_is_made_in_one_transaction(own_app: Flask, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    follower = Noted()

    def parts() -> Iterator[bytes]:
        for _ in range(4):
            seen.append((len(follower.told), in_use(own_app)))
            yield PART

    route(own_app, parts)
    assert followed(own_app, tmp_path, follower) is None
    assert follower.told == [("200 OK", 1_200_000), (True, PART * 4)]
    # The third is made once the first two are being sent.
    assert seen == [(0, 1), (0, 1), (1, 1), (1, 1)]
    assert in_use(own_app) == 0
    # The same bytes as where nobody follows.
    assert own_app.test_client().get("/large").data == PART * 4


def test_what_fits_into_memory_is_a_whole_response(own_app: Flask, tmp_path: Path) -> None:
    route(own_app, lambda: iter([b"a", b"b"]))
    follower = Noted()
    found = followed(own_app, tmp_path, follower)
    assert found is not None
    assert (found.code, found.body, dict(found.headers)["Content-Length"]) == (200, b"ab", "2")
    assert (follower.told, in_use(own_app)) == ([], 0)


@pytest.mark.parametrize("number", [0, 1])
def test_an_error_before_the_first_byte_is_the_answer(own_app: Flask, tmp_path: Path, number: int) -> None:
    def parts() -> Iterator[bytes]:
        yield from [PART] * number
        raise WorkbenchError("one id is odd")

    route(own_app, parts)
    follower = Noted()
    found = followed(own_app, tmp_path, follower)
    assert found is not None
    assert (found.code, follower.told, left(tmp_path)) == (422, [], [])


def test_an_error_after_it_ends_the_file(
    own_app: Flask, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def parts() -> Iterator[bytes]:
        yield from [PART] * 3
        raise WorkbenchError("one id is odd")

    route(own_app, parts)
    follower = Noted()
    assert followed(own_app, tmp_path, follower) is None
    assert follower.told == [("200 OK", 1_200_000), (False, None)]
    assert "a file was sent in part" in caplog.text
    assert (left(tmp_path), in_use(own_app)) == ([], 0)


def test_a_disk_without_room_is_told_before_the_first_byte(own_app: Flask, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / FOLDER).touch()
    route(own_app, lambda: iter([PART] * 3))
    follower = Noted()
    found = followed(own_app, tmp_path / "full", follower)
    assert found is not None
    assert (found.code, follower.told, in_use(own_app)) == (507, [], 0)


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The two ends of a connection: of the browser, and of the server."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:
        browser = socket.create_connection(listening.getsockname(), timeout=10)
        served, _ = listening.accept()
    with browser, served:
        yield browser, served


def addresses(served: socket.socket) -> tuple[str, str]:
    client, server = served.getpeername(), served.getsockname()
    return f"{client[0]}:{client[1]}", f"{server[0]}:{server[1]}"


def test_the_connection_of_a_request_is_shut_and_no_other(ends: tuple[socket.socket, socket.socket]) -> None:
    browser, served = ends
    client, server = addresses(served)
    assert is_open(client, server)
    assert is_open(f"[::ffff:{client.replace(':', ']:')}", server)  # as a socket of both families has it
    for other in ("127.0.0.1:1", "unix:", "", "[::1]:x"):
        assert not shut(other, server)
    served.sendall(b"half")
    assert shut(client, server)
    assert (browser.recv(10), browser.recv(10)) == (b"half", b"")
    # It is the server's still, which closes it.
    with pytest.raises(BrokenPipeError):
        served.sendall(b"more")


class Leaving(Asked):
    """A request whose browser goes away."""

    async def send_bytes(self, data: bytes) -> None:
        raise ProtocolClosed


class Sent:
    """The response to a request that a test follows, and what was counted."""

    def __init__(self, path: Path, between: tuple[str, str], kind: type[Asked] = Asked) -> None:
        self.asked = kind("GET", "/large", Headers())
        self.path, self.between = path, between
        self.counted: list[str] = []
        self.refused = WholeResponse("503 Service Unavailable", [], b"busy")

    def follow(self, act: Callable[[Following], None]) -> None:
        """Call `act` in a thread, as the door does, until everything is sent."""

        async def run() -> None:
            following = Following(
                self.asked,
                between=self.between,
                refused=lambda: self.refused,
                sent=lambda response: self.counted.append(response.status),
            )
            await asyncio.to_thread(act, following)
            await following.over()

        asyncio.run(run())


@pytest.mark.parametrize("whole", [True, False])
def test_a_response_follows_its_file_to_the_end(
    tmp_path: Path, ends: tuple[socket.socket, socket.socket], whole: bool
) -> None:
    browser, served = ends
    path = tmp_path / "file"
    sent = Sent(path, addresses(served))
    first = threading.Event()

    def act(following: Following) -> None:
        with path.open("wb", buffering=0) as file:
            file.write(b"one ")
            assert not following.begun
            following.begin(WholeResponse("200 OK", [("X-Kind", "large")], path))
            assert following.begun
            assert not path.exists()  # nothing of it is left, whoever is killed
            while not sent.asked.answered or sent.asked.answered[0][2] != b"one ":
                first.wait(0.005)
            file.write(b"two")
        following.end(whole=whole)

    sent.follow(act)
    assert sent.asked.answered == [(200, {"X-Kind": "large"}, b"one two")]
    assert sent.counted == ["200 OK"]
    browser.settimeout(None if not whole else 0.01)
    if whole:
        with pytest.raises(TimeoutError):
            browser.recv(1)
    else:
        assert browser.recv(1) == b""


@pytest.mark.parametrize("whole", [True, False])
def test_where_a_transfer_cannot_be_broken_a_file_is_sent_once_it_is_whole(
    tmp_path: Path, whole: bool
) -> None:
    path = tmp_path / "file"
    sent = Sent(path, ("unix:", ""))

    def act(following: Following) -> None:
        path.write_bytes(b"one")
        following.begin(WholeResponse("200 OK", [], path))
        assert sent.asked.answered == []
        following.end(whole=whole)

    sent.follow(act)
    assert sent.asked.answered == [(200, {}, b"one") if whole else (503, {}, b"busy")]
    assert sent.counted == ["200 OK" if whole else "503 Service Unavailable"]
    assert path.exists() is whole  # the server has it open for some seconds


def test_a_browser_that_goes_away_ends_nothing_else(
    tmp_path: Path, ends: tuple[socket.socket, socket.socket]
) -> None:
    path = tmp_path / "file"
    sent = Sent(path, addresses(ends[1]), Leaving)

    def act(following: Following) -> None:
        path.write_bytes(b"one")
        following.begin(WholeResponse("200 OK", [], path))
        following.end(whole=True)

    sent.follow(act)
    assert (sent.counted, path.exists()) == ([], False)
