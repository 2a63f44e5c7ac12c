"""What reading at the desk asks of the server: own words, and near-duplicates beside each other."""

from __future__ import annotations

from flask import Blueprint, jsonify, request
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput
from workbench.web.access import here, member, viewer
from workbench.web.door import reading, writing
from workbench.workflow.membership import require_assignment
from workbench.workflow.own_words import keep_own_words, own_words
from workbench.workflow.roles import Role

blueprint = Blueprint("reading", __name__, url_prefix="/c/<slug>/judge/<int:assignment_id>")
Answer = Response | tuple[Response, int]


@blueprint.get("/words")
@member(Role.ASSESSOR)
def words(assignment_id: int) -> Answer:
    """The words that this assessor highlights in this topic, as `{"words": [...]}`."""
    with reading() as db:
        require_assignment(db, here().id, assignment_id)
        return jsonify(words=own_words(db, assignment_id, viewer().id))


@blueprint.put("/words")
@member(Role.ASSESSOR)
def keep_words(assignment_id: int) -> Answer:
    """Keep the words of a body like that of `words`, and answer with them as they are kept."""
    sent = request.get_json(silent=True)
    wanted = sent.get("words") if isinstance(sent, dict) else None
    try:
        if not isinstance(wanted, list):
            raise InvalidInput([Finding("My words", None, "words", "the body is no list of words")])
        with writing() as db:
            require_assignment(db, here().id, assignment_id)
            kept = keep_own_words(db, assignment_id, viewer().id, wanted)
    except InvalidInput as error:
        return jsonify(error=str(error)), 422
    return jsonify(words=kept)
