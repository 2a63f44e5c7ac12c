"""A worker process ends with its supervisor, which may have been killed."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

import pytest

from tests.cast import CHEAP
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web import server_process
from workbench.web.app import create_app
from workbench.web.door import Door
from workbench.web.logs import JsonLines, PlainLines, RecentErrors, start_logging


class Gone(BaseException):
    """The process has ended."""


def test_a_process_without_its_supervisor_ends_in_order_and_then_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    did: list[tuple[str, object]] = []
    parents = [7, 7, 1]

    def exit_now(code: int) -> None:
        did.append(("exit", code))
        raise Gone

    monkeypatch.setattr(os, "getppid", lambda: parents.pop(0))
    monkeypatch.setattr(os, "kill", lambda _, number: did.append(("kill", number)))
    monkeypatch.setattr(os, "_exit", exit_now)
    monkeypatch.setattr(time, "sleep", lambda seconds: did.append(("sleep", seconds)))
    with pytest.raises(Gone):
        server_process._end_without(7)
    look, last = server_process.LOOK_SECONDS, server_process.LAST_SECONDS
    assert did == [
        ("sleep", look), ("sleep", look), ("kill", signal.SIGTERM), ("sleep", last), ("exit", 1),
    ]  # fmt: skip


class Supervisor(NamedTuple):
    """The process that started this one."""

    pid: int


@pytest.fixture
def root_log() -> Iterator[logging.Logger]:
    """The log of everything, which is afterwards as it was, as are those of requests and slow statements."""
    logs = [logging.getLogger(name) for name in ("", "workbench.access", "workbench.slow")]
    before = [(log.handlers[:], log.level) for log in logs]
    yield logs[0]
    for log, (handlers, level) in zip(logs, before, strict=True):
        log.handlers[:] = handlers
        log.setLevel(level)


def test_a_worker_process_logs_sends_and_watches_its_supervisor(
    tmp_path: Path, root_log: logging.Logger, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(read_settings({}, instance=tmp_path), sqlite_database, passwords=CHEAP)
    watched: SimpleQueue[int] = SimpleQueue()
    sending: list[object] = []
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: Supervisor(4711))
    monkeypatch.setattr(server_process, "_end_without", watched.put)
    monkeypatch.setattr(server_process, "from_environment", lambda: app)
    monkeypatch.setattr(server_process, "start_background_work", sending.append)
    collected: list[str] = []
    monkeypatch.setattr(gc, "collect", lambda: collected.append("collect"))
    monkeypatch.setattr(gc, "freeze", lambda: collected.append("freeze"))
    door = server_process.door_from_environment()
    # Garbage would be kept for good.
    assert collected == ["collect", "freeze"]
    assert isinstance(door, Door)
    assert watched.get(timeout=60) == 4711
    assert len(sending) == 1
    # One writes the log, one counts errors.
    assert [type(one) for one in root_log.handlers] == [logging.StreamHandler, RecentErrors]
    monkeypatch.setattr(multiprocessing, "parent_process", lambda: None)
    server_process.door_from_environment()
    assert watched.empty()  # without a supervisor there is none to watch


@pytest.mark.parametrize(
    ("variables", "form", "access"),
    [
        ({}, PlainLines, logging.WARNING),
        ({"WORKBENCH_LOG_JSON": "yes", "WORKBENCH_ACCESS_LOG": "yes"}, JsonLines, logging.INFO),
    ],
    ids=["text", "json and requests"],
)
def test_the_log_has_the_form_of_the_settings_and_requests_only_if_they_say_so(
    tmp_path: Path,
    root_log: logging.Logger,
    variables: dict[str, str],
    form: type[logging.Formatter],
    access: int,
) -> None:
    start_logging(read_settings(variables, instance=tmp_path))
    (handler,) = root_log.handlers
    assert isinstance(handler.formatter, form)
    assert root_log.level == logging.WARNING
    assert logging.getLogger("workbench.access").level == access
    # Slow statements are always told of.
    assert logging.getLogger("workbench.slow").isEnabledFor(logging.INFO)
