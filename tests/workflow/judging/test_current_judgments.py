"""The current judgments as they are kept in memory: never those of a moment ago."""

from __future__ import annotations

from sqlalchemy import update

from tests.builders import campaign_with_people
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import AssessorRow
from workbench.workflow.judging.current_judgments import (
    current_judgments,
)
from workbench.workflow.judging.importing import import_judgments

ZOE = Judgment("Zoe", "T1", "d1", 1)


def test_a_new_judgment_and_a_renamed_assessor_are_seen_at_once(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign_id = campaign_with_people(db).campaign.id
        import_judgments(db, campaign_id, [ZOE], source="one")
        assert current_judgments(db, campaign_id) == (ZOE,)
        changed, other = Judgment("Zoe", "T1", "d1", 0), Judgment("Yan", "T1", "d1", 1)
        import_judgments(db, campaign_id, [changed, other], source="two")
        assert current_judgments(db, campaign_id) == (other, changed)
        db.execute(update(AssessorRow).where(AssessorRow.name == "Yan").values(name="Yannis"))
        assert [one.assessor for one in current_judgments(db, campaign_id)] == ["Yannis", "Zoe"]
