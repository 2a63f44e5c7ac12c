"""Whatever happens to a campaign, its agreement is that of one table of all that was answered."""

from __future__ import annotations

import json
from dataclasses import replace
from uuid import uuid4

import pytest
from sqlalchemy import select

from tests.workflow.adjudication.disputed import AGREED, FAR, LINE, NEAR, Disputed, disputed_campaign
from workbench.agreement.export import matrix_export, report_export
from workbench.agreement.options import AgreementOptions, Machines, Occasion
from workbench.agreement.ratings_by_topic import RatingsByTopic
from workbench.agreement.report import agreement_report, matrix
from workbench.agreement.selection import select_ratings
from workbench.errors import WorkbenchError
from workbench.export import Export
from workbench.records import FOUR_GRADES, Judgment
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.events import append_events
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.adjudication.decisions import Decision
from workbench.workflow.agreement.report import campaign_agreement, campaign_matrix
from workbench.workflow.agreement.selection import answers_of_campaign, campaign_ratings, compared_grades
from workbench.workflow.judging.importing import import_judgments

pytestmark = pytest.mark.engines
OPTIONS = AgreementOptions()


def content(export: Export) -> tuple[str, str]:
    """The JSON and the rows of a file."""
    return json.dumps(export.data()), repr(list(export.rows()))


def check(database: Database, one: Disputed) -> str:
    """Compare the report and the matrix with those of one table; returns the sentence on what is included."""
    sentences = []
    for options in (
        OPTIONS,
        replace(OPTIONS, answers=Occasion.CURRENT, graded=True),
        replace(OPTIONS, machines=Machines.AMONG),
    ):
        with database.reading() as db:
            found = campaign_agreement(db, one.id, options)
            of_all = campaign_matrix(db, one.id, options)
            answers = answers_of_campaign(db, one.id, options.answers)
            line = compared_grades(db, one.id, relevant_from=None, graded=options.graded)
        assert isinstance(found.selection.ratings, RatingsByTopic)
        chosen = replace(options, relevant_from=line.relevant_from)
        whole = select_ratings(answers, line.scale, chosen)
        sentences.append(found.selection.sentence)
        whole = replace(whole, sentence=found.selection.sentence)
        assert not isinstance(whole.ratings, RatingsByTopic)
        assert found.selection.pairs == whole.pairs
        assert content(report_export(found)) == content(report_export(agreement_report(whole, options)))
        chosen = replace(of_all.options, relevant_from=line.relevant_from)
        two = select_ratings(answers, line.scale, chosen)
        two = replace(two, sentence=of_all.selection.sentence)
        assert content(matrix_export(of_all)) == content(matrix_export(matrix(two, of_all.options)))
    return sentences[0]


def appended(db: Session, one: Disputed, pair: tuple[str, str], answer: str, grade: int | None) -> None:
    """What Ada says of a pair, appended as it is."""
    row = db.scalars(
        select(JudgmentEventRow).where(
            JudgmentEventRow.assessor_id == one.made.assessors["Ada"],
            JudgmentEventRow.topic == pair[0],
            JudgmentEventRow.docno == pair[1],
        )
    ).first()
    assert row is not None
    values = {column.name: getattr(row, column.name) for column in JudgmentEventRow.__table__.columns}
    values |= {"client_id": str(uuid4()), "answer": answer, "grade": grade}
    append_events(db, [{name: value for name, value in values.items() if name != "id"}])


def test_after_whatever_happened_the_files_are_those_of_one_table(database: Database) -> None:
    with database.writing() as db:
        one = disputed_campaign(db)
    check(database, one)
    with database.writing() as db:
        one.say(db, "Ben", NEAR, 2)
    check(database, one)
    with database.writing() as db:
        one.say(db, "Ben", LINE, None, answer="unsure")
        import_judgments(
            db, one.id, [Judgment("Cleo", *NEAR, 0), Judgment("Cleo", "T2", "d9", 3)], source="c"
        )
    check(database, one)
    # Another process: it shares no memory with this one.
    other = Database(database.engine.url.render_as_string(hide_password=False))
    with other.writing() as db:
        appended(db, one, AGREED, "withdrawn", None)
        appended(db, one, FAR, "grade", 2)
    other.close()
    check(database, one)
    with database.writing() as db:
        for pair in (FAR, NEAR):
            one.decide(db, pair, Decision.BACK)
        one.discuss(db, "Ada", FAR, 3)
        one.discuss(db, "Ben", NEAR, None)
    assert "of 2 pairs that were returned for discussion the answers before it count" in check(database, one)


def test_a_grade_that_is_no_longer_on_the_scale_is_told(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        one = disputed_campaign(db)
    assert [grade.value for grade in FOUR_GRADES.grades] == [0, 1, 2, 3]
    with sqlite_database.writing() as db:
        appended(db, one, FAR, "grade", 7)
    with sqlite_database.reading() as db, pytest.raises(WorkbenchError, match="grade 7 is not on the scale"):
        campaign_ratings(db, one.id, OPTIONS)
