"""Answers that arrived and could not be recorded: the organiser records or dismisses each."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, WorkbenchError
from workbench.figures import counted
from workbench.web import notices
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, status_of, whole_number
from workbench.web.requests import see_other
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.unrecorded import Settlement, settle, unrecorded_lines

blueprint = Blueprint("kept_aside", __name__, url_prefix="/c/<slug>/judgments/kept-aside")
DONE = {Settlement.RECORDED: "recorded", Settlement.DISMISSED: "dismissed"}


@blueprint.get("")
@organiser
def index() -> str:
    """The unrecorded answers: who said what, why it was not recorded, when."""
    return _page()


@blueprint.post("")
@organiser
def act() -> Response | tuple[str, int]:
    """Record or dismiss the selected ones and all of the selected assessors, as they arrived."""
    settlement = Settlement.RECORDED if request.form.get("act") == "record" else Settlement.DISMISSED
    numbers = {number for text in request.form.getlist("kept") if (number := whole_number(text)) is not None}
    people = set(request.form.getlist("person"))
    if people:
        with reading() as db:
            lines = unrecorded_lines(db, here().id)
        numbers |= {one.id for one in lines if one.settlement is None and one.person in people}
    if not numbers:
        nothing = Finding("Answers", None, "kept", "nothing is selected", "select one or more")
        return _page((nothing,)), 422
    try:
        with writing() as db:
            for number in sorted(numbers):
                settle(db, here().id, number, viewer().id, settlement=settlement)
    except WorkbenchError as error:
        return _page(findings_of(error, "Answers", "kept")), status_of(error)
    notices.add(f"{counted(len(numbers), 'answer')} {DONE[settlement]}.")
    return see_other(url_for("kept_aside.index"))


def _page(findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        lines = unrecorded_lines(db, here().id)
        scale = campaign_of(db, here().id).scale
    waiting = [line for line in lines if line.settlement is None]
    settled = [line for line in reversed(lines) if line.settlement is not None]
    return render_template(
        "judgments/unrecorded.html", waiting=waiting, settled=settled, scale=scale, findings=findings
    )
