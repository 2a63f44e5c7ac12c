"""Computing apart: what the process answers, and what is told when it ends or hangs."""

from __future__ import annotations

import os
from multiprocessing.connection import Connection

import pytest
from sqlalchemy import literal, select

from tests.databases import opened
from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Unavailable, WorkbenchError
from workbench.storage.engine import Database
from workbench.workflow import apart as module
from workbench.workflow.apart import apart, main


def sums(database: Database, first: int, *, second: int = 0) -> int:
    with database.reading() as db:
        return db.scalars(select(literal(first) + second)).one()


def refuses(database: Database, error: Exception) -> None:
    raise error


@pytest.fixture
def same_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process's part is done here, when its answer is first looked for."""
    monkeypatch.setattr(os, "nice", lambda _: 0)

    class Process:
        def __init__(self, command: list[str], *, pass_fds: list[int], stdin: int) -> None:
            assert command[1:] == ["-m", "workbench.workflow.apart", str(pass_fds[0])]
            self.descriptor = os.dup(pass_fds[0])
            started.append(self)

        def wait(self) -> None:
            """It has ended by itself."""

    started: list[Process] = []
    poll = Connection.poll

    def answered(channel: Connection, seconds: float = 0.0) -> bool:
        if started:
            main(started.pop().descriptor)
        return poll(channel, seconds)

    monkeypatch.setattr("subprocess.Popen", Process)
    monkeypatch.setattr(Connection, "poll", answered)


@pytest.mark.usefixtures("same_process")
def test_the_process_answers_what_the_function_returns_of_the_database(sqlite_database: Database) -> None:
    assert apart(sqlite_database, sums, 40, second=2) == 42


@pytest.mark.usefixtures("same_process")
@pytest.mark.parametrize(
    "error",
    [
        NotFound("there is no topic T9", remedy="choose another"),
        Conflict("the version exists", remedy="name another"),
        WorkbenchError("the topics have no runs", remedy="add one"),
        InvalidInput([Finding("a.run", 3, "columns", "5 columns", "write 6")]),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_arrives_as_it_was_raised(sqlite_database: Database, error: WorkbenchError) -> None:
    with pytest.raises(type(error)) as raised:
        apart(sqlite_database, refuses, error)
    assert type(raised.value) is type(error)
    assert (raised.value.message, raised.value.remedy) == (error.message, error.remedy)
    if isinstance(error, InvalidInput):
        assert isinstance(raised.value, InvalidInput)
        assert raised.value.findings == error.findings


@pytest.mark.usefixtures("same_process")
def test_a_database_that_is_away_is_told_as_everywhere(sqlite_database: Database) -> None:
    with pytest.raises(Unavailable, match="does not respond"):
        apart(sqlite_database, refuses, Unavailable("the database does not respond"))


class Ended:
    """A process that ends, or hangs, without an answer; it keeps its end of the channel open if it hangs."""

    killed = 0
    hangs = False

    def __init__(self, command: list[str], *, pass_fds: list[int], stdin: int) -> None:
        self._kept = os.dup(pass_fds[0]) if self.hangs else None

    def kill(self) -> None:
        Ended.killed += 1

    def wait(self) -> None:
        if self._kept is not None:
            os.close(self._kept)


@pytest.mark.parametrize("hangs", [False, True], ids=["ends", "hangs"])
def test_a_process_that_ends_or_hangs_is_an_error_with_what_to_do(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, hangs: bool
) -> None:
    monkeypatch.setattr("subprocess.Popen", Ended)
    monkeypatch.setattr(module, "SECONDS", 0.01)
    monkeypatch.setattr(Ended, "hangs", hangs)
    monkeypatch.setattr(Ended, "killed", 0)
    with pytest.raises(WorkbenchError, match="the process that computed it has ended") as told:
        apart(sqlite_database, sums, 1)
    assert "too little memory" in told.value.remedy
    assert Ended.killed == 1


def test_a_database_in_memory_is_computed_of_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("subprocess.Popen", None)
    with opened("sqlite://") as database:
        assert apart(database, sums, 1, second=1) == 2
