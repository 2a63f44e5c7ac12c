"""Judgments from elsewhere, agreement over them, qrels and the way back out."""

from __future__ import annotations

import io

import pytest
from sqlalchemy import func, select

from tests.builders import campaign_with_people
from workbench.errors import Conflict, InvalidInput
from workbench.formats.judgments import read_judgments, write_judgments
from workbench.records import FOUR_GRADES, Answer, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.importing import (
    GivenJudgments,
    import_judgments,
    keep_imports,
    prepare_imports,
)
from workbench.workflow.people.membership import assessors_of

pytestmark = pytest.mark.engines

GIVEN = (
    Judgment("X", "T1", "d1", 1),
    Judgment("X", "T1", "d2", 0),
    Judgment("Y", "T1", "d1", None, Answer.UNSURE),
    Judgment("Y", "T2", "z9", 1),
)


def test_importing_makes_the_assessors_and_marks_machines(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        done = import_judgments(db, made.campaign.id, GIVEN, source="f.tsv", machines=["Y"])
        assert [(a.name, a.machine, a.judgments, a.new) for a in done.assessors] == [
            ("X", False, 2, 2),
            ("Y", True, 2, 2),
        ]
        lines = {line.name: (line.machine, line.assignable) for line in assessors_of(db, made.campaign.id)}
        assert (lines["X"], lines["Y"], lines["Ada"]) == ((False, False), (True, False), (False, True))


def test_importing_twice_adds_nothing_and_a_corrected_file_adds_what_changed(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        import_judgments(db, made.campaign.id, GIVEN, source="f.tsv")
        assert [a.new for a in import_judgments(db, made.campaign.id, GIVEN, source="f.tsv").assessors] == [
            0,
            0,
        ]
        corrected = [Judgment("X", "T1", "d1", 0), *GIVEN[1:]]
        assert [a.new for a in import_judgments(db, made.campaign.id, corrected, source="g").assessors] == [
            1,
            0,
        ]
        # And back: the first file again holds again.
        assert [a.new for a in import_judgments(db, made.campaign.id, GIVEN, source="f.tsv").assessors] == [
            1,
            0,
        ]
        assert current_judgments(db, made.campaign.id)[0].grade == 1


def test_repeated_labels_of_one_file_are_events_and_the_last_holds(database: Database) -> None:
    repeats = [Judgment("X", "T1", "d1", grade) for grade in (0, 1, 1)]
    with database.writing() as db:
        made = campaign_with_people(db)
        for _ in range(2):
            import_judgments(db, made.campaign.id, repeats, source="f.tsv")
        assert db.scalar(select(func.count()).select_from(JudgmentEventRow)) == 3
        assert [j.grade for j in current_judgments(db, made.campaign.id)] == [1]


def test_files_of_one_import_are_compared_with_those_before_them(database: Database) -> None:
    files = [
        GivenJudgments((Judgment("X", "T1", "d1", 1), Judgment("X", "T1", "d2", 0)), "first"),
        GivenJudgments((Judgment("X", "T1", "d1", 1), Judgment("X", "T1", "d2", 1)), "second"),
        GivenJudgments((Judgment("X", "T1", "d1", 1),), "third", discussed=True),
    ]
    with database.writing() as db:
        campaign = campaign_with_people(db).campaign.id
        done = keep_imports(db, prepare_imports(db, campaign, files))
        # Of the second file d1 is known from the first; a grade kept in a discussion is an answer of its own.
        assert [one.assessors[0].new for one in done] == [2, 1, 1]
        assert {j.docno: j.grade for j in current_judgments(db, campaign)} == {"d1": 1, "d2": 1}
        other = [GivenJudgments(GIVEN[:1], "f"), GivenJudgments(GIVEN[:1], "g", machines=["X"])]
        with pytest.raises(Conflict, match="X is known here as a person"):
            prepare_imports(db, campaign, other)


def test_an_import_with_errors_names_them_all_and_keeps_nothing(database: Database) -> None:
    bad = [*GIVEN, Judgment("X", "T9", "d1", 1), Judgment("X", "T1", "d1", 7), Judgment("", "T1", "d1", 1)]
    with database.writing() as db:
        made = campaign_with_people(db)
    with pytest.raises(InvalidInput) as refused, database.writing() as db:
        import_judgments(db, made.campaign.id, bad, source="f.tsv")
    assert [finding.code for finding in refused.value.findings] == ["unknown-topic", "grade", "assessor"]
    with database.reading() as db:
        assert current_judgments(db, made.campaign.id) == ()
        assert [line.name for line in assessors_of(db, made.campaign.id)] == ["Ada", "Ben"]


def test_a_name_with_an_account_here_or_of_another_kind_is_refused(database: Database) -> None:
    with database.writing() as db:
        made = campaign_with_people(db)
        with pytest.raises(Conflict, match="account of their own"):
            import_judgments(db, made.campaign.id, [Judgment("Ada", "T1", "d1", 1)], source="f")
        import_judgments(db, made.campaign.id, GIVEN, source="f", machines=["Y"])
        with pytest.raises(Conflict, match="known here as a machine"):
            import_judgments(db, made.campaign.id, GIVEN, source="f")


def test_what_goes_out_comes_in_again_unchanged(database: Database) -> None:
    given = [
        *GIVEN,
        Judgment("Ü mit Leerzeichen", "T1", "KÜSTE-12", 3),
        Judgment("Y", "T2", "a#b", None, Answer.CANNOT_JUDGE),
    ]
    with database.writing() as db:
        made = campaign_with_people(db, scale=FOUR_GRADES)
        import_judgments(db, made.campaign.id, given, source="f")
        out = current_judgments(db, made.campaign.id)
        text = b"".join(write_judgments(out))
        back = read_judgments(io.BytesIO(text), source="back")
        assert set(back) == set(given)
        assert all(a.new == 0 for a in import_judgments(db, made.campaign.id, back, source="b").assessors)
