"""What enters agreement of a campaign: read once, and again when somebody says something more."""

from __future__ import annotations

import pytest

from tests.builders import campaign_with_people
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Answer, Judgment
from workbench.storage.engine import Database
from workbench.workflow.agreement.entering import Basis, Machines, answers_in, entering
from workbench.workflow.campaigns.importing import import_judgments

GIVEN = (
    Judgment("X", "T1", "d1", 3),
    Judgment("Y", "T1", "d1", 0),
    Judgment("X", "T1", "d2", 1),
    Judgment("Y", "T1", "d2", None, Answer.UNSURE),
)


def test_what_people_said_enters_from_the_campaigns_line_on(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        import_judgments(db, made.campaign.id, GIVEN, source="people.tsv")
        found = entering(db, made.campaign.id)
        assert [voice.name for voice in found.assessors] == ["X", "Y"]
        assert (found.pairs, found.ratings.codes.tolist()) == ((("T1", "d1"),), [[0], [1]])
        assert (found.counts.unsure, found.counts.singly) == (1, 1)
        # The six documents of the builder's campaign: d1 and d2 have answers.
        every = entering(db, made.campaign.id, basis=Basis.ALL)
        assert every.n_pairs == 6
        with pytest.raises(WorkbenchError, match="cannot be the lowest relevant grade"):
            entering(db, made.campaign.id, relevant_from=0)


def test_machines_are_kept_apart_and_a_new_answer_is_seen_at_once(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        import_judgments(db, made.campaign.id, GIVEN, source="people.tsv")
        before = answers_in(db, made.campaign.id)
        assert answers_in(db, made.campaign.id) is before
        later = [Judgment("robot", "T1", "d2", 1), Judgment("Y", "T1", "d2", 2)]
        import_judgments(db, made.campaign.id, later[:1], source="robot.tsv", machines=("robot",))
        import_judgments(db, made.campaign.id, later[1:], source="again.tsv")
        assert entering(db, made.campaign.id).pairs == (("T1", "d1"), ("T1", "d2"))
        among = entering(db, made.campaign.id, machines=Machines.AMONG)
        assert [(voice.name, voice.machine) for voice in among.assessors] == [
            ("X", False), ("Y", False), ("robot", True),
        ]  # fmt: skip
