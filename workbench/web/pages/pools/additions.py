"""Documents that the organiser adds to a topic of a pool by hand, and removes again."""

from __future__ import annotations

import io
from functools import partial
from typing import BinaryIO, cast

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Conflict, rejected
from workbench.figures import counted
from workbench.formats.identifiers import read_docnos
from workbench.web import notices
from workbench.web.access import organiser, viewer
from workbench.web.context import reading_here
from workbench.web.forms import Findings, errors_on, form_text, sent_id
from workbench.web.pages.pools.pools import pool_line, write_pool
from workbench.web.rendering import plain_words
from workbench.web.requests import go_to, write_id
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.additions import (
    AddedDocuments,
    Additions,
    add_documents,
    judged_additions,
    remove_addition,
    removed_additions,
)
from workbench.workflow.pools.listing import pool_entries

PASTED = "Docnos"


def read_additions() -> Additions:
    """What the form sent; raises InvalidInput, also where a file and typed docnos are both sent."""
    typed = form_text("docnos")
    file = next((one for one in request.files.getlist("file") if one.filename), None)
    if file is not None and typed.strip():
        raise rejected(PASTED, None, "docnos", "both docnos and a file were sent", "send only one of them")
    if file is not None:
        source = plain_words((file.filename or "").replace("\\", "/").rpartition("/")[2])[-200:] or "file"
        stream = cast(BinaryIO, file.stream)
    elif typed.strip():
        source, stream = PASTED, io.BytesIO(typed.encode("utf-8", "surrogateescape"))
    else:
        raise rejected(
            PASTED,
            None,
            "docnos",
            "no docno was sent",
            "enter one or more, or choose a file with one per line",
        )
    return Additions(read_docnos(stream, source=source), form_text("reason"), source)


def announce_added(added: AddedDocuments, *, pools: bool = True) -> None:
    """Tell on the next page what was added and what was skipped, with the `pools` that have the latter."""
    kind = "good" if added.added else "fair"
    if added.added:
        notices.add(f"{counted(len(added.added), 'document')} added.", kind)
    if added.passed:
        names = sorted({one.pool for one in added.passed}) if pools else []
        where = f" ({', '.join(names)})" if names else ""
        number = counted(len(added.passed), "document is", "documents are")
        some = ", ".join(one.docno for one in added.passed[:5])
        end = " …" if len(added.passed) > 5 else "."
        notices.add(f"{number} already pooled{where} and skipped: {some}{end}", kind)
    if added.without_text:
        number = counted(len(added.without_text), "has", "have")
        notices.add(f"{number} no text yet and cannot be judged.", kind)


blueprint = Blueprint("additions", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/added")


@blueprint.get("")
@organiser
def index(pool_id: int, findings: Findings = ()) -> str:
    """What was added to the topic of `?topic=`, and the form for more."""
    topic_id = sent_id("topic")
    with reading_here() as (db, campaign_id):
        line = pool_line(db, pool_id)
        entries = pool_entries(db, campaign_id, line.name, topic=topic_id)
        return render_template(
            "pools/additions.html",
            pool=line,
            topic=topic_id,
            title=topic_titles(db, campaign_id).get(topic_id, ""),
            entries=[entry for entry in entries if entry.added is not None],
            judged=judged_additions(db, campaign_id, line.name, topic=topic_id),
            removed=removed_additions(db, campaign_id, line.name, topic=topic_id),
            typed=request.form,
            findings=findings,
        )


@blueprint.post("")
@organiser
def add(pool_id: int) -> Response:
    """Add documents to the topic; all of them, or none."""
    topic = sent_id("topic")
    with errors_on(partial(index, pool_id), "Docnos", "docnos"):
        additions = read_additions()
        _, added = write_pool(pool_id, add_documents, topic, additions, added_by=viewer().id)
    announce_added(added)
    return _back(pool_id, topic)


@blueprint.post("/out")
@organiser
def remove(pool_id: int) -> Response:
    """Remove what was added and nobody has judged."""
    topic, docno = sent_id("topic"), sent_id("docno")
    try:
        write_pool(pool_id, remove_addition, topic=topic, docno=docno, by=viewer().id)
    except Conflict as error:
        notices.add(f"Not removed: {error.message}.", "poor")
    else:
        notices.add(f"{docno} was removed from the pool.")
    return _back(pool_id, topic)


def _back(pool_id: int, topic: str) -> Response:
    return go_to("additions.index", pool_id=pool_id, topic=write_id(topic))
