"""Judging: answers become events, once each, in order, for the right pair."""

from __future__ import annotations

from uuid import uuid4

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, pooled_campaign
from tests.submitted import record
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Answer, Document
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.judging.assignments import assignments_of, revoke
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.desk_view import desk
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.record import Recorded, undo_last
from workbench.workflow.judging.worklists import answers, effective_roles, worklist
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.drafts import close_pool


def given(
    db: Session, made: Made, pool_id: int, name: str, topic: str = "T1", *, order: OrderRule = OrderRule.DOCNO
) -> int:
    """Give a topic to an assessor; returns the assignment's id."""
    assign(db, pool_id, topics=[topic], assessor_ids=[made.assessors[name]], order=order, seed=7)
    return next(
        line.id
        for line in assignments_of(db, made.campaign.id)
        if (line.assessor, line.topic) == (name, topic)
    )


def say(
    db: Session, assignment: int, account: int, docno: str, grade: int | None, client_id: str | None = None
) -> Recorded:
    """Give a grade, or unsure for None."""
    return record(
        db,
        assignment,
        account,
        docno=docno,
        answer=Answer.UNSURE if grade is None else Answer.GRADE,
        grade=grade,
        client_id=client_id or str(uuid4()),
        shown_sha256=Document("d", f"Title of {docno}", f"Text of {docno}").sha256,
        active_ms=1500,
    )


def test_each_answer_brings_the_next_document_until_all_are_answered(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        task = given(db, made, report.pool.id, "Ada")
        seen = []
        while (shown := desk(db, task, ada)).document is not None:
            seen.append((shown.position, shown.document.docno))
            say(db, task, ada, shown.document.docno, 1)
        # By docno as bytes: "/" stands before the digits.
        assert seen == [(1, "d/4"), (2, "d1"), (3, "d2")]
        assert (shown.judged, shown.total, shown.may_undo) == (3, 3, True)


@pytest.mark.engines
def test_an_event_proves_what_was_shown(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        task = given(db, made, report.pool.id, "Ada", order=OrderRule.SHUFFLED)
        shown = desk(db, task, made.accounts["Ada"])
        assert shown.document is not None
        say(db, task, made.accounts["Ada"], shown.document.docno, 0)
        event = db.scalars(select(JudgmentEventRow)).one()
        docno = shown.document.docno
        assert event.document_sha256 == Document("d", f"Title of {docno}", f"Text of {docno}").sha256
        assert (event.position, event.order_rule, event.active_ms, event.source) == (
            1,
            "shuffled",
            1500,
            "screen",
        )
        assert event.seed == assignments_of(db, made.campaign.id)[0].seed


@pytest.mark.engines
def test_sending_an_answer_twice_records_it_once(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        task = given(db, made, report.pool.id, "Ada")
        first = say(db, task, made.accounts["Ada"], "d1", 1, client_id="the-same-id")
        second = say(db, task, made.accounts["Ada"], "d1", 1, client_id="the-same-id")
        assert second == Recorded(first.event, repeated=True)
        assert len(db.scalars(select(JudgmentEventRow.id)).all()) == 1


@pytest.mark.engines
def test_an_answer_under_the_id_of_another_is_refused_and_not_dropped_silently(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        task = given(db, made, report.pool.id, "Ada")
        say(db, task, made.accounts["Ada"], "d1", 1, client_id="the-same-id")
        with pytest.raises(Conflict, match="another answer"):
            say(db, task, made.accounts["Ada"], "d1", 0, client_id="the-same-id")


@pytest.mark.engines
def test_a_change_keeps_what_it_replaced_and_the_latest_holds(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        task = given(db, made, report.pool.id, "Ada")
        say(db, task, made.accounts["Ada"], "d1", 1)
        say(db, task, made.accounts["Ada"], "d1", 0)
        assert [event.grade for event in db.scalars(select(JudgmentEventRow).order_by("id"))] == [1, 0]
        assert [judgment.grade for judgment in current_judgments(db, made.campaign.id)] == [0]


def test_undo_goes_back_without_limit_and_returns_to_the_document(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        task = given(db, made, report.pool.id, "Ada")
        for docno in ("d/4", "d1", "d2"):
            say(db, task, ada, docno, 1)
        undone = [undo_last(db, task, ada, client_id=str(uuid4())) for _ in range(4)]
        assert undone == ["d2", "d1", "d/4", None]
        assert current_judgments(db, made.campaign.id) == ()
        shown = desk(db, task, ada)
        assert shown.document is not None
        assert (shown.document.docno, shown.may_undo) == ("d/4", False)
        # Three answers and three withdrawals: nothing was deleted.
        assert len(db.scalars(select(JudgmentEventRow.id)).all()) == 6


@pytest.mark.engines
def test_a_double_click_on_undo_withdraws_one_answer(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        task = given(db, made, report.pool.id, "Ada")
        say(db, task, ada, "d/4", 1)
        say(db, task, ada, "d1", 1)
        assert undo_last(db, task, ada, client_id="one-click") == "d1"
        assert undo_last(db, task, ada, client_id="one-click") is None
        assert [judgment.docno for judgment in current_judgments(db, made.campaign.id)] == ["d/4"]


def test_unsure_and_cannot_judge_are_answers_of_their_own(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        task = given(db, made, report.pool.id, "Ada")
        say(db, task, ada, "d1", None)
        record(
            db,
            task,
            ada,
            docno="d2",
            answer=Answer.CANNOT_JUDGE,
            grade=None,
            client_id=str(uuid4()),
            reason="broken",
        )
        shown = desk(db, task, ada)
        assert (shown.judged, shown.unsure, shown.cannot_judge) == (0, 1, 1)
        again = desk(db, task, ada, docno="d2")
        assert again.current is not None
        assert (again.current.answer, again.current.reason) == (Answer.CANNOT_JUDGE, "broken")
        assert [(line.docno, line.answer) for line in answers(db, task, ada)] == [
            ("d2", Answer.CANNOT_JUDGE),
            ("d1", Answer.UNSURE),
        ]


@pytest.mark.engines
def test_an_answer_counts_in_every_pool_that_has_the_pair(database: Database) -> None:
    from workbench.workflow.pools.making import make_pool

    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        say(db, given(db, made, report.pool.id, "Ada"), ada, "d1", 1)
        deeper = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 4}))
        assign(db, deeper.pool.id, topics=["T1"], assessor_ids=[made.assessors["Ada"]])
        lines = worklist(db, made.campaign.id, ada)
        assert [(line.judged, line.total) for line in lines] == [(1, 3), (1, 5)]


@pytest.mark.parametrize(
    ("docno", "answer", "grade", "error"),
    [
        ("d6", Answer.GRADE, 1, NotFound),  # not in the pool at depth 2
        ("d1", Answer.GRADE, 4, WorkbenchError),  # not on the scale 0 to 3
        ("d1", Answer.GRADE, None, WorkbenchError),
        ("d1", Answer.UNSURE, 1, WorkbenchError),
    ],
)
def test_what_is_no_answer_to_a_pair_of_the_assessor_is_refused(
    database: Database, docno: str, answer: Answer, grade: int | None, error: type[WorkbenchError]
) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db, scale=FOUR_GRADES)
        task = given(db, made, report.pool.id, "Ada")
        with pytest.raises(error):
            record(
                db,
                task,
                made.accounts["Ada"],
                docno=docno,
                answer=answer,
                grade=grade,
                client_id=str(uuid4()),
            )
        assert current_judgments(db, made.campaign.id) == ()


def test_nobody_reads_or_answers_for_somebody_else(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        task = given(db, made, report.pool.id, "Ada")
        with pytest.raises(NotFound):
            desk(db, task, made.accounts["Ben"])
        with pytest.raises(NotFound):
            say(db, task, made.accounts["Ben"], "d1", 1)


@pytest.mark.engines
def test_a_closed_pool_and_a_revoked_assignment_take_nothing_more(database: Database) -> None:
    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        task = given(db, made, report.pool.id, "Ada")
        say(db, task, ada, "d1", 1)
        close_pool(db, made.campaign.id, report.pool.name)
        with pytest.raises(Conflict, match="closed"):
            say(db, task, ada, "d2", 1)
        revoke(db, made.campaign.id, task)
        with pytest.raises(NotFound):
            desk(db, task, ada)
        assert len(current_judgments(db, made.campaign.id)) == 1


def test_two_orders_of_one_pool_give_the_same_judgments_for_the_same_answers(database: Database) -> None:
    """The defect that spoilt NTCIR WWW-2 to -4: a judgment that belonged to a place in a list."""
    grade_of = {"d/4": 0, "d1": 1, "d2": 0}
    with database.writing() as db:
        made, report = pooled_campaign(db)
        for name, order in (("Ada", OrderRule.SHUFFLED), ("Ben", OrderRule.PRIORITY)):
            task = given(db, made, report.pool.id, name, order=order)
            while (shown := desk(db, task, made.accounts[name])).document is not None:
                say(db, task, made.accounts[name], shown.document.docno, grade_of[shown.document.docno])
        held = current_judgments(db, made.campaign.id)
        by = {name: {j.docno: j.grade for j in held if j.assessor == name} for name in ("Ada", "Ben")}
        assert by["Ada"] == by["Ben"] == grade_of


def test_an_assessor_with_unfinished_work_is_nothing_else_meanwhile(database: Database) -> None:
    from workbench.workflow.people.membership import add_role

    with database.writing() as db:
        made, report = pooled_campaign(db)
        ada = made.accounts["Ada"]
        add_role(db, made.campaign.id, ada, Role.VIEWER)
        assert effective_roles(db, made.campaign.id, ada) == {Role.ASSESSOR, Role.VIEWER}
        task = given(db, made, report.pool.id, "Ada")
        assert effective_roles(db, made.campaign.id, ada) == {Role.ASSESSOR}
        for docno in ("d1", "d2", "d/4"):
            say(db, task, ada, docno, 0)
        assert effective_roles(db, made.campaign.id, ada) == {Role.ASSESSOR, Role.VIEWER}
