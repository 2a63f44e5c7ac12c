"""The audit trail: what an entry tells, and that nobody changes one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import delete, text, update
from sqlalchemy.exc import IntegrityError

from tests.cast import CHEAP, PASSWORD
from tests.moments import at
from workbench.errors import Conflict
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.workflow.people.accounts import create_account, prepare_account, rename
from workbench.workflow.people.acts import LONGEST, MOST_ROWS, WITHHELD
from workbench.workflow.people.trail import (
    FIRST,
    Act,
    TrailFilter,
    add_entry,
    check_trail,
    last_number,
    recorded,
    trail_entries,
)

pytestmark = pytest.mark.engines

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADA = prepare_account(login="ada", name="Ada", password=PASSWORD, passwords=CHEAP)
TRIGGERS = {
    "sqlite": ("drop trigger trail_keeps_update", "drop trigger trail_keeps_delete"),
    "postgresql": ("alter table trail disable trigger user", "select 1"),
}


def fill(database: Database, entries: int = 3) -> None:
    with database.writing() as db:
        for number in range(entries):
            with at(NOON):
                add_entry(db, Act(f"act{number}", account_id=7, request=f"r{number}"))


def found(database: Database) -> list[tuple[str, str]]:
    with database.reading() as db:
        return [(one.source, one.message) for one in check_trail(db)]


def test_an_entry_tells_what_was_before_and_after_and_no_secret(database: Database) -> None:
    with database.writing() as db, recorded(db, Act("account.new")):
        ada = create_account(db, ADA, administrator=True)
    with database.writing() as db, recorded(db, Act("account.change", ada.id, request="r1", asked={"x": 1})):
        rename(db, ada.id, "Ada L.")
        db.execute(update(AccountRow).where(AccountRow.id == ada.id).values(administrator=False))
    with database.reading() as db:
        latest, first = trail_entries(db, TrailFilter())
    (added,) = first.details["changes"]
    assert (added["table"], added["kind"], added["rows"]) == ("account", "added", 1)
    assert added["values"][0]["administrator"] == [None, True]
    assert added["values"][0]["password_hash"] == added["values"][0]["name"] == [None, WITHHELD]
    (changed,) = latest.details["changes"]
    assert changed["rows"] == 2
    assert changed["values"] == [
        {"id": [ada.id], "name": [WITHHELD, WITHHELD]},
        {"id": [ada.id], "administrator": [True, False]},
    ]
    assert latest.details["asked"] == {"x": 1}
    assert (latest.login, latest.act, latest.request, latest.outcome) == (
        "ada",
        "account.change",
        "r1",
        "done",
    )
    assert (first.login, latest.number) == ("", 2)


def test_deleted_rows_are_told_and_long_texts_are_not(database: Database) -> None:
    with database.writing() as db:
        ada = create_account(db, ADA)
        db.execute(update(AccountRow).values(desk={"words": "x" * 1000}))
    with database.writing() as db, recorded(db, Act("delete")):
        db.execute(delete(AccountRow).where(AccountRow.login == "ada"))
    with database.reading() as db:
        (entry,) = trail_entries(db, TrailFilter())
    (deleted,) = entry.details["changes"]
    assert (deleted["table"], deleted["kind"], deleted["rows"]) == ("account", "deleted", 1)
    assert deleted["values"][0]["id"] == [ada.id]
    assert all(len(str(value)) < LONGEST + 120 for (value,) in deleted["values"][0].values())


def test_of_many_rows_the_first_are_told_and_all_counted(database: Database) -> None:
    with database.writing() as db, recorded(db, Act("many")):
        for number in range(MOST_ROWS + 5):
            db.add(AccountRow(login=f"a{number}", name="A", password_hash="-", created_at=NOON))
    with database.reading() as db:
        (entry,) = trail_entries(db, TrailFilter())
    (added,) = entry.details["changes"]
    assert (added["rows"], len(added["values"])) == (MOST_ROWS + 5, MOST_ROWS)


def test_what_fails_leaves_no_entry(database: Database) -> None:
    with database.writing() as db:
        create_account(db, ADA)
    with pytest.raises(Conflict), database.writing() as db, recorded(db, Act("twice")):
        create_account(db, ADA)
    with database.reading() as db:
        assert last_number(db) == 0


@pytest.mark.parametrize("statement", ["update trail set act = 'other'", "delete from trail where id = 1"])
def test_the_database_refuses_to_change_an_entry(database: Database, statement: str) -> None:
    fill(database)
    with pytest.raises(IntegrityError), database.writing() as db:
        db.execute(text(statement))
    assert found(database) == []


@pytest.mark.parametrize(
    ("statement", "place", "message"),
    [
        ("update trail set account_id = 8 where id = 2", "trail 2", "it was changed"),
        ("delete from trail where id = 2", "trail 3", "entries 2 to 2 are missing"),
        (f"update trail set previous = '{FIRST}' where id = 3", "trail 3", "it does not follow"),
    ],
)
def test_whoever_gets_past_the_triggers_breaks_the_chain(
    own_database: Database, statement: str, place: str, message: str
) -> None:
    fill(own_database)
    with own_database.writing() as db:
        for trigger in TRIGGERS[own_database.engine.dialect.name]:
            db.execute(text(trigger))
        db.execute(text(statement))
    ((where, what),) = found(own_database)
    assert where == place
    assert what.startswith(message)
