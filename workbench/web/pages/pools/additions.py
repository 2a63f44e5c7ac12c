"""Documents that the organiser brings to a topic of a pool by hand, and takes out again."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Conflict, Finding, WorkbenchError
from workbench.web import notices
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, sent_id, status_of
from workbench.web.ids import write_id
from workbench.web.pages.pools.docno_form import added_in_words, read_additions
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.requests import see_other
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.pools.additions import add_by_hand
from workbench.workflow.pools.pool_pairs import pool_entries
from workbench.workflow.pools.taken_out import answered_additions, take_out, taken_out

blueprint = Blueprint("additions", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/added")


@blueprint.get("")
@organiser
def index(pool_id: int) -> str:
    """What was added to the topic of `?topic=`, and the form for more."""
    return _page(pool_id)


@blueprint.post("")
@organiser
def add(pool_id: int) -> Response | tuple[str, int]:
    """Add documents to the topic; all of them, or none."""
    topic = sent_id("topic")
    try:
        sent = read_additions()
        with writing() as db:
            added = add_by_hand(
                db,
                here().id,
                pool_line(db, here().id, pool_id).name,
                topic=topic,
                docnos=sent.docnos,
                reason=sent.reason,
                added_by=viewer().id,
                source=sent.source,
            )
    except WorkbenchError as error:
        return _page(pool_id, findings_of(error, "Docnos", "docnos")), status_of(error)
    for sentence in added_in_words(added, pools=True):
        notices.add(sentence, "good" if added.added else "fair")
    return _back(pool_id, topic)


@blueprint.post("/out")
@organiser
def out(pool_id: int) -> Response:
    """Take out what was added and nobody has judged."""
    topic, docno = sent_id("topic"), sent_id("docno")
    try:
        with writing() as db:
            line = pool_line(db, here().id, pool_id)
            take_out(db, here().id, line.name, topic=topic, docno=docno, by=viewer().id)
    except Conflict as error:
        notices.add(f"Not taken out: {error.message}.", "poor")
    else:
        notices.add(f"{docno} is taken out of the pool.")
    return _back(pool_id, topic)


def _back(pool_id: int, topic: str) -> Response:
    return see_other(url_for("additions.index", pool_id=pool_id, topic=write_id(topic)))


def _page(pool_id: int, findings: tuple[Finding, ...] = ()) -> str:
    wanted = sent_id("topic")
    with reading() as db:
        line = pool_line(db, here().id, pool_id)
        entries = pool_entries(db, here().id, line.name, topic=wanted)
        gone = taken_out(db, here().id, line.name, topic=wanted)
        answered = answered_additions(db, here().id, line.name, topic=wanted)
        title = next((topic.title for topic in topics_of(db, here().id) if topic.id == wanted), "")
    return render_template(
        "pools/additions.html",
        pool=line,
        topic=wanted,
        title=title,
        entries=[entry for entry in entries if entry.added is not None],
        answered=answered,
        taken_out=gone,
        typed=request.form,
        findings=findings,
    )
