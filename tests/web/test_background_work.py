"""The threads beside requests: what each looks for, how often, and that no failure ends them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from tests.cast import CHEAP, Cast
from tests.mail import Mailbox
from workbench.errors import Unavailable
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web import background_work
from workbench.web.context import Context
from workbench.workflow.mail.queue import add_test, messages

Started = dict[str, tuple[float, Callable[[], object]]]
AWAY = Mailbox(1).settings()  # nothing listens there


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Started:
    """The threads that would have been started by name: seconds between two looks, and the look."""
    found: Started = {}

    def start(name: str, seconds: float, act: Callable[[], object]) -> None:
        found[name] = (seconds, act)

    monkeypatch.setattr(background_work, "_start", start)
    return found


def context_with(settings: Settings, database: Database) -> Context:
    return Context(settings, database, CHEAP)


def test_each_kind_of_sending_has_a_thread_and_without_a_mail_server_none_sends_mail(
    sqlite_database: Database, settings: Settings, started: Started
) -> None:
    background_work.start_background_work(context_with(settings, sqlite_database))
    assert {name: seconds for name, (seconds, _) in started.items()} == {"imports": 10.0}
    background_work.start_background_work(context_with(replace(settings, mail=AWAY), sqlite_database))
    assert started["mail"][0] == 5.0


def test_a_look_at_empty_queues_sends_nothing_and_writes_nothing(
    sqlite_database: Database,
    settings: Settings,
    cast: Cast,
    started: Started,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    background_work.start_background_work(context_with(replace(settings, mail=AWAY), sqlite_database))

    def written() -> Iterator[None]:
        raise AssertionError("other processes wait for who writes")

    monkeypatch.setattr(sqlite_database, "writing", written)
    assert {name: look() for name, (_, look) in started.items()} == {
        "mail": 0,
        "imports": None,
    }


def test_a_message_that_is_due_is_tried(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        add_test(db, "ada@example.org")
    assert background_work.mail_if_due(sqlite_database, AWAY) == 0
    with sqlite_database.reading() as db:
        (message,) = messages(db)
    assert (message.state, message.tries) == ("waiting", 1)


class Enough(BaseException):
    """Ends a thread's loop in a test."""


def test_a_failure_is_logged_and_the_next_look_follows(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failures = iter([Unavailable("the database does not respond"), ValueError("a bug"), Enough()])
    waited: list[float] = []

    def fail() -> None:
        raise next(failures)

    monkeypatch.setattr("time.sleep", waited.append)
    with caplog.at_level(logging.WARNING), pytest.raises(Enough):
        background_work._repeat("mail", 5.0, fail)
    assert waited == [5.0, 5.0]
    assert [(one.levelname, one.message, bool(one.exc_info)) for one in caplog.records] == [
        ("WARNING", "mail: nothing is done: the database does not respond", False),
        # With what is needed to find it.
        ("ERROR", "mail: something is not done", True),
    ]
