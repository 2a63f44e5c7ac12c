from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.benchmarks.large_campaign import SIZES, build
from tests.benchmarks.scale import save_another
from tests.builders import campaign_with_people
from workbench.records import Answer, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.upkeep.verify import verify


@pytest.mark.parametrize("answer", ["withdrawn", "later", "unsure"])
def test_a_save_is_measured_whatever_was_answered_last(database: Database, answer: str) -> None:
    with database.writing() as db:
        campaign_id = campaign_with_people(db).campaign.id
        import_judgments(db, campaign_id, [Judgment("X", "T1", "d1", None, Answer.UNSURE)], source="f")
        (row,) = db.scalars(select(JudgmentEventRow))
        row.answer = answer
    grades = []
    for _ in range(2):
        save_another(database)
        with database.reading() as db:
            grades += [one.grade for one in current_judgments(db, campaign_id)]
    # No grade counts as the lowest: each save says something else than the one before.
    assert grades == [1, 0]


def test_a_generated_campaign_is_one_that_people_could_have_made(database: Database) -> None:
    build(database, SIZES["XS"])
    assert verify(database).findings == ()
