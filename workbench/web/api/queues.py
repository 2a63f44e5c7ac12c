"""Pools as queues: made and given, how far each has come, pairs taken back."""

from __future__ import annotations

from flask import Blueprint

from workbench.errors import rejected
from workbench.json_forms.filling import filled
from workbench.json_forms.rules import Counted, OutJson, QueueJson, QueueTopicJson
from workbench.storage import Session
from workbench.web.access import here, organiser
from workbench.web.api.assignments import assessor_numbers
from workbench.web.api.cursors import Names, Whole, sent
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.judging import queues
from workbench.workflow.people.access_tokens import Scope

blueprint = Blueprint("queues", __name__, url_prefix="/campaigns/<slug>/pools/<id:pool>/queue")


@sent
class SentQueue:
    """How many judgments each pair is to get, and after how many minutes others get what is not answered.

    The lease applies to all queues of the campaign; None leaves it.
    """

    per_pair: Whole
    lease_minutes: Whole | None = None


@sent
class SentAssessors:
    """Assessors by name; all with an account if None."""

    assessors: Names | None = None


@sent
class SentReturn:
    """What returns to the queue: all that is out, an assessor's, a topic's, or one document of both."""

    assessor: str | None = None
    topic: str | None = None
    docno: str | None = None


@blueprint.get("")
@organiser
@operation(QueueJson)
def show(pool: str) -> QueueJson:
    """Show how far a queue has come, and what is out."""
    with reading() as db:
        return _queue(db, pool)


@blueprint.post("")
@organiser
@operation(QueueJson, scope=Scope.MANAGE, body=SentQueue)
def make(pool: str, body: SentQueue) -> QueueJson:
    """Make a pool a queue, or change how many judgments it asks for; what was judged counts."""
    with writing() as db:
        queues.make_queue(db, here().id, pool, body.per_pair)
        if body.lease_minutes is not None:
            queues.set_lease(db, here().id, body.lease_minutes)
        return _queue(db, pool)


@blueprint.delete("")
@organiser
@operation(Counted, scope=Scope.MANAGE)
def end(pool: str) -> Counted:
    """Make a queue a pool with assignments again; counts the pairs that were out."""
    with writing() as db:
        return {"count": queues.end_queue(db, here().id, pool)}


@blueprint.post("/assessors")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentAssessors)
def give(pool: str, body: SentAssessors) -> Counted:
    """Give all topics of the queue to assessors; counts the new assignments."""
    with writing() as db:
        chosen = assessor_numbers(db, body.assessors)
        return {"count": queues.give_queue(db, here().id, pool, chosen)}


@blueprint.post("/returned")
@organiser
@operation(Counted, scope=Scope.MANAGE, body=SentReturn)
def return_pairs(pool: str, body: SentReturn) -> Counted:
    """Return pairs that are out to the queue, so that somebody else gets them; what is judged stays."""
    with writing() as db:
        if body.docno is None:
            done = queues.take_back(db, here().id, pool, assessor=body.assessor, topic=body.topic)
            return {"count": done}
        if body.assessor is None or body.topic is None:
            raise rejected(
                "body",
                None,
                "docno",
                "a document needs its assessor and topic",
                "name the assessor and the topic as well",
            )
        (number,) = assessor_numbers(db, [body.assessor])
        one = queues.take_back_pair(
            db, here().id, pool, assessor_id=number, topic=body.topic, docno=body.docno
        )
    return {"count": int(one)}


def _queue(db: Session, pool: str) -> QueueJson:
    found = queues.queue_report(db, here().id, pool)
    return filled(
        QueueJson,
        found,
        topics=[filled(QueueTopicJson, one) for one in found.by_topic],
        out=[filled(OutJson, one) for one in found.out],
    )
