"""Answers that arrived and could not be recorded: the organiser records or dismisses each."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.figures import counted
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, accepted, errors_on, form_text, sent_numbers
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.unrecorded import Settlement, settle, unrecorded_lines

blueprint = Blueprint("kept_aside", __name__, url_prefix="/c/<slug>/judgments/kept-aside")
DONE = {Settlement.RECORDED: "recorded", Settlement.DISMISSED: "dismissed"}


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """The unrecorded answers: who said what, why it was not recorded, when."""
    with reading() as db:
        lines = unrecorded_lines(db, here().id)
        scale = campaign_of(db, here().id).scale
    return render_template(
        "judgments/unrecorded.html",
        waiting=[line for line in lines if line.settlement is None],
        settled=[line for line in reversed(lines) if line.settlement is not None],
        scale=scale,
        findings=findings,
    )


@blueprint.post("")
@organiser
def act() -> Response:
    """Record or dismiss the selected ones and all of the selected assessors, as they arrived."""
    settlement = Settlement.RECORDED if form_text("act") == "record" else Settlement.DISMISSED
    numbers = set(sent_numbers("kept"))
    people = set(request.form.getlist("person"))
    if people:
        with reading() as db:
            lines = unrecorded_lines(db, here().id)
        numbers |= {one.id for one in lines if one.settlement is None and one.person in people}
    with errors_on(index, "Answers", "kept"):
        if not numbers:
            raise rejected("Answers", None, "kept", "nothing is selected", "select one or more")
        with writing() as db:
            for number in sorted(numbers):
                settle(db, here().id, number, viewer().id, settlement=settlement)
    return accepted(f"{counted(len(numbers), 'answer')} {DONE[settlement]}.", "kept_aside.index")
