"""Own words: kept for one assessor and one topic, at most five, and nobody else's."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.builders import pooled_campaign
from tests.workflow.judging.test_judging import given
from workbench.errors import InvalidInput
from workbench.workflow.judging.desk_settings import LONGEST_WORD, own_words, save_own_words


@pytest.mark.parametrize(
    "words", [["a", "b", "c", "d", "e", "f"], ["x" * (LONGEST_WORD + 1)], ["!?"], [""], [None], [7], [["a"]]]
)
def test_words_that_cannot_be_kept_are_refused_and_change_nothing(words: list[object], db: Session) -> None:
    made, report = pooled_campaign(db)
    task = given(db, made, report.pool.id, "Ada")
    save_own_words(db, task, made.accounts["Ada"], ["tide"])
    with pytest.raises(InvalidInput):
        save_own_words(db, task, made.accounts["Ada"], words)
    assert own_words(db, task, made.accounts["Ada"]) == ("tide",)
