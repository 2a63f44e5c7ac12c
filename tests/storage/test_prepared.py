"""A prepared statement finds and tells what the connection does, in its transaction."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import bindparam, select, text
from sqlalchemy.exc import IntegrityError

from workbench.storage.engine import Database
from workbench.storage.prepared import PreparedStatement
from workbench.storage.tables import AccountRow

pytestmark = pytest.mark.engines

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ACCOUNT: Any = AccountRow.__table__
ADD = PreparedStatement(
    ACCOUNT.insert().returning(ACCOUNT.c.id),
    [ACCOUNT.c.id],
    sets=("login", "name", "password_hash", "administrator", "created_at", "desk"),
)
FIND = PreparedStatement.of(
    select(
        AccountRow.name,
        AccountRow.administrator,
        AccountRow.created_at,
        AccountRow.disabled_at,
        AccountRow.desk,
    ).where(AccountRow.login == bindparam("login"), AccountRow.administrator.is_(True))
)


def account(login: str) -> dict[str, object]:
    values = {"login": login, "name": "Ada", "password_hash": "-", "administrator": True}
    return {**values, "created_at": NOW, "desk": {"size": 2}}


def test_values_go_and_come_as_python_has_them(database: Database) -> None:
    with database.writing() as db:
        assert ADD.row(db.connection(), account("ada")) is not None
    with database.reading() as db:
        assert FIND.rows(db.connection(), {"login": "ada"}) == [["Ada", True, NOW, None, {"size": 2}]]
        assert FIND.row(db.connection(), {"login": "ben"}) is None


def test_it_begins_a_transaction_that_is_undone_with_the_connection(database: Database) -> None:
    with database.engine.connect() as connection:
        ADD.row(connection, account("ada"))
        assert connection.in_transaction()
    with database.reading() as db:
        assert FIND.rows(db.connection(), {"login": "ada"}) == []


def test_an_error_is_that_of_the_connection(database: Database) -> None:
    with database.writing() as db:
        ADD.row(db.connection(), account("ada"))
        with pytest.raises(IntegrityError):
            ADD.row(db.connection(), account("ada"))
        db.rollback()
    with database.reading() as db:
        assert db.execute(text("select count(*) from account")).scalar_one() == 0


def test_one_row_is_not_several(database: Database) -> None:
    both = PreparedStatement.of(select(AccountRow.login))
    with database.writing() as db:
        for login in ("ada", "ben"):
            ADD.row(db.connection(), account(login))
        with pytest.raises(RuntimeError):
            both.row(db.connection(), {})
