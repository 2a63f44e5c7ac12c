"""A queue beside other pools: what colleagues grade elsewhere is no longer asked for."""

from __future__ import annotations

import pytest
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.submitted import record
from tests.workflow.judging.queued import POOL, grades, make_machine, queued_pool
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.queues import queue_report
from workbench.workflow.judging.unrecorded import unrecorded_count
from workbench.workflow.pools.making import make_pool

pytestmark = pytest.mark.engines


def test_what_colleagues_graded_elsewhere_leaves_its_holder_and_an_answer_on_its_way_counts(
    db: Session,
) -> None:
    """D01 is out with Ada when Ben, who also has it in another pool, grades it there."""
    queued = queued_pool(db, documents=2, assessors=("Ada", "Ben"))
    campaign_id = queued.campaign_id
    held = queued.take(db, "Ada")
    assert sorted(held) == ["D01", "D02"]
    other = make_pool(db, campaign_id, PoolRecipe(parameters={"depth": 1}), name="beside").pool
    assign(db, other.id, topics=["T1"], assessor_ids=[queued.made.assessors["Ben"]])
    beside = next(one.id for one in assignments_of(db, campaign_id) if one.pool == "beside")
    record(
        db,
        beside,
        queued.made.accounts["Ben"],
        docno="D01",
        answer=Answer.GRADE,
        grade=1,
        client_id="b" * 8,
    )
    assert queued.has(db, "Ada") == ["D02"]
    assert [one.docno for one in queue_report(db, campaign_id, POOL).out] == ["D02"]
    # Her browser showed it before: she was handed it, so what she says of it counts.
    queued.say(db, "Ada", "D01")
    assert sorted(queued.has(db, "Ada")) == ["D01", "D02"]
    queued.say(db, "Ada", "D01", 0)  # and so does her second thought
    assert grades(db)["D01"] == 2
    assert unrecorded_count(db, campaign_id) == 0


@pytest.mark.parametrize("machine", [False, True])
def test_what_people_said_in_another_pool_counts_and_what_machines_say_does_not(
    machine: bool, db: Session
) -> None:
    queued = queued_pool(db, documents=2, per_pair=1)
    other = make_pool(db, queued.campaign_id, PoolRecipe(parameters={"depth": 1}), name="other").pool
    assign(db, other.id, topics=["T1"], assessor_ids=[queued.made.assessors["Ada"]])
    task = next(one.id for one in assignments_of(db, queued.campaign_id) if one.pool == "other")
    record(
        db,
        task,
        queued.made.accounts["Ada"],
        docno="D01",
        answer=Answer.GRADE,
        grade=1,
        client_id="elsewhere",
    )
    if machine:
        make_machine(db, queued, "Ada")
        assert sorted(queued.take(db, "Ben")) == ["D01", "D02"]
    else:
        assert queued.take(db, "Ben") == ("D02",)
        assert queued.take(db, "Ada") == ()
