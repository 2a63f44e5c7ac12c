"""An assessor with a long topic in a campaign that has probes."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.assigned import assign
from tests.builders import Made, campaign_with_people, send_runs
from workbench.formats.graded_pairs import GradedPair
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Document
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.quality_checks import desk_task
from workbench.workflow.judging.quality_settings import load_known_answers
from workbench.workflow.judging.sync import Receipt, receive
from workbench.workflow.judging.task import Slot, Task
from workbench.workflow.pools.making import make_pool

POOLED = tuple(f"n{number:02}" for number in range(30))
OTHERS = ("x1", "x2", "x3")


@dataclass(frozen=True, slots=True)
class Probed:
    """Ada at topic T1 with thirty documents in the order of docnos; x1 to x3 are in no pool."""

    made: Made
    ada: int
    assignment: int

    @property
    def campaign(self) -> int:
        return self.made.campaign.id

    def task(self, db: Session) -> Task:
        """The topic as her desk shows it."""
        return desk_task(db, self.assignment, self.ada)

    def say(self, db: Session, key: str, grade: int = 1, **sent: object) -> Receipt:
        """Send one event as her desk does."""
        event = {"kind": "answer", "answer": "grade", "grade": grade} | sent
        event |= {"assignment": self.assignment, "client_id": str(uuid4()), "docno": key}
        return receive(db, self.ada, [event])[0]

    def judge_all(self, db: Session, grade: int = 1) -> list[Slot]:
        """Judge to the end of the topic; gives what stood there, in order."""
        shown = []
        while (key := (task := self.task(db)).coming) is not None:
            shown.append(task.slot(key))
            assert self.say(db, key, grade).outcome == "recorded"
        return shown

    def known(self, db: Session, purpose: str, *pairs: tuple[str, int]) -> None:
        """Load pairs of T1 with their grades."""
        answers = [GradedPair("T1", docno, grade, f"why {docno}", 2) for docno, grade in pairs]
        load_known_answers(db, self.campaign, answers, purpose=purpose, source="known.tsv")

    def events(self, db: Session) -> list[tuple[str, str, str]]:
        """What was recorded: docno, purpose, answer."""
        event = JudgmentEventRow
        rows = db.execute(select(event.docno, event.purpose, event.answer).order_by(event.id))
        return [(docno, purpose, answer) for docno, purpose, answer in rows]


def probed(db: Session) -> Probed:
    """Make the campaign, the pool and her assignment; no probes yet."""
    made = campaign_with_people(db, scale=FOUR_GRADES)
    documents = [Document(docno, f"Title of {docno}", f"Text of {docno}") for docno in (*POOLED, *OTHERS)]
    load_documents(db, made.campaign.id, documents, source="documents")
    send_runs(db, made.campaign.id, alpha={"T1": POOLED})
    pool = make_pool(db, made.campaign.id, PoolRecipe(parameters={"depth": len(POOLED)})).pool
    assign(db, pool.id, topics=["T1"], assessor_ids=[made.assessors["Ada"]], order=OrderRule.DOCNO)
    return Probed(made, made.accounts["Ada"], assignments_of(db, made.campaign.id)[0].id)
