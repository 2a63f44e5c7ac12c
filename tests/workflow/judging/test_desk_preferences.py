"""What an account prefers at the desk is kept part by part."""

from __future__ import annotations

from datetime import UTC, datetime

from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow
from workbench.workflow.judging.desk_settings import desk_settings_part, save_desk_settings


def test_a_part_is_kept_beside_the_others_and_an_unknown_form_counts_as_nothing(database: Database) -> None:
    with database.writing() as db:
        account = AccountRow(login="ada", name="Ada", password_hash="-", created_at=datetime.now(UTC))
        db.add(account)
        db.flush()
        number = account.id
        assert desk_settings_part(db, number, "keys") == {}
        save_desk_settings(db, number, "text", {"size": 20})
        save_desk_settings(db, number, "keys", {"unsure": "q"})
        save_desk_settings(db, number, "keys", {"unsure": "w"})
    with database.writing() as db:
        assert desk_settings_part(db, number, "text") == {"size": 20}
        assert desk_settings_part(db, number, "keys") == {"unsure": "w"}
        db.get_one(AccountRow, number).desk = {"keys": "all of them"}
    with database.reading() as db:
        assert desk_settings_part(db, number, "keys") == {}
