"""Own words: kept for one assessor and one topic, at most five, and nobody else's."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.builders import pooled_campaign
from tests.workflow.judging.test_judging import given
from workbench.errors import InvalidInput, NotFound
from workbench.storage.engine import Database
from workbench.storage.tables import AssessorNoteRow
from workbench.workflow.judging.desk_settings import LONGEST_WORD, own_words, save_own_words


def test_words_are_kept_per_assessor_and_topic_beside_the_note(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada, ben = made.accounts["Ada"], made.accounts["Ben"]
        first = given(db, made, report.pool.id, "Ada")
        second = given(db, made, report.pool.id, "Ada", topic="T2")
        bens = given(db, made, report.pool.id, "Ben")
        db.add(
            AssessorNoteRow(
                assessor_id=made.assessors["Ada"], topic="T1", note="mine", changed_at=datetime.now(UTC)
            )
        )
        db.flush()
        assert own_words(db, first, ada) == ()
        assert save_own_words(db, first, ada, ["  high \n water ", "é", "high water", "甲状腺"]) == (
            "high water", "é", "甲状腺"
        )  # fmt: skip
        save_own_words(db, bens, ben, ["tide"])
        save_own_words(db, bens, ben, [])
        db.expire_all()
        assert own_words(db, first, ada) == ("high water", "é", "甲状腺")
        assert own_words(db, second, ada) == ()
        assert own_words(db, bens, ben) == ()
        assert db.get_one(AssessorNoteRow, (made.assessors["Ada"], "T1")).note == "mine"
        with pytest.raises(NotFound):
            own_words(db, bens, ada)
        with pytest.raises(NotFound):
            save_own_words(db, bens, ada, ["mine"])


@pytest.mark.parametrize(
    "words", [["a", "b", "c", "d", "e", "f"], ["x" * (LONGEST_WORD + 1)], ["!?"], [""], [None], [7], [["a"]]]
)
def test_words_that_cannot_be_kept_are_refused_and_change_nothing(
    sqlite_database: Database, words: list[object]
) -> None:
    with sqlite_database.writing() as db:
        made, report = pooled_campaign(db)
        task = given(db, made, report.pool.id, "Ada")
        save_own_words(db, task, made.accounts["Ada"], ["tide"])
        with pytest.raises(InvalidInput):
            save_own_words(db, task, made.accounts["Ada"], words)
        assert own_words(db, task, made.accounts["Ada"]) == ("tide",)
