"""Side by side, for the assessor: left, right, tie or both bad, by a button or its key."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import NotFound
from workbench.web.access import here, member, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import form_number, form_text, whole_number
from workbench.web.requests import Values, go_to, wants_fragment
from workbench.workflow.judging.desk_settings import SIDE_ANSWERS, side_keys_of
from workbench.workflow.judging.preference_desk import SideBySide, choose, side_by_side, undo_choice
from workbench.workflow.judging.preference_tasks import require_task, tasks_of
from workbench.workflow.judging.preferences import SideAnswer
from workbench.workflow.people.membership import Role

blueprint = Blueprint("side_by_side", __name__, url_prefix="/c/<slug>/side-by-side")


@blueprint.get("")
@member(Role.ASSESSOR)
def index() -> str:
    """What this assessor has to compare."""
    with reading() as db:
        return render_template(
            "side_by_side/index.html", tasks=tasks_of(db, here().id, account_id=viewer().id)
        )


@blueprint.get("/<int:task_id>")
@member(Role.ASSESSOR)
def desk(task_id: int) -> str:
    """The pair with the number in the address, or the next one without an answer."""
    text = request.args.get("pair")
    number = None if text is None else whole_number(text)
    if text is not None and number is None:
        raise NotFound("this task has no such pair", remedy="open it again")
    return _desk(task_id, number)


@blueprint.post("/<int:task_id>")
@member(Role.ASSESSOR)
def answer(task_id: int) -> Response:
    """Record which side is better, and go on; the desk's script sends its answers as events instead."""
    active = form_text("active_ms")
    with writing() as db:
        require_task(db, here().id, task_id)
        given = SideAnswer(
            number=form_number("pair") or 0,
            choice=form_text("said"),
            client_id=form_text("client_id"),
            reason=form_text("reason"),
            active_ms=int(active) if active.isascii() and active.isdigit() and len(active) < 12 else None,
        )
        choose(db, task_id, viewer().id, given)
    return go_to("side_by_side.desk", task_id=task_id)


@blueprint.post("/<int:task_id>/undo")
@member(Role.ASSESSOR)
def undo(task_id: int) -> Response:
    """Withdraw the latest answer and go back to its pair."""
    with writing() as db:
        require_task(db, here().id, task_id)
        number = undo_choice(db, task_id, viewer().id, client_id=form_text("client_id"))
    return go_to("side_by_side.desk", task_id=task_id, pair=number)


def _desk(task_id: int, number: int | None) -> str:
    with reading() as db:
        require_task(db, here().id, task_id)
        shown = side_by_side(db, task_id, viewer().id, number=number)
        keys = side_keys_of(db, viewer().id)
    return render_template(
        "side_by_side/_desk.html" if wants_fragment() else "side_by_side/desk.html",
        shown=shown,
        facts=_facts(shown),
        keys=keys,
        side_answers=SIDE_ANSWERS,
    )


def _facts(shown: SideBySide) -> Values:
    """What the desk's script works with."""
    listed = url_for("side_by_side.index")
    return {
        "task": shown.task_id,
        "account": viewer().key,
        "number": shown.number,
        "pairs": shown.pairs,
        "answered": [{"pair": number, "said": choice} for number, choice in shown.answered],
        "addresses": {
            "desk": url_for("side_by_side.desk", task_id=shown.task_id),
            "events": url_for("desk.events"),
            "list": listed,
            "sign_in": url_for("entrance.sign_in", next=listed),
        },
    }
