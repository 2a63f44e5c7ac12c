"""Changes that share a transaction: all of them are saved, or each is left to be saved by itself."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, event, insert, select, text

from workbench.errors import Unavailable
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow

pytestmark = pytest.mark.engines

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
Add = Callable[[Connection], str]


def adding(login: str) -> Add:
    """A change that adds an account and gives its login."""

    def add(connection: Connection) -> str:
        values = {"login": login, "name": login, "password_hash": "-", "created_at": NOW}
        connection.execute(insert(AccountRow).values(values))
        return login

    return add


def logins(database: Database) -> list[str]:
    with database.reading() as db:
        return list(db.scalars(select(AccountRow.login).order_by(AccountRow.id)))


def test_all_are_saved_in_their_order_by_one_commit(database: Database) -> None:
    commits: list[Connection] = []

    def note(connection: Connection) -> None:
        commits.append(connection)

    event.listen(database.engine, "commit", note)
    try:
        found = database.saving_together([adding(login) for login in ("ada", "grace", "mary")])
    finally:
        event.remove(database.engine, "commit", note)
    assert found == [("ada", None), ("grace", None), ("mary", None)]
    assert (logins(database), len(commits)) == (["ada", "grace", "mary"], 1)


def test_nothing_asks_for_no_transaction(database: Database) -> None:
    with closing(Database("postgresql://workbench@127.0.0.1:1/nothing")) as nobody_listens:
        assert nobody_listens.saving_together([]) == database.saving_together([]) == []


def test_postgresql_leaves_them_apart_where_one_fails(postgresql_database: Database) -> None:
    acts = [adding("ada"), adding("ada"), adding("mary")]
    assert postgresql_database.saving_together(acts) == [(None, None)] * 3
    assert logins(postgresql_database) == []


def test_postgresql_leaves_them_apart_where_one_waits_for_a_lock(postgresql_database: Database) -> None:
    def waits(connection: Connection) -> str:
        connection.execute(text("LOCK TABLE campaign"))
        return "locked"

    with postgresql_database.writing() as other:
        other.execute(text("LOCK TABLE campaign"))
        assert postgresql_database.saving_together([adding("ada"), waits]) == [(None, None)] * 2
        assert postgresql_database.saving_together([adding("mary")]) == [("mary", None)]
    assert logins(postgresql_database) == ["mary"]
    # The next transaction on the connection waits as long as any other.
    with postgresql_database.writing() as db:
        assert db.scalar(text("SHOW lock_timeout")) == "15s"


def test_a_database_that_is_away_is_told_of_for_each() -> None:
    with closing(Database("postgresql://workbench@127.0.0.1:1/nothing")) as nobody_listens:
        found = nobody_listens.saving_together([adding("ada"), adding("mary")])
    assert [(result, type(error)) for result, error in found] == [(None, Unavailable)] * 2
