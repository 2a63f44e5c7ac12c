"""A pool as a queue: made one and given, how far it has come, who has what, taking pairs back."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.figures import counted
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, organiser
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, errors_on, form_number, sent_id, sent_numbers
from workbench.web.meanwhile import marks, merged
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.requests import go_to
from workbench.workflow.judging import queues
from workbench.workflow.judging.queues import queue_report
from workbench.workflow.people.assessors import assessors_of

SETTINGS = ("per_pair", "lease_minutes")
blueprint = Blueprint("queues", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/queue")


@blueprint.get("")
@organiser
def index(pool_id: int, findings: Findings = ()) -> str:
    """How far the queue has come and who has what; of another pool, what it means to make it one."""
    with reading() as db:
        line = pool_line(db, pool_id)
        per_pair, settings = queues.per_pair_of(db, here().id, line.name), _values(db, line.name)
        return render_template(
            "pools/queue.html",
            pool=line,
            report=queue_report(db, here().id, line.name) if per_pair else None,
            settings=settings,
            was=marks(settings),
            assessors=[one for one in assessors_of(db, here().id) if one.assignable],
            typed=request.form,
            findings=findings,
        )


@blueprint.post("")
@organiser
def make(pool_id: int) -> Response:
    """Make a pool a queue, or change how many judgments it asks for and how long a lease is."""
    with errors_on(partial(index, pool_id), "Queue", "per_pair"), writing() as db:
        line = pool_line(db, pool_id)
        typed = {name: form_number(name) or 0 for name in SETTINGS}
        found = merged(typed, _values(db, line.name))
        queues.make_queue(db, here().id, line.name, found["per_pair"])
        queues.set_lease(db, here().id, found["lease_minutes"])
    asked = counted(found["per_pair"], "judgment")
    notices.add(f"“{line.name}” is now a queue: {asked} per pair.")
    return _back(pool_id)


@blueprint.post("/end")
@organiser
def end(pool_id: int) -> Response:
    """Make a queue a pool with assignments again."""
    with writing() as db:
        line = pool_line(db, pool_id)
        queues.end_queue(db, here().id, line.name)
    notices.add(f"“{line.name}” is no longer a queue: assessors get every pair of their topics.")
    return _back(pool_id)


@blueprint.post("/give")
@organiser
def give(pool_id: int) -> Response:
    """Give all topics of the queue to the ticked assessors."""
    with errors_on(partial(index, pool_id), "Queue"), writing() as db:
        line = pool_line(db, pool_id)
        added = queues.give_queue(db, here().id, line.name, sent_numbers("assessor"))
    if added:
        notices.add(f"{counted(added, 'assignment')} added in “{line.name}”.")
    else:
        notices.add("All of these were already assigned.", "fair")
    return _back(pool_id)


@blueprint.post("/take-back")
@organiser
def take_back(pool_id: int) -> Response:
    """Take one pair back from an assessor, so that somebody else gets it."""
    with writing() as db:
        line = pool_line(db, pool_id)
        released = queues.take_back_pair(
            db,
            here().id,
            line.name,
            assessor_id=form_number("assessor") or 0,
            topic=sent_id("topic"),
            docno=sent_id("docno"),
        )
    if released:
        notices.add("Document released. Somebody else can get it.")
    else:
        notices.add("It was no longer out.", "fair")
    return _back(pool_id)


def _back(pool_id: int) -> Response:
    return go_to("queues.index", pool_id=pool_id)


def _values(db: Session, name: str) -> dict[str, int]:
    """The settings that the form shows."""
    values = queues.per_pair_of(db, here().id, name) or 1, queues.lease_of(db, here().id)
    return dict(zip(SETTINGS, values, strict=True))
