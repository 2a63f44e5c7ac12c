"""Near-duplicates of one's own judgments: proposed from one's own grades only, contradictions listed."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from tests.builders import Made, pooled_campaign
from tests.workflow.test_judging import given, say
from workbench.errors import NotFound
from workbench.storage.engine import Database
from workbench.storage.tables import DocumentRow, DocumentSketchRow
from workbench.workflow.desk.near_duplicates import (
    compare,
    contradictions,
    keep_sketches,
    missing_sketches,
    near_answers,
)

STORY = " ".join(f"word{number}" for number in range(200))


@dataclass(frozen=True, slots=True)
class Part:
    """Ada's and Ben's parts of T1, whose d1, d2 and d/4 are nearly identical."""

    made: Made
    ada: int
    ben: int

    def account(self, name: str) -> int:
        return self.made.accounts[name]


def make_part(db: Session) -> Part:
    made, report = pooled_campaign(db)
    texts = {"d1": STORY, "d2": f"{STORY} And more.", "d/4": f"First. {STORY}"}
    for docno, text in texts.items():
        db.execute(update(DocumentRow).where(DocumentRow.docno == docno).values(text=text))
    return Part(
        made,
        given(db, made, report.pool.id, "Ada"),
        given(db, made, report.pool.id, "Ben"),
    )


def test_what_was_said_of_a_near_duplicate_is_proposed_from_own_grades_only(database: Database) -> None:
    with database.writing() as db:
        part = make_part(db)
        ada, ben = part.account("Ada"), part.account("Ben")
        assert near_answers(db, part.ada, ada, ["d1", "d2"]) == {}
        say(db, part.ben, ben, "d2", 0)
        # Ben's answer is none of Ada's business.
        assert near_answers(db, part.ada, ada, ["d1", "d2"]) == {}
        say(db, part.ada, ada, "d1", 1)
        found = near_answers(db, part.ada, ada, ["d1", "d2", "d/4", "d6", "nowhere"])
        # Of itself nothing is proposed; d6 is in no part of hers.
        assert set(found) == {"d2", "d/4"}
        near = found["d2"]
        assert (near.docno, near.title, near.grade, near.label) == ("d1", "Title of d1", 1, "Relevant")
        # 196 shingles in d1, 198 in d2 with two words more, all of d1's among them.
        assert near.resemblance == pytest.approx(196 / 198)
        assert (near.others, near.agreed) == (0, True)


def test_unsure_and_withdrawn_answers_propose_nothing(database: Database) -> None:
    with database.writing() as db:
        part = make_part(db)
        say(db, part.ada, part.account("Ada"), "d1", None)
        assert near_answers(db, part.ada, part.account("Ada"), ["d2"]) == {}


def test_contradictions_are_listed_in_groups_with_the_grades(database: Database) -> None:
    with database.writing() as db:
        part = make_part(db)
        ada = part.account("Ada")
        say(db, part.ada, ada, "d1", 1)
        say(db, part.ada, ada, "d2", 1)
        assert contradictions(db, part.ada, ada) == ()
        say(db, part.ada, ada, "d/4", 0)
        (group,) = contradictions(db, part.ada, ada)
        assert [(one.docno, one.grade, one.label) for one in group] == [
            ("d/4", 0, "Not relevant"),
            ("d1", 1, "Relevant"),
            ("d2", 1, "Relevant"),
        ]
        # Two like it differ: nothing is agreed. The most alike is named: one word more, where d2 has two.
        near = near_answers(db, part.ada, ada, ["d1"])["d1"]
        assert (near.docno, near.others, near.agreed) == ("d/4", 1, False)


def test_sketches_are_kept_once_and_follow_the_text(database: Database) -> None:
    with database.writing() as db:
        part = make_part(db)
        ada = part.account("Ada")
        say(db, part.ada, ada, "d2", 1)
        made = missing_sketches(db, part.ada, ada)
        # Answered ones come first.
        assert [one.docno for one in made] == ["d2", "d/4", "d1"]
        for _ in range(2):
            keep_sketches(db, part.ada, ada, made)
        assert missing_sketches(db, part.ada, ada) == ()
        assert set(near_answers(db, part.ada, ada, ["d1"])) == {"d1"}
        db.execute(
            update(DocumentRow).where(DocumentRow.docno == "d1").values(text="Another.", sha256="0" * 64)
        )
        assert [one.docno for one in missing_sketches(db, part.ada, ada)] == ["d1"]
        assert near_answers(db, part.ada, ada, ["d1"]) == {}
        assert len(db.scalars(select(DocumentSketchRow)).all()) == 3


def test_a_document_that_is_not_loaded_resembles_nothing(database: Database) -> None:
    with database.writing() as db:
        part = make_part(db)
        ada = part.account("Ada")
        say(db, part.ada, ada, "d1", 1)
        db.execute(delete(DocumentRow).where(DocumentRow.docno == "d2"))
        assert near_answers(db, part.ada, ada, ["d2"]) == {}
        assert "d2" not in {one.docno for one in missing_sketches(db, part.ada, ada)}


def test_two_documents_of_ones_part_are_compared(database: Database) -> None:
    with database.writing() as db:
        part = make_part(db)
        ada = part.account("Ada")
        say(db, part.ada, ada, "d1", 1)
        found = compare(db, part.ada, ada, "d1", "d2")
        assert found.labels == ("Relevant", None)
        assert found.titles == ("Title of d1", "Title of d2")
        assert [one.other for one in found.differences] == [f"{STORY} And more."]
        for pair in (("d1", "d6"), ("d1", "d1"), ("d1", "nowhere")):
            with pytest.raises(NotFound, match="two documents"):
                compare(db, part.ada, ada, *pair)


def test_nobody_elses_part_opens(database: Database) -> None:
    with database.writing() as db:
        part = make_part(db)
        for ask in (contradictions, missing_sketches):
            with pytest.raises(NotFound):
                ask(db, part.ben, part.account("Ada"))
        with pytest.raises(NotFound):
            near_answers(db, part.ben, part.account("Ada"), ["d1"])
