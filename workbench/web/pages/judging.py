"""Judging: one's topics, and the desk on which one document after the other is judged.

htmx gets the two pieces of the desk that change, everybody else a 303 to the desk.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, make_response, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from workbench.errors import Finding, InvalidInput
from workbench.records import Answer as Said
from workbench.web.access import here, member, viewer
from workbench.web.door import adaptive_states, reading, writing
from workbench.web.ids import read_id, write_id
from workbench.web.requests import see_other, wants_fragment
from workbench.workflow import judging, worklists
from workbench.workflow.handing_out import hand_out, prepare_handing_out
from workbench.workflow.membership import require_assignment
from workbench.workflow.roles import Role

blueprint = Blueprint("judging", __name__, url_prefix="/c/<slug>/judge")


@dataclass(frozen=True, slots=True)
class Reason:
    """A usual reason for which a document cannot be judged, with its key."""

    key: str
    value: str
    label: str


REASONS = (
    Reason("1", "broken", "Broken or garbled"),
    Reason("2", "wrong language", "In a language I do not read"),
    Reason("3", "empty", "Empty or missing"),
)


@dataclass(frozen=True, slots=True)
class Sent:
    """An answer as a form brings it."""

    docno: str
    answer: Said
    grade: int | None
    reason: str
    client_id: str
    active_ms: int | None
    shown_sha256: str | None


@blueprint.get("")
@member(Role.ASSESSOR)
def index() -> str:
    """The topics that this assessor has to judge."""
    with reading() as db:
        lines = worklists.worklist(db, here().id, viewer().id)
    return render_template("judging/index.html", lines=lines)


@blueprint.get("/<int:assignment_id>")
@member(Role.ASSESSOR)
def desk(assignment_id: int) -> str | Response:
    """The desk with the document named in the address, or the next one without an answer."""
    wanted = request.args.get("docno")
    return _desk(assignment_id, read_id(wanted) if wanted is not None else None)


@blueprint.post("/<int:assignment_id>/answer")
@member(Role.ASSESSOR)
def answer(assignment_id: int) -> str | Answer:
    """Record an answer and go on to the next document."""
    sent = _sent()
    with writing() as db:
        require_assignment(db, here().id, assignment_id)
        judging.record(
            db,
            assignment_id,
            viewer().id,
            docno=sent.docno,
            answer=sent.answer,
            grade=sent.grade,
            reason=sent.reason,
            client_id=sent.client_id,
            active_ms=sent.active_ms,
            shown_sha256=sent.shown_sha256,
        )
    if wants_fragment():
        return _desk(assignment_id, None)
    return see_other(_address(assignment_id, None))


@blueprint.post("/<int:assignment_id>/undo")
@member(Role.ASSESSOR)
def undo(assignment_id: int) -> str | Answer:
    """Withdraw the latest answer and go back to its document."""
    with writing() as db:
        require_assignment(db, here().id, assignment_id)
        docno = judging.undo(db, assignment_id, viewer().id, client_id=request.form.get("client_id", ""))
    if wants_fragment():
        return _desk(assignment_id, docno)
    return see_other(_address(assignment_id, docno))


@blueprint.get("/<int:assignment_id>/answers")
@member(Role.ASSESSOR)
def answers(assignment_id: int) -> str:
    """What this assessor said in this topic so far; `?only=unsure` leaves one kind of answer."""
    only = request.args.get("only", "")
    with reading() as db:
        require_assignment(db, here().id, assignment_id)
        shown = judging.desk(db, assignment_id, viewer().id)
        lines = worklists.answers(db, assignment_id, viewer().id)
    kept = tuple(line for line in lines if not only or line.answer == only)
    return render_template("judging/answers.html", desk=shown, lines=kept, only=only, kinds=tuple(Said))


def _desk(assignment_id: int, docno: str | None) -> Response:
    with reading() as db:
        require_assignment(db, here().id, assignment_id)
        shown = judging.desk(db, assignment_id, viewer().id, docno=docno)
        waits = shown.waits and prepare_handing_out(db, adaptive_states(), assignment_id, viewer().id)
    if waits:
        with writing() as db:
            hand_out(db, adaptive_states(), assignment_id, viewer().id)
            shown = judging.desk(db, assignment_id, viewer().id)
    template = "judging/_pieces.html" if wants_fragment() else "judging/desk.html"
    response = make_response(render_template(template, desk=shown, reasons=REASONS))
    if wants_fragment():
        # Loading the page anew shows what is on the desk now, not the document with which it was opened.
        response.headers["HX-Replace-Url"] = _address(assignment_id, docno)
    return response


def _address(assignment_id: int, docno: str | None) -> str:
    wanted = write_id(docno) if docno is not None else None
    return url_for("judging.desk", assignment_id=assignment_id, docno=wanted)


def _sent() -> Sent:
    form = request.form
    said = form.get("answer", "")
    if said.isascii() and said.isdigit() and len(said) < 6:
        kind, grade = Said.GRADE, int(said)
    elif said in {Said.UNSURE, Said.CANNOT_JUDGE}:
        kind, grade = Said(said), None
    else:
        raise InvalidInput([Finding("Answer", None, "answer", "the form has no answer", "use its buttons")])
    active = form.get("active_ms", "")
    return Sent(
        docno=read_id(form.get("docno", "")),
        answer=kind,
        grade=grade,
        reason=form.get("reason", "").strip() or ("other" if kind is Said.CANNOT_JUDGE else ""),
        client_id=form.get("client_id", ""),
        active_ms=int(active) if active.isascii() and active.isdigit() and len(active) < 12 else None,
        shown_sha256=form.get("shown_sha256") or None,
    )
