"""The database keeps what it acknowledged, and a transaction is whole or nothing; on both databases."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.exc import IntegrityError, InternalError, OperationalError, ProgrammingError, StatementError
from sqlalchemy.orm import Session

from workbench.errors import Unavailable, WorkbenchError
from workbench.storage import engine
from workbench.storage.engine import Database
from workbench.storage.migrate import reachable
from workbench.storage.tables import AccountRow, TopicRow

pytestmark = pytest.mark.engines

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def account(login: str) -> AccountRow:
    return AccountRow(login=login, name=login.title(), password_hash="-", created_at=NOW)


def count(db: Session) -> int:
    return db.scalar(select(func.count()).select_from(AccountRow)) or 0


def add_and_flush(db: Session, login: str) -> None:
    db.add(account(login))
    db.flush()


def accounts(database: Database) -> int:
    with database.reading() as db:
        return count(db)


@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 2),  # 2 is FULL: https://sqlite.org/pragma.html#pragma_synchronous
        ("foreign_keys", 1),
        ("busy_timeout", 15_000),
    ],
)
def test_sqlite_runs_with_the_settings_under_which_nothing_is_lost(
    sqlite_database: Database, pragma: str, value: object
) -> None:
    with sqlite_database.reading() as reading:
        assert reading.scalar(text(f"PRAGMA {pragma}")) == value
    with sqlite_database.writing() as writing:
        assert writing.scalar(text(f"PRAGMA {pragma}")) == value


def test_what_was_written_is_there_for_the_next_process(database: Database) -> None:
    with database.writing() as db:
        db.add(account("ada"))
    database.close()
    assert accounts(database) == 1


def test_a_writing_transaction_that_fails_is_wholly_undone(database: Database) -> None:
    def write_and_fail() -> None:
        with database.writing() as db:
            add_and_flush(db, "ada")
            add_and_flush(db, "grace")
            raise LookupError

    with pytest.raises(LookupError):
        write_and_fail()
    assert accounts(database) == 0


def test_a_statement_that_the_database_refuses_undoes_those_before_it(database: Database) -> None:
    def write_the_same_twice() -> None:
        with database.writing() as db:
            add_and_flush(db, "ada")
            add_and_flush(db, "ada")

    with pytest.raises(IntegrityError):
        write_the_same_twice()
    assert accounts(database) == 0


def test_a_row_cannot_point_at_nothing(database: Database) -> None:
    with pytest.raises(IntegrityError), database.writing() as db:
        db.add(TopicRow(campaign_id=5, topic="1", position=0, title="of no campaign"))


def test_a_reading_transaction_keeps_nothing(database: Database) -> None:
    # PostgreSQL refuses the statement, SQLite lets it pass and forgets it.
    outcome = nullcontext() if database.embedded else pytest.raises(InternalError, match="read-only")
    with outcome, database.reading() as db:
        add_and_flush(db, "ada")
    assert accounts(database) == 0


def test_a_reading_transaction_sees_one_moment(database: Database) -> None:
    with database.reading() as reader:
        assert count(reader) == 0
        with database.writing() as writer:
            writer.add(account("ada"))
        assert count(reader) == 0
    assert accounts(database) == 1


def test_writers_at_the_same_time_queue_instead_of_failing(database: Database) -> None:
    everybody_is_here = threading.Barrier(6)

    def write(number: int) -> None:
        everybody_is_here.wait()
        for turn in range(5):
            with database.writing() as db:
                db.add(account(f"person {number}.{turn}"))

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(write, range(6)))
    assert accounts(database) == 30


def test_a_writer_that_waits_too_long_is_told_so(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUSY_SECONDS", 0.05)
    monkeypatch.setitem(engine.SERVER_SECONDS, "lock_timeout", 0.05)
    first, second = Database(database.url), Database(database.url)  # as two processes have them

    def write(writer: Database) -> None:
        with writer.writing() as db:
            db.execute(update(AccountRow).values(name="Ada L."))

    with database.writing() as db:
        db.add(account("ada"))
    with first.writing() as db:
        db.execute(update(AccountRow).values(name="Ada"))
        with pytest.raises(Unavailable):
            write(second)
        assert accounts(second) == 1
        if database.embedded:
            # In one process writers queue before they come to SQLite.
            with ThreadPoolExecutor(1) as thread, pytest.raises(Unavailable):
                thread.submit(write, first).result()
    write(second)
    for one in (first, second):
        one.close()


def test_an_error_in_a_statement_is_none_of_the_database(database: Database) -> None:
    with pytest.raises((OperationalError, ProgrammingError)), database.reading() as db:
        db.execute(text("select nothing from no_such_table"))


def test_a_second_sqlite_writer_begins_only_when_the_first_has_ended(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        db.add(account("0"))
    everybody_is_here = threading.Barrier(4)

    def add_one(_: int) -> None:
        everybody_is_here.wait()
        for _turn in range(5):
            with sqlite_database.writing() as db:
                seen = int(db.scalar(select(AccountRow.login)) or 0)
                db.execute(update(AccountRow).values(login=str(seen + 1)))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add_one, range(4)))
    with sqlite_database.reading() as db:
        assert db.scalar(select(AccountRow.login)) == "20"  # 4 threads x 5 turns; a lost update would show


# Writes two accounts, the second of them in a transaction that is still open when it says so.
VICTIM = """
import sys, time
from datetime import UTC, datetime
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow

database = Database(sys.argv[1])
def account(login):
    return AccountRow(login=login, name=login, password_hash="-", created_at=datetime.now(UTC))
with database.writing() as db:
    db.add(account("committed"))
with database.writing() as db:
    db.add(account("open"))
    db.flush()
    print("written", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def killed_while_writing(database: Database) -> Database:
    """A database on which a process was killed after one commit and in the middle of a second transaction."""
    with subprocess.Popen(
        [sys.executable, "-c", VICTIM, database.url], stdout=subprocess.PIPE, text=True
    ) as victim:
        assert victim.stdout is not None
        said = victim.stdout.readline()
        os.kill(victim.pid, signal.SIGKILL)
    assert said == "written\n"
    assert victim.returncode == -signal.SIGKILL
    return database


def test_a_killed_process_leaves_what_it_committed_and_nothing_of_what_it_did_not(
    killed_while_writing: Database,
) -> None:
    with killed_while_writing.reading() as db:
        assert db.scalars(select(AccountRow.login)).all() == ["committed"]


def test_a_killed_process_does_not_keep_others_from_writing(killed_while_writing: Database) -> None:
    with killed_while_writing.writing() as db:
        db.add(account("open"))
    assert accounts(killed_while_writing) == 2


def test_a_moment_comes_back_in_utc_and_one_without_a_zone_is_refused(database: Database) -> None:
    with database.writing() as db:
        db.add(account("ada"))
    with database.reading() as db:
        assert db.scalar(select(AccountRow.created_at)) == NOW
    with pytest.raises(StatementError, match="without a time zone"), database.writing() as db:
        db.execute(update(AccountRow).values(created_at=NOW.replace(tzinfo=None)))


def test_the_folder_of_an_sqlite_file_is_made(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'a' / 'b' / 'workbench.sqlite3'}")
    reachable(database)
    database.close()
    assert (tmp_path / "a" / "b" / "workbench.sqlite3").is_file()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("mysql://localhost/workbench", "mysql databases are not supported"),
        ("not an address", "address cannot be read"),
    ],
)
def test_an_address_that_is_none_of_ours_is_refused_with_a_remedy(url: str, said: str) -> None:
    with pytest.raises(WorkbenchError, match=said) as refusal:
        Database(url)
    assert "postgresql://" in refusal.value.remedy


def test_a_server_that_does_not_answer_is_named_as_such(tmp_path: Path) -> None:
    database = Database(f"postgresql://nobody@/nothing?host={tmp_path}")
    with pytest.raises(WorkbenchError, match="does not respond"):
        reachable(database)
    database.close()


def test_a_password_is_not_repeated_in_a_refusal() -> None:
    with pytest.raises(WorkbenchError) as refusal:
        Database("mysql://ada:secret@localhost/workbench")
    assert "secret" not in str(refusal.value)


def test_the_file_of_a_database_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite3"
    with closing(Database(f"sqlite:///{path}")) as database, database.writing() as db:
        db.execute(text("create table t (x)"))
        # The files that SQLite keeps beside it as well; the one in which processes take turns is empty.
        kept = [each for each in tmp_path.glob("new.sqlite3*") if not each.name.endswith("-next")]
        assert {each.name: each.stat().st_mode & 0o077 for each in kept} == {
            "new.sqlite3": 0,
            "new.sqlite3-wal": 0,
            "new.sqlite3-shm": 0,
        }


def test_an_older_file_is_closed_to_others_and_stays_open_to_its_group(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite3"
    path.touch()
    path.chmod(0o664)
    with closing(Database(f"sqlite:///{path}")) as database, database.reading() as db:
        db.execute(text("select 1"))
    assert path.stat().st_mode & 0o777 == 0o660


# What another process does that opens the database and goes again.
VISITOR = """
import sqlite3, sys
visitor = sqlite3.connect(sys.argv[1])
visitor.execute("insert into t values (2)")
visitor.commit()
visitor.close()
"""


def test_a_further_connection_gives_up_no_lock_of_the_others(tmp_path: Path) -> None:
    # A process that closes the file loses all its locks on it (POSIX): the visitor would think itself the
    # last one, put the log away, and nobody would see any more what is written here.
    path = tmp_path / "shared.sqlite3"
    with closing(Database(f"sqlite:///{path}")) as database:
        with database.writing() as db:
            db.execute(text("create table t (x)"))
        with database.reading() as first, database.reading() as second:
            for db in (first, second):
                assert db.execute(text("select count(*) from t")).scalar() == 0
            subprocess.run([sys.executable, "-c", VISITOR, path], check=True)
            assert path.with_name("shared.sqlite3-wal").exists()
        with database.writing() as db:
            db.execute(text("insert into t values (1)"))
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("select x from t order by x").fetchall() == [(1,), (2,)]
