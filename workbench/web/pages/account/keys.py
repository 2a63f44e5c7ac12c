"""The keys of an account's judging desk, by what they do."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.web import notices
from workbench.web.access import signed_in, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import Findings, errors_on, form_text, sent_text
from workbench.web.requests import safe_next, see_other
from workbench.workflow.judging.desk_settings import COMMANDS, GRADES, SIDE_ANSWERS, chosen_keys, save_keys

blueprint = Blueprint("desk_keys", __name__, url_prefix="/account/keys")
SHOWN_GRADES = GRADES[:4]


@blueprint.get("")
@signed_in
def index() -> str:
    """The keys as they are now."""
    with reading() as db:
        chosen = chosen_keys(db, viewer().id)
    return _page(chosen)


@blueprint.post("")
@signed_in
def choose() -> Response:
    """Save the keys, or restore the defaults."""
    names = [command.name for command in (*COMMANDS, *SIDE_ANSWERS)] + list(GRADES)
    typed = {} if form_text("act") == "reset" else {name: sent_text(name) for name in names}
    with errors_on(partial(_page, typed)), writing() as db:
        save_keys(db, viewer().id, typed)
    notices.add("Keys saved." if typed else "Default keys restored.")
    return see_other(safe_next(form_text("next")) or url_for("desk_keys.index"))


def _page(typed: dict[str, str], findings: Findings = ()) -> str:
    return render_template(
        "account/keys.html",
        commands=COMMANDS,
        side_answers=SIDE_ANSWERS,
        # A scale may have more grades than most: those whose key somebody chose are shown as well.
        grades=[name for name in GRADES if name in SHOWN_GRADES or typed.get(name)],
        typed=typed,
        findings=findings,
        next=safe_next(request.values.get("next")),
    )
