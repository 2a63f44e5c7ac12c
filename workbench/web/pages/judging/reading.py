"""What reading at the desk asks of the server: own words, and near-duplicates beside each other.

Before a desk is shown the next documents are handed out, and sketches for the near-duplicates are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from flask import Blueprint, jsonify, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import InvalidInput, NotFound
from workbench.storage import Session
from workbench.web.access import here, member, viewer
from workbench.web.context import adaptive_states, reading, writing
from workbench.web.forms import sent_words
from workbench.web.jobs import begin_learning
from workbench.web.requests import Reply, read_id
from workbench.workflow.judging.desk_settings import own_words, save_own_words
from workbench.workflow.judging.near_duplicates import compare_texts, keep_sketches, missing_sketches
from workbench.workflow.judging.task import hand_out_next, prepare_next
from workbench.workflow.people.membership import Role, require_assignment

blueprint = Blueprint("reading", __name__, url_prefix="/c/<slug>/judge/<int:assignment_id>")


@blueprint.get("/words")
@member(Role.ASSESSOR)
def words(assignment_id: int) -> Response:
    """The words that this assessor highlights in this topic, as `{"words": [...]}`."""
    with reading_of(assignment_id) as db:
        return jsonify(words=own_words(db, assignment_id, viewer().id))


@blueprint.put("/words")
@member(Role.ASSESSOR)
def keep_words(assignment_id: int) -> Reply:
    """Keep the words of a body like that of `words`, and answer with them as they are kept."""
    try:
        sent = sent_words()
        with writing_of(assignment_id) as db:
            kept = save_own_words(db, assignment_id, viewer().id, sent)
    except InvalidInput as error:
        return jsonify(error=str(error)), 422
    return jsonify(words=kept)


@blueprint.get("/compare")
@member(Role.ASSESSOR)
def compare_two(assignment_id: int) -> str:
    """Two documents of one's own part, and where they differ: `?docno=…&docno=…`."""
    docnos = [read_id(text) for text in request.args.getlist("docno")]
    if len(docnos) != 2:
        raise NotFound("two documents are compared", remedy="name each by docno=")
    with reading_of(assignment_id) as db:
        compared = compare_texts(db, assignment_id, viewer().id, *docnos)
    return render_template("reading/compare.html", compared=compared, assignment_id=assignment_id)


@contextmanager
def reading_of(assignment_id: int) -> Iterator[Session]:
    """A transaction that reads, for an assignment of this campaign; raises NotFound for any other."""
    with reading() as db:
        require_assignment(db, here().id, assignment_id)
        yield db


@contextmanager
def writing_of(assignment_id: int) -> Iterator[Session]:
    """The same that writes."""
    with writing() as db:
        require_assignment(db, here().id, assignment_id)
        yield db


def prepare_desk(assignment_id: int) -> None:
    """See to it that the viewer has the next document of an assignment, if there is one to be had.

    Raises NotFound where the assignment is none of this campaign's, is not the viewer's or was taken back.
    """
    with reading_of(assignment_id) as db:
        waits = prepare_next(db, adaptive_states(), assignment_id, viewer().id)
    for campaign_id in adaptive_states().learners.take_due():
        begin_learning(campaign_id)
    if waits and here().archived_at is None:
        with writing() as db:
            hand_out_next(db, adaptive_states(), assignment_id, viewer().id)


def make_sketches(assignment_id: int, *, first: Iterable[str] = ()) -> None:
    """Have the sketches of the viewer's part made and kept where they are lacking, some at a time.

    Those of the documents that are asked for come `first`. Raises NotFound for an assignment that is not the
    viewer's in this campaign: whoever calls this need not look.
    """
    with reading_of(assignment_id) as db:
        if here().archived_at is not None:
            return
        made = missing_sketches(db, assignment_id, viewer().id, first=first)
    if made:
        with writing() as db:
            keep_sketches(db, assignment_id, viewer().id, made)
