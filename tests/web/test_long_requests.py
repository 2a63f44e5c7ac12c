"""Long requests go to a process of their own; what saves, and what assessors ask for, stays."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from collections.abc import Callable, Iterable
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client

from tests.builders import pooled_campaign
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.tables import AccountRow
from workbench.web.app import create_app
from workbench.web.long_requests import LongRequests
from workbench.web.long_worker import LARGEST_PART, answer
from workbench.workflow.people.accounts import account_from
from workbench.workflow.people.signing_in import open_session

SCORES = "/c/harbour/scores"
DESK = "/c/harbour/judge"


class Counted:
    """An application that counts what it is asked."""

    def __init__(self, app: Any) -> None:
        self.app, self.asked = app, 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        self.asked += 1
        found: Iterable[bytes] = self.app(environ, start_response)
        return found


def test_the_second_process_answers_what_organisers_read_and_may_be_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_INSTANCE", str(tmp_path))
    settings = read_settings()
    database = Database(settings.database_url)
    migrate(database)
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        olga, ada = (
            open_session(db, account_from(db.get_one(AccountRow, number))).token
            for number in (made.organiser, made.accounts["Ada"])
        )
    app = create_app(settings, database)
    here = Counted(app.wsgi_app)
    app.wsgi_app = here  # type: ignore[method-assign]
    served = LongRequests(app)

    def ask(token: str, path: str, method: str = "GET") -> tuple[int, bool]:
        """The status, and whether it was answered here."""
        before, client = here.asked, Client(served)
        client.set_cookie("workbench", token)
        status = client.open(path, method=method).status_code
        return status, here.asked > before

    def ask_until_elsewhere() -> None:
        end = time.monotonic() + 60
        while ask(olga, SCORES) != (200, False):
            assert time.monotonic() < end
            time.sleep(0.02)

    assert ask(olga, SCORES) == (200, True)
    ask_until_elsewhere()
    assert ask(ada, SCORES) == (403, False)
    assert ask(ada, DESK) == (200, True)
    assert ask(ada, "/desk/events", "POST")[1]
    assert ask(olga, SCORES, "POST") == (405, True)
    assert ask(olga, "/c/harbour/nothing-like-it") == (404, True)
    second = served._second
    assert second is not None
    os.kill(second.number, signal.SIGKILL)
    assert ask(olga, SCORES) == (200, True)
    ask_until_elsewhere()
    assert served._second is not None
    served._second.close()
    database.close()


def test_an_answer_comes_whole_in_parts_and_its_body_is_closed() -> None:
    class Body(io.BytesIO):
        def __iter__(self) -> Any:
            return iter([b"x" * (LARGEST_PART + 1), b"", b"y"])

    body = Body()

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        start_response("200 OK", [("X-Path", environ["PATH_INFO"])])
        return body

    ours, theirs = Pipe()
    ours.send({"PATH_INFO": "/p", "REQUEST_METHOD": "GET"})
    thread = threading.Thread(target=answer, args=(app, theirs))
    thread.start()
    assert ours.recv() == ("200 OK", [("X-Path", "/p")])
    parts = list(iter(ours.recv_bytes, b""))
    assert [len(part) for part in parts] == [LARGEST_PART, 1, 1]
    thread.join()
    assert body.closed
