"""Adaptive pools in which assessors work, for the tests of all that hangs on them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import ALPHA, BETA, Made, campaign_with_people, send_runs
from tests.submitted import record
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Answer
from workbench.storage.tables import PoolEventRow
from workbench.workflow.judging.adaptive_states import AdaptiveStates, Replay, replay_pool
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.record import Recorded
from workbench.workflow.judging.task import hand_out_next
from workbench.workflow.pools.making import make_pool


@dataclass(frozen=True, slots=True)
class Live:
    """An adaptive pool, the assignments of its topic T1 by assessor's name, and a process that serves it."""

    made: Made
    pool_id: int
    name: str
    tasks: dict[str, int]
    states: AdaptiveStates

    def next(self, db: Session, name: str) -> str | None:
        """What the assessor gets now."""
        return next(iter(hand_out_next(db, self.states, self.tasks[name], self.made.accounts[name])), None)

    def say(self, db: Session, name: str, docno: str, grade: int | None, client_id: str = "") -> Recorded:
        """Give a grade, or unsure for None."""
        return record(
            db,
            self.tasks[name],
            self.made.accounts[name],
            docno=docno,
            answer=Answer.UNSURE if grade is None else Answer.GRADE,
            grade=grade,
            client_id=client_id or str(uuid4()),
        )

    def replay(self, db: Session) -> Replay:
        """The pool gone through again."""
        return replay_pool(db, self.made.campaign.id, self.name)


def live_pool(
    db: Session,
    strategy: str = "max-mean",
    *,
    budget: int = 100,
    assessors: tuple[str, ...] = ("Ada", "Ben"),
    supplementary: bool = False,
    made: Made | None = None,
) -> Live:
    """An adaptive pool over the two runs of `tests.builders`, with T1 given to all assessors.

    T1 has five documents: alpha d1 d2 d#3 d6, beta d2 d/4 d1 d6.
    """
    if made is None:
        made = campaign_with_people(db, assessors=assessors)
        send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    report = make_pool(
        db,
        made.campaign.id,
        PoolRecipe(strategy=strategy, parameters={"budget": budget}, supplementary=supplementary),
    )
    assign(db, report.pool.id, topics=["T1"], assessor_ids=list(made.assessors.values()))
    lines = assignments_of(db, made.campaign.id)
    tasks = {one.assessor: one.id for one in lines if (one.pool, one.topic) == (report.pool.name, "T1")}
    return Live(made, report.pool.id, report.pool.name, tasks, AdaptiveStates())


def happened(db: Session, live: Live) -> list[tuple[str, str, bool | None]]:
    """The events of T1 in order, with numbers from 1 without a gap."""
    rows = db.scalars(
        select(PoolEventRow)
        .where(PoolEventRow.pool_id == live.pool_id, PoolEventRow.topic == "T1")
        .order_by(PoolEventRow.number)
    ).all()
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    return [(row.happening, row.docno, row.relevant) for row in rows]
