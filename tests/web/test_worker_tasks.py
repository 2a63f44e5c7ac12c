"""What the processes beside the server do, done here: their starts, ends and exit codes."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from flask import Flask

from tests.cast import Cast
from workbench.searching.engine import EngineUnavailable
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web import dataset_worker, index_worker, learner_builds, learner_worker, workers
from workbench.web.dataset_fetches import DatasetFetch, FetchState, last_fetch, write_fetch
from workbench.web.learner_builds import start_learning
from workbench.workflow.searching.index import campaign_index, is_current


@pytest.fixture
def stored(settings: Settings, sqlite_database: Database) -> Settings:
    """The settings of a server on the database of this test."""
    return replace(settings, database_url=sqlite_database.url)


def test_the_work_is_done_on_the_database_of_the_settings_at_a_lower_priority(
    stored: Settings, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed: list[tuple[Any, ...]] = []
    monkeypatch.setattr(os, "nice", lambda by: changed.append(("nice", by)))
    monkeypatch.setattr(signal, "signal", lambda *given: changed.append(given))
    monkeypatch.setattr(workers, "_end_with_the_server", lambda: None)
    monkeypatch.setattr(workers, "read_settings", lambda: stored)
    opened: list[Database] = []

    def work(settings: Settings, database: Database, campaign_id: int) -> None:
        assert (settings, database.url, campaign_id) == (stored, stored.database_url, 12)
        opened.append(database)
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        workers.run_worker(work, ["12"])
    # Ctrl-C is for the server.
    assert changed == [(signal.SIGINT, signal.SIG_IGN), ("nice", 10)]
    assert len(opened) == 1


def test_a_worker_ends_when_its_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    said = iter([b"x", b""])  # a server says nothing, and its end closes the pipe
    monkeypatch.setattr(os, "read", lambda descriptor, size: next(said))
    waited: list[float] = []
    monkeypatch.setattr("time.sleep", waited.append)

    def end(code: int) -> None:
        raise SystemExit(code)

    monkeypatch.setattr(os, "_exit", end)
    with pytest.raises(SystemExit) as ended:
        workers._end_with_the_server()
    assert (ended.value.code, waited) == (1, [1.0])


def test_an_index_is_updated_unless_its_campaign_is_gone(
    stored: Settings, cast: Cast, sqlite_database: Database
) -> None:
    index_worker.update(stored, sqlite_database, cast.campaign_id)
    with sqlite_database.reading() as db:
        index = campaign_index(db, stored.instance, cast.campaign_id)
        assert is_current(db, index, cast.campaign_id)
    assert index.progress() == 6
    index_worker.update(stored, sqlite_database, 99)  # without a word


def test_a_process_that_cannot_write_the_index_says_so_by_its_code(
    stored: Settings, cast: Cast, sqlite_database: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    # A file where the folder of the indexes belongs.
    (stored.instance / "search").write_text("")
    with pytest.raises(SystemExit) as ended:
        index_worker.update(stored, sqlite_database, cast.campaign_id)
    assert ended.value.code == 3
    told = capsys.readouterr().err
    assert told.startswith("the folder of the index cannot be written: File exists")


def test_a_cluster_that_does_not_answer_has_a_code_of_its_own(
    stored: Settings, cast: Cast, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise EngineUnavailable("connection refused")

    monkeypatch.setattr(index_worker, "refresh_index", away)
    with pytest.raises(SystemExit) as ended:
        index_worker.update(stored, sqlite_database, cast.campaign_id)
    assert ended.value.code == 4


def test_learners_are_trained_until_nobody_has_judged_for_five_minutes(
    stored: Settings, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    looked: list[float] = []

    def rounds(database: Database, campaign_id: int, vectors: object) -> int:
        looked.append(now)
        return int(now < 100)

    def sleep(seconds: float) -> None:
        nonlocal now
        assert seconds == 0.3
        now += 60.0

    monkeypatch.setattr(learner_worker, "make_rounds", rounds)
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr("time.sleep", sleep)
    learner_worker.learn(stored, sqlite_database, 1)
    # The last round was made at 60 s; 300 s later it is over.
    assert looked == [0.0, 60.0, 120.0, 180.0, 240.0, 300.0]


class Running:
    """Instead of the processes that train: each runs until it is told that it has ended."""

    started: ClassVar[list[tuple[str, int]]] = []
    ended = False

    @classmethod
    def start(cls, settings: Settings, module: str, campaign_id: int) -> type[Running]:
        cls.started.append((module, campaign_id))
        return cls

    @classmethod
    def poll(cls) -> int | None:
        """Its exit code, None while it runs."""
        return 0 if cls.ended else None


def test_one_process_trains_for_a_campaign_and_the_next_only_after_its_end(
    app: Flask, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Running, "started", [])
    monkeypatch.setattr(Running, "ended", False)
    monkeypatch.setattr(learner_builds, "_WORKERS", {})
    monkeypatch.setattr(learner_builds, "start_worker", Running.start)
    with app.app_context():
        start_learning(cast.campaign_id)
        start_learning(cast.campaign_id)
        assert Running.started == [("workbench.web.learner_worker", cast.campaign_id)]
        start_learning(cast.campaign_id + 1)
        assert len(Running.started) == 2
        monkeypatch.setattr(Running, "ended", True)
        start_learning(cast.campaign_id)
        assert len(Running.started) == 3


def test_a_fetch_that_was_removed_loads_nothing_and_one_that_cannot_be_says_why(
    stored: Settings, cast: Cast, sqlite_database: Database
) -> None:
    dataset_worker.load(stored, sqlite_database, cast.campaign_id)
    assert last_fetch(stored.instance, cast.campaign_id) is None
    write_fetch(stored.instance, cast.campaign_id, DatasetFetch("no such collection", ("topics",)))
    dataset_worker.load(stored, sqlite_database, cast.campaign_id)
    fetch = last_fetch(stored.instance, cast.campaign_id)
    assert fetch is not None
    assert fetch.state is FetchState.REFUSED
    assert "no such collection" in fetch.message
    assert fetch.remedy


def test_a_fetch_that_breaks_off_is_noted_as_interrupted(
    stored: Settings, cast: Cast, sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(dataset_worker, "load_dataset", killed)
    monkeypatch.setattr(dataset_worker, "catalogue_entry", lambda name: name)
    write_fetch(stored.instance, cast.campaign_id, DatasetFetch("cranfield", ("topics",)))
    with pytest.raises(KeyboardInterrupt):
        dataset_worker.load(stored, sqlite_database, cast.campaign_id)
    fetch = last_fetch(stored.instance, cast.campaign_id)
    assert fetch is not None
    assert fetch.state is FetchState.INTERRUPTED
