"""Jobs: asked for once, done by one, taken up again after a kill, and their results."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.searches import is_current
from workbench.errors import WorkbenchError
from workbench.records import BINARY, Document
from workbench.settings import Settings, read_settings
from workbench.storage.engine import Database
from workbench.storage.tables import JobRow
from workbench.workflow import jobs, worker
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.jobs import Doing, Job, JobState, ask, cancel, do, job_of, latest, take, waits
from workbench.workflow.searching.index import campaign_index
from workbench.workflow.worker import INDEX, THIS_HOST, do_waiting, work_until

KIND = "counting"


@pytest.fixture
def campaign(database: Database) -> int:
    with database.writing() as db:
        return create_campaign(db, name="Harbour", scale=BINARY).id


@pytest.fixture
def settings(tmp_path: Path, database: Database) -> Settings:
    return replace(read_settings({}, instance=tmp_path), database_url=database.url, worker=True)


def asked(database: Database, campaign: int, **arguments: object) -> Job:
    with database.writing() as db:
        return ask(db, campaign, KIND, arguments)


def begun(settings: Settings, database: Database, job: Job) -> Doing | None:
    with database.writing() as db:
        attempt = take(db, job)
    return Doing(settings, database, job, attempt) if attempt else None


def now(database: Database, job: Job) -> Job:
    with database.reading() as db:
        found = job_of(db, job.id)
    assert found is not None
    return found


@pytest.mark.engines
def test_a_job_is_asked_for_once_and_one_of_two_workers_does_it(
    database: Database, campaign: int, settings: Settings
) -> None:
    first = asked(database, campaign, depth=10)
    # The order of arguments tells nothing; other arguments are another job.
    assert asked(database, campaign, depth=10).id == first.id
    assert asked(database, campaign, depth=20).id != first.id
    with database.reading() as db:
        next_one = waits(db, THIS_HOST)
        assert next_one == first
        assert waits(db, THIS_HOST, without=[KIND]) is None
    doing = begun(settings, database, first)
    assert doing is not None
    assert begun(settings, database, first) is None
    do(doing, lambda doing: b"".join(b"%d" % one for one in doing.steps(range(3), "Counted")))
    done = now(database, first)
    assert (done.state, done.result, done.label, done.done, done.total) == (
        JobState.DONE,
        b"012",
        "Counted",
        3,
        3,
    )
    # The next of the same arguments replaces it once it has ended, and not before.
    again = asked(database, campaign, depth=10)
    assert again.id != first.id
    with database.reading() as db:
        last = latest(db, campaign, KIND, {"depth": 10}, state=JobState.DONE)
        assert last is not None
        assert last.id == first.id
    newer = begun(settings, database, again)
    assert newer is not None
    do(newer, lambda _: b"3")
    with database.reading() as db:
        assert job_of(db, first.id) is None


@pytest.mark.engines
def test_a_job_of_a_host_is_done_on_that_host(database: Database, campaign: int) -> None:
    with database.writing() as db:
        job = ask(db, campaign, KIND, host="another")
    with database.reading() as db:
        assert waits(db, THIS_HOST) is None
        assert waits(db, "another") == job


@pytest.mark.engines
def test_what_was_killed_is_taken_up_and_after_three_times_it_has_failed(
    database: Database, campaign: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = asked(database, campaign)
    killed = begun(settings, database, job)
    assert killed is not None
    with database.reading() as db:
        assert waits(db, THIS_HOST) is None  # its process was seen a moment ago
    monkeypatch.setattr(jobs, "ABANDONED", timedelta(0))
    time.sleep(0.01)
    taken_up = begun(settings, database, job)
    assert taken_up is not None
    # The first was only slow: its result is not taken.
    do(killed, lambda _: b"late")
    assert now(database, job).state is JobState.RUNNING
    time.sleep(0.01)
    assert begun(settings, database, job) is not None
    time.sleep(0.01)
    assert begun(settings, database, job) is None
    failed = now(database, job)
    assert (failed.state, failed.message) == (JobState.FAILED, "its process ended several times")


def test_why_a_job_has_no_result_is_kept_and_a_fault_is_logged(
    database: Database, campaign: int, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(_: Doing) -> bytes:
        raise WorkbenchError("a ranking needs two runs", remedy="load runs first")

    def break_down(_: Doing) -> bytes:
        raise ZeroDivisionError

    for work, state, message in (
        (refuse, JobState.REFUSED, "a ranking needs two runs"),
        (break_down, JobState.FAILED, "an error in the program ended it"),
    ):
        job = asked(database, campaign)
        doing = begun(settings, database, job)
        assert doing is not None
        do(doing, work)
        found = now(database, job)
        assert (found.state, found.message) == (state, message)
    assert "ZeroDivisionError" in caplog.text


def test_without_a_worker_a_request_does_what_waits(
    database: Database, campaign: int, settings: Settings
) -> None:
    job = asked(database, campaign)
    ended = asked(database, campaign, depth=1)
    with database.writing() as db:
        cancel(db, ended.id)
    kinds = {KIND: lambda doing: str(doing.campaign_id).encode()}
    do_waiting(replace(settings, worker=False), database, kinds)
    assert now(database, job).result == str(campaign).encode()
    assert now(database, ended).state is JobState.CANCELLED


def test_a_worker_does_jobs_in_processes_and_takes_up_what_was_killed(
    sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = sqlite_database
    settings = replace(read_settings({}, instance=tmp_path), database_url=database.url, worker=True)
    monkeypatch.setattr(worker, "NICENESS", 0)
    with database.writing() as db:
        campaign = create_campaign(db, name="Harbour", scale=BINARY).id
        load_documents(db, campaign, [Document("d1", "", "Neap tides.")], source="new")
        job = ask(db, campaign, INDEX, {"documents": 1})
        # As a process leaves it that was killed, long ago.
        row = db.get_one(JobRow, job.id)
        row.state, row.attempts, row.beat_at = JobState.RUNNING, 1, row.asked_at - timedelta(hours=1)
    stop = threading.Event()
    thread = threading.Thread(target=work_until, args=(stop, settings, database))
    thread.start()
    try:
        for _ in range(600):
            found = now(database, job)
            if not found.active:
                break
            time.sleep(0.05)
    finally:
        stop.set()
        thread.join()
    assert (found.state, found.message) == (JobState.DONE, "")
    with database.reading() as db:
        assert is_current(db, campaign_index(db, tmp_path, campaign), campaign)


def test_the_process_of_a_job_that_was_cancelled_ends(
    database: Database, campaign: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.01)
    ended = threading.Event()
    monkeypatch.setattr(os, "_exit", lambda _: ended.set())
    job = asked(database, campaign)
    doing = begun(settings, database, job)
    assert doing is not None
    with doing.beating():
        with database.writing() as db:
            cancel(db, job.id)
        assert ended.wait(10)
    assert now(database, job).state is JobState.CANCELLED
