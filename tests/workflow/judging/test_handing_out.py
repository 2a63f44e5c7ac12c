"""Handing out an adaptive pool's documents: one at a time, to one assessor each, nothing lost."""

from __future__ import annotations

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign, assign_in_turn
from tests.workflow.judging.handed_out import Live, happened, live_pool
from workbench.errors import NotFound
from workbench.pooling.strategies import ADAPTIVE, PoolRecipe
from workbench.storage.tables import PoolEntryRow
from workbench.workflow.judging.assigned_work import left_to_judge
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.desk_view import desk
from workbench.workflow.judging.task import hand_out_next
from workbench.workflow.judging.worklists import worklist
from workbench.workflow.overview.progress import overview
from workbench.workflow.pools.listing import pool_entries
from workbench.workflow.pools.making import make_pool


@pytest.mark.engines
def test_the_next_document_depends_on_the_answer_to_the_one_before(db: Session) -> None:
    """By hand, max-mean: both runs have 1/2, so alpha plays first: d1, which both retrieved.

    Judged not relevant both have (0 + 1) / (1 + 2): alpha again, d2, which both have too. Relevant, and both
    have 2/4: alpha plays d#3. Not relevant, so alpha has 2/5 and beta 2/4: beta plays d/4.
    """
    live = live_pool(db)
    seen = []
    for grade in (0, 1, 0):
        docno = live.next(db, "Ada")
        assert docno is not None
        live.say(db, "Ada", docno, grade)
        seen.append(docno)
    assert [*seen, live.next(db, "Ada")] == ["d1", "d2", "d#3", "d/4"]
    assert happened(db, live) == [
        ("handed_out", "d1", None),
        ("judged", "d1", False),
        ("handed_out", "d2", None),
        ("judged", "d2", True),
        ("handed_out", "d#3", None),
        ("judged", "d#3", False),
        ("handed_out", "d/4", None),
    ]
    assert live.replay(db).differences == ()


@pytest.mark.parametrize("strategy", ADAPTIVE)
def test_two_assessors_never_have_the_same_document_and_all_are_judged(strategy: str, db: Session) -> None:
    live = live_pool(db, strategy)
    had: dict[str, list[str]] = {"Ada": [], "Ben": []}
    while any(docno := {name: live.next(db, name) for name in had}.values()):
        for name, one in zip(had, docno, strict=True):
            if one is not None:
                live.say(db, name, one, len(had[name]) % 2)
                had[name].append(one)
    assert sorted(had["Ada"] + had["Ben"]) == ["d#3", "d/4", "d1", "d2", "d6"]
    assert live.replay(db).differences == ()


@pytest.mark.engines
def test_the_budget_ends_a_topic_for_all(db: Session) -> None:
    live = live_pool(db, budget=2)
    ada, ben = live.next(db, "Ada"), live.next(db, "Ben")
    assert ada is not None
    assert ben is not None
    live.say(db, "Ada", ada, 1)
    assert live.next(db, "Ada") is None
    shown = desk(db, live.tasks["Ada"], live.made.accounts["Ada"])
    assert (shown.document, shown.answered, shown.total, shown.waits) == (None, 1, 1, False)
    [line] = worklist(db, live.made.campaign.id, live.made.accounts["Ada"])
    assert (line.total, line.done) == (1, True)
    [line] = worklist(db, live.made.campaign.id, live.made.accounts["Ben"])
    # Of the two documents that the topic asks for; that a colleague has one is not told.
    assert (line.total, line.at_most, line.done) == (2, True, False)


@pytest.mark.engines
def test_the_entries_are_what_is_handed_out_with_the_runs_that_brought_it(db: Session) -> None:
    live = live_pool(db)
    assert pool_entries(db, live.made.campaign.id, live.name) == ()
    live.next(db, "Ada")
    [entry] = pool_entries(db, live.made.campaign.id, live.name)
    assert (entry.topic, entry.docno) == ("T1", "d1")
    assert [(each.tag, each.rank) for each in entry.contributions] == [("alpha", 1), ("beta", 3)]
    row = db.scalars(select(PoolEntryRow)).one()
    assert (row.best_rank, row.run_count) == (1, 2)


def test_one_goes_back_and_forth_among_ones_own_documents_only(db: Session) -> None:
    live = live_pool(db)
    account = live.made.accounts["Ada"]
    mine = []
    other = ""
    for _ in range(2):
        docno = live.next(db, "Ada")
        other = live.next(db, "Ben") or ""
        assert docno is not None
        live.say(db, "Ben", other, 0)
        mine.append(docno)
        if len(mine) < 2:
            live.say(db, "Ada", docno, 0)
    shown = desk(db, live.tasks["Ada"], account)
    assert (shown.previous_docno, shown.next_docno, shown.position) == (mine[0], None, 2)
    assert desk(db, live.tasks["Ada"], account, docno=mine[0]).next_docno == mine[1]
    with pytest.raises(NotFound):
        desk(db, live.tasks["Ada"], account, docno=other)
    with pytest.raises(NotFound):
        live.say(db, "Ada", other, 1)


def test_what_is_no_grade_is_an_answer_that_teaches_nothing(db: Session) -> None:
    live = live_pool(db)
    assert live.next(db, "Ada") == "d1"
    live.say(db, "Ada", "d1", None)
    assert happened(db, live)[1] == ("judged", "d1", None)
    assert live.next(db, "Ada") not in {None, "d1"}


@pytest.mark.engines
def test_an_answer_sent_twice_is_one_event(db: Session) -> None:
    live = live_pool(db)
    assert live.next(db, "Ada") == "d1"
    live.say(db, "Ada", "d1", 1, "the-same-id")
    live.say(db, "Ada", "d1", 1, "the-same-id")
    assert happened(db, live) == [("handed_out", "d1", None), ("judged", "d1", True)]


def test_what_the_assessor_judged_in_another_pool_counts_and_is_not_asked_again(db: Session) -> None:
    live = live_pool(db)
    plain = make_pool(db, live.made.campaign.id, PoolRecipe(parameters={"depth": 1}, tags=["alpha"]))
    assign(db, plain.pool.id, topics=["T1"], assessor_ids=[live.made.assessors["Ada"]])
    lines = assignments_of(db, live.made.campaign.id)
    there = next(one.id for one in lines if one.pool == plain.pool.name)
    elsewhere = Live(live.made, plain.pool.id, plain.pool.name, {"Ada": there}, live.states)
    elsewhere.say(db, "Ada", "d1", 0)
    assert happened(db, live) == []
    assert live.next(db, "Ada") == "d2"
    assert happened(db, live) == [
        ("handed_out", "d1", None),
        ("judged", "d1", False),
        ("handed_out", "d2", None),
    ]
    # And a change of mind there is a change of mind.
    elsewhere.say(db, "Ada", "d1", 1)
    assert happened(db, live)[-1] == ("judged", "d1", True)
    assert live.replay(db).differences == ()


def test_progress_counts_what_an_assessor_has(db: Session) -> None:
    live = live_pool(db)
    for name, answered in (("Ada", True), ("Ben", False)):
        docno = live.next(db, name)
        assert docno is not None
        if answered:
            live.say(db, name, docno, 1)
    assert left_to_judge(db, live.made.campaign.id, live.made.accounts["Ada"]) == 3
    assert left_to_judge(db, live.made.campaign.id, live.made.accounts["Ben"]) == 4
    lines = {line.assessor: (line.pairs, line.answered) for line in assignments_of(db, live.made.campaign.id)}
    assert lines == {"Ada": (4, 1), "Ben": (4, 0)}
    by_assessor = {
        line.name: (line.assigned, line.answered) for line in overview(db, live.made.campaign.id).by_assessor
    }
    assert by_assessor == {"Ada": (1, 1), "Ben": (1, 0)}


def test_nobody_is_handed_out_another_persons_documents(db: Session) -> None:
    live = live_pool(db)
    with pytest.raises(NotFound):
        hand_out_next(db, live.states, live.tasks["Ada"], live.made.accounts["Ben"])


@pytest.mark.engines
def test_whole_topics_are_given_before_anything_is_handed_out(db: Session) -> None:
    live = live_pool(db)
    with pytest.raises(NotFound, match="has nothing in pool"):
        assign(db, live.pool_id, topics=["T9"], assessor_ids=[live.made.assessors["Ada"]])
    # T1 is given to both already; T2 goes to the second and the first of the list.
    ids = list(live.made.assessors.values())
    assert assign_in_turn(db, live.pool_id, assessor_ids=ids, per_topic=2) == 2
    lines = {(one.topic, one.assessor, one.pairs) for one in assignments_of(db, live.made.campaign.id)}
    # T2: d/4 d1 é5 of alpha, d/4 d2 of beta.
    assert {line for line in lines if line[0] == "T2"} == {("T2", "Ada", 4), ("T2", "Ben", 4)}
