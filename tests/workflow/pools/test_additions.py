"""Documents added by hand to a pool, and removed again."""

from __future__ import annotations

import gzip
import hashlib
from datetime import UTC, datetime

import pytest
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, pooled_campaign
from tests.submitted import record
from workbench.errors import InvalidInput, NotFound
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer
from workbench.storage.engine import Database
from workbench.storage.tables import CollectionListRow
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.desk_view import Desk, desk
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.task import own_task
from workbench.workflow.judging.worklists import add_to_own
from workbench.workflow.pools.additions import (
    AddedDocuments,
    Additions,
    AlreadyPooled,
    add_documents,
    pairs_added_by_hand,
    remove_addition,
    removed_additions,
)
from workbench.workflow.pools.listing import PoolReport, pool_entries, pool_report
from workbench.workflow.pools.making import make_pool


def add(db: Session, made: Made, *docnos: str, topic: str = "T1", reason: str = "seen") -> AddedDocuments:
    """Add to the pool of `pooled_campaign` as its organiser; T1 of it has d/4, d1, d2."""
    return add_documents(
        db,
        made.campaign.id,
        "depth 2",
        topic,
        Additions({docno: line for line, docno in enumerate(docnos, 1)}, reason),
        added_by=made.organiser,
    )


def given(db: Session, made: Made, report: PoolReport, order: OrderRule = OrderRule.SHUFFLED) -> int:
    assign(db, report.pool.id, topics=["T1"], assessor_ids=[made.assessors["Ada"]], order=order, seed=7)
    return next(line.id for line in assignments_of(db, made.campaign.id) if line.order_rule == order)


def list_collection(db: Session, campaign_id: int, *docnos: str) -> None:
    content = "".join(f"{docno}\n" for docno in docnos).encode()
    db.add(
        CollectionListRow(
            campaign_id=campaign_id,
            file_name="collection.txt",
            content_gzip=gzip.compress(content),
            sha256=hashlib.sha256(content).hexdigest(),
            docnos=len(docnos),
            added_at=datetime.now(UTC),
        )
    )
    db.flush()


def test_what_is_pooled_already_is_told_and_passed_over(db: Session) -> None:
    made, _ = pooled_campaign(db)
    make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 3}), name="deeper")
    make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 9}), name="a draft", draft=True)
    # Depth 3 has d#3 for T1 as well; d6 is at rank 4, in the draft only, which is no pool yet.
    found = add(db, made, "d1", "d6", "d#3")
    assert found == AddedDocuments(
        "depth 2", ("d6",), (AlreadyPooled("d#3", "deeper"), AlreadyPooled("d1", "depth 2")), ()
    )
    again = add(db, made, "d6")
    assert (again.added, again.passed) == ((), (AlreadyPooled("d6", "depth 2"),))
    assert pool_report(db, made.campaign.id, "depth 2").pool.pairs == 7


def test_an_unknown_docno_refuses_all_with_every_line_that_is_wrong(db: Session) -> None:
    made, _ = pooled_campaign(db)
    with pytest.raises(InvalidInput) as refused:
        add(db, made, "nowhere", "d6", "D6", "bad\udcff")
    assert [(one.line, one.code) for one in refused.value.findings] == [
        (1, "docno-unknown"),
        (3, "docno-unknown"),
        (4, "id-encoding"),
    ]
    assert pool_report(db, made.campaign.id, "depth 2").pool.pairs == 6


def test_where_the_collection_has_a_list_it_decides(db: Session) -> None:
    made, _ = pooled_campaign(db)
    list_collection(db, made.campaign.id, "d1", "far#1", "ü7")
    found = add(db, made, "far#1", "ü7")
    # In the collection, but nobody has loaded the text yet.
    assert (found.added, found.without_text) == (("far#1", "ü7"), ("far#1", "ü7"))
    with pytest.raises(InvalidInput, match=r"not in the collection's list collection.txt"):
        add(db, made, "d6")


def test_a_reason_and_a_topic_are_needed(db: Session) -> None:
    made, _ = pooled_campaign(db)
    with pytest.raises(InvalidInput, match="Reason"):
        add(db, made, "d6", reason=" \n")
    with pytest.raises(InvalidInput, match="2001 characters"):
        add(db, made, "d6", reason="x" * 2001)
    with pytest.raises(NotFound, match="no topic"):
        add(db, made, "d6", topic="T9")


def test_by_priority_an_addition_comes_last_since_no_run_ranked_it(db: Session) -> None:
    made, report = pooled_campaign(db)
    task = given(db, made, report, OrderRule.PRIORITY)
    add(db, made, "d6", "d#3")
    # d2 has best rank 1 and two runs, d1 rank 1, d/4 rank 2.
    assert list(own_task(db, task, made.accounts["Ada"]).order) == ["d2", "d1", "d/4", "d#3", "d6"]


def test_an_assessor_sees_nothing_by_which_an_addition_differs(db: Session) -> None:
    made, report = pooled_campaign(db)
    task = given(db, made, report)
    add(db, made, "d6", reason="the secret reason")
    by_hand = desk(db, task, made.accounts["Ada"], docno="d6")
    by_run = desk(db, task, made.accounts["Ada"], docno="d1")
    assert "secret" not in repr(by_hand)
    assert "Olga" not in repr(by_hand)

    def shape(shown: Desk) -> tuple[object, ...]:
        assert shown.document is not None
        return shown.total, shown.judged, shown.current, shown.document.missing

    assert shape(by_hand) == shape(by_run)


def test_what_was_undone_before_it_was_committed_is_no_ones_order(database: Database) -> None:
    # The two additions bring the pool to the same number of pairs.
    with database.writing() as db:
        made, report = pooled_campaign(db)
        task, ada = given(db, made, report), made.accounts["Ada"]
    with database.writing() as db:
        add_to_own(db, task, ada, Additions({"d6": 1}, "it names the quay"))
        record(db, task, ada, docno="d6", answer=Answer.GRADE, grade=1, client_id="an-answer-1")
        db.rollback()
    with database.writing() as db:
        add_to_own(db, task, ada, Additions({"é5": 1}, "it names the quay"))
    with database.writing() as db:
        record(db, task, ada, docno="é5", answer=Answer.GRADE, grade=1, client_id="an-answer-2")
        assert desk(db, task, ada, docno="é5").judged == 1


def test_the_pairs_of_drafts_are_not_told_as_additions(db: Session) -> None:
    made, _ = pooled_campaign(db)
    make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": 1}), name="plan", draft=True)
    docnos = {"d6": 1}
    add_documents(db, made.campaign.id, "plan", "T2", Additions(docnos, "seen"), added_by=None)
    add(db, made, "é5")
    assert pairs_added_by_hand(db, made.campaign.id) == {("T1", "é5")}


def test_what_was_taken_out_leaves_who_when_which_and_why(database: Database) -> None:
    with database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign_id = made.campaign.id
        make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 1}), name="plan", draft=True)
        for docnos, reason in (({"d6": 1}, "seen"), ({"é5": 1}, "it names the quay")):
            by = made.accounts["Ada"]
            add_documents(db, campaign_id, "plan", "T1", Additions(docnos, reason), added_by=by)
        added = {one.docno: one.added for one in pool_entries(db, campaign_id, "plan") if one.added}
        remove_addition(db, campaign_id, "plan", topic="T1", docno="é5", by=made.organiser)
        remove_addition(db, campaign_id, "plan", topic="T1", docno="d6")
    with database.reading() as db:
        first, second = removed_additions(db, campaign_id, "plan", topic="T1")
        assert (first.topic, first.docno, first.added, first.by) == ("T1", "é5", added["é5"], "Olga")
        assert (first.added.by, first.added.reason) == ("Ada", "it names the quay")
        assert (second.docno, second.by) == ("d6", "")  # from the terminal
        assert added["é5"].at <= first.at <= second.at
        assert removed_additions(db, campaign_id, "plan", topic="T2") == ()
        kept = pool_report(db, campaign_id, "plan").recipe["taken_out"]
        assert [one["docno"] for one in kept] == ["é5", "d6"]
