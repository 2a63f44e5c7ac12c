"""Writers of an SQLite file: one place to wait for the next turn, and commits that are shared."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Unavailable
from workbench.garbage import without_collections
from workbench.storage import turns
from workbench.storage.engine import Database
from workbench.storage.turns import NextWriter, SharedCommits


def test_one_process_is_next_and_another_gives_up_in_time(tmp_path: Path) -> None:
    one, other = (NextWriter(tmp_path / "next") for _ in range(2))
    with one.place(1), pytest.raises(Unavailable), other.place(0):
        pass
    with other.place(0):
        pass


def test_a_folder_that_takes_no_file_is_for_the_database_to_tell(tmp_path: Path) -> None:
    with NextWriter(tmp_path / "nowhere" / "next").place(0):
        pass


class Transactions:
    """Transactions that are lists of what was done in them; the committed ones are kept."""

    def __init__(self) -> None:
        self.committed: list[list[str]] = []
        self.turn = threading.Lock()

    @contextmanager
    def writing(self) -> Iterator[list[str]]:
        session: list[str] = []
        yield session
        self.committed.append(session)

    def done_while_one_waits(self, *names: str) -> list[BaseException]:
        """Have each name done by a thread of its own; they all wait for one turn. What was raised."""
        commits = SharedCommits(lambda: self.turn, self.writing)
        raised: list[BaseException] = []

        def act(session: list[str], name: str) -> str:
            if name == "bad":
                raise Conflict(name)
            session.append(name)
            return name

        def do(name: str) -> None:
            try:
                assert commits.run(lambda session: act(session, name)) == name
            except (AssertionError, Conflict) as error:
                raised.append(error)

        threads = [threading.Thread(target=do, args=(name,)) for name in names]
        with self.turn:
            for thread in threads:
                thread.start()
            while len(commits.waiting) < len(names):
                pass
        for thread in threads:
            thread.join()
        return raised


def test_those_who_wait_share_a_commit() -> None:
    transactions = Transactions()
    assert transactions.done_while_one_waits("a", "b", "c") == []
    assert [sorted(one) for one in transactions.committed] == [["a", "b", "c"]]


def test_more_may_wait_than_share_a_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "MOST_TOGETHER", 2)
    transactions = Transactions()
    assert transactions.done_while_one_waits(*"abcde") == []
    assert sorted(name for one in transactions.committed for name in one) == [*"abcde"]
    assert max(map(len, transactions.committed)) == 2


def test_one_that_fails_is_refused_alone() -> None:
    transactions = Transactions()
    raised = transactions.done_while_one_waits("a", "bad", "c")
    assert [type(error) for error in raised] == [Conflict]
    assert sorted(transactions.committed) == [["a"], ["c"]]


def test_several_of_one_caller_share_a_commit_and_those_that_fail_are_refused_alone() -> None:
    transactions = Transactions()
    commits = SharedCommits(lambda: transactions.turn, transactions.writing)
    assert commits.run_all([lambda _: 1, lambda session: session.append("a")]) == [(1, None), (None, None)]
    assert transactions.committed == [["a"]]
    refused = Conflict("bad")

    def refuse(_: list[str]) -> int:
        raise refused

    assert commits.run_all([lambda _: 1, refuse, lambda _: 3]) == [(1, None), (None, refused), (3, None)]
    assert commits.run_all([refuse]) == [(None, refused)]
    assert commits.waiting == []


def test_no_change_waits_for_no_turn_and_a_turn_that_does_not_come_is_told_to_each() -> None:
    @contextmanager
    def busy() -> Iterator[None]:
        raise Unavailable(turns.BUSY)
        yield

    transactions = Transactions()
    commits = SharedCommits(busy, transactions.writing)
    assert commits.run_all([]) == []
    found = commits.run_all([lambda _: 1, lambda _: 2])
    assert [type(error) for _, error in found] == [Unavailable, Unavailable]
    with pytest.raises(Unavailable):
        commits.run(lambda _: 1)
    assert (commits.waiting, transactions.committed) == ([], [])


def test_a_database_that_does_not_respond_is_waited_for_once_by_all() -> None:
    waited: list[int] = []

    @contextmanager
    def writing() -> Iterator[None]:
        waited.append(1)
        raise Unavailable(turns.BUSY)
        yield

    commits = SharedCommits(threading.Lock, writing)
    found = commits.run_all([lambda _: 1, lambda _: 2])
    assert [type(error) for _, error in found] == [Unavailable, Unavailable]
    assert waited == [1]


@pytest.mark.engines
def test_a_change_is_committed_when_its_result_is_there(database: Database) -> None:
    def count(db: Session) -> int:
        return int(db.execute(text("select count(*) from sign_in_attempt")).scalar_one())

    def add(db: Session) -> int:
        db.execute(
            text("insert into sign_in_attempt (login, address, at) values ('ada', '', '2026-03-01 12:00:00')")
        )
        return count(db)

    assert database.sharing(add) == 1
    with database.reading() as db:
        assert count(db) == 1


@pytest.mark.parametrize("way", ["writing", "deleting"])
def test_no_garbage_is_collected_while_others_wait_for_the_lock(database: Database, way: str) -> None:
    # The collector stays as it was, also if the transaction fails.
    assert gc.isenabled()
    collecting = []

    def fails() -> None:
        collecting.append(gc.isenabled())
        raise LookupError

    with pytest.raises(LookupError), getattr(database, way)():
        fails()
    assert collecting == [not database.embedded]
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with without_collections():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
