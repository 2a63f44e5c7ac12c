"""My topics: one line for each, with true counts that tell nothing of colleagues."""

from __future__ import annotations

from sqlalchemy import update
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.workflow.judging.desk_days import day
from tests.workflow.judging.queued import queued_pool
from workbench.pooling.strategies import PoolRecipe
from workbench.storage.tables import PoolRow
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.desk_view import work_of
from workbench.workflow.judging.worklists import own_topics, worklist
from workbench.workflow.pools.drafts import close_pool
from workbench.workflow.pools.making import make_pool


def test_a_topic_of_two_pools_is_one_line_and_a_pair_of_both_one_pair(db: Session) -> None:
    """T1 has d/4, d1, d2 in the first pool and d1, d2 (depth 1) in the second: three pairs."""
    ada = day(db)
    campaign_id = ada.made.campaign.id
    second = make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 1}), name="second").pool
    assign(db, second.id, topics=["T1"], assessor_ids=[ada.made.assessors["Ada"]])
    ada.send(db, ada.event("event-01", "d1", grade=1), ada.event("event-02", "d/4", answer="unsure"))
    (line,) = own_topics(db, campaign_id, ada.ada)
    assert (line.judged, line.unsure, line.answered, line.total) == (1, 1, 2, 3)
    assert not line.done
    assert line.assignment_id == ada.assignment
    beside = next(one.id for one in assignments_of(db, campaign_id) if one.pool == "second")
    # The second has d1, which is answered, and d2.
    assert (line.further, line.earlier) == ((beside,), ())
    # Closed, the first leaves the second, which has d1 and d2.
    close_pool(db, campaign_id, ada.pool)
    (line,) = own_topics(db, campaign_id, ada.ada)
    assert (line.assignment_id, line.judged, line.total) == (beside, 1, 2)
    assert (line.further, line.earlier) == ((), (ada.assignment,))
    db.execute(update(PoolRow).values(closed_at=PoolRow.created_at))
    (line,) = own_topics(db, campaign_id, ada.ada)
    assert (line.closed, line.judged, line.unsure, line.total) == (True, 1, 1, 3)


def test_what_colleagues_take_from_a_queue_changes_no_total(db: Session) -> None:
    """Of six pairs Ada has two ahead; Ben and Cleo take and grade the other four."""
    queued = queued_pool(db, documents=6)
    mine = queued.take(db, "Ada")
    account, task = queued.made.accounts["Ada"], queued.tasks["Ada"]
    seen = []
    for name in ("Ben", "Cleo"):
        work = work_of(db, task, account)
        seen.append((work.total, work.at_most))
        for docno in queued.take(db, name):
            queued.say(db, name, docno)
    work = work_of(db, task, account)
    assert [*seen, (work.total, work.at_most)] == [(6, True)] * 3
    for docno in mine:
        (line,) = own_topics(db, queued.campaign_id, account)
        assert (line.total, line.at_most, line.done) == (6, True, False)
        queued.say(db, "Ada", docno)
    (line,) = own_topics(db, queued.campaign_id, account)
    assert (line.answered, line.total, line.at_most, line.done) == (2, 2, False, True)


def test_a_queue_that_others_emptied_has_nothing_to_judge(db: Session) -> None:
    queued = queued_pool(db, documents=1)
    queued.take(db, "Ben")
    queued.say(db, "Ben", "D01")
    (line,) = worklist(db, queued.campaign_id, queued.made.accounts["Ada"])
    assert (line.total, line.answered) == (0, 0)
