"""What reading at the desk asks of the server: own words, and near-duplicates beside each other."""

from __future__ import annotations

from flask import Blueprint, jsonify, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import InvalidInput, NotFound
from workbench.web.access import member, viewer
from workbench.web.forms import sent_words
from workbench.web.pages.judging.preparing import reading_of, writing_of
from workbench.web.requests import Reply, read_id
from workbench.workflow.judging.desk_settings import own_words, save_own_words
from workbench.workflow.judging.near_duplicates import compare_texts
from workbench.workflow.people.roles import Role

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
