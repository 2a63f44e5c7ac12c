"""What the database leaves unanswered is given up in time, and another connection takes its place."""

from __future__ import annotations

import time

import pytest
from sqlalchemy import text

from workbench.errors import Unavailable
from workbench.storage import engine, limits
from workbench.storage.engine import Database
from workbench.storage.limits import statement_end, time_limit

pytestmark = pytest.mark.engines


def test_a_statement_without_an_answer_is_given_up_and_the_next_is_answered(
    postgresql_database: Database,
) -> None:
    with time_limit(0.2), pytest.raises(Unavailable), postgresql_database.reading() as db:
        db.execute(text("select pg_sleep(1)"))
    with time_limit(20), postgresql_database.reading() as db:
        assert db.scalar(text("select 7")) == 7


def test_a_connection_that_ended_while_it_rested_is_replaced(
    postgresql_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "REST_SECONDS", 0)
    with postgresql_database.reading() as db, postgresql_database.reading() as other:
        db.execute(text("select 1"))  # each has a connection of its own
        number = other.scalar(text("select pg_backend_pid()"))
        other.rollback()
        assert db.scalar(text("select pg_terminate_backend(:number, 5000)"), {"number": number})
    for _ in range(3):
        with postgresql_database.asking() as connection:
            assert connection.scalar(text("select 7")) == 7


def test_the_nearest_limit_counts_and_none_is_left_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    assert statement_end() is None
    with time_limit(900):
        assert statement_end() == 1000 + limits.STATEMENT_SECONDS
        with time_limit(20):
            with time_limit(30):
                assert statement_end() == 1020
            assert statement_end() == 1020
    assert statement_end() is None
