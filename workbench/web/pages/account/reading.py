"""How documents look to this account: a page that works by itself, and what the desk's box sends."""

from __future__ import annotations

from flask import Blueprint, render_template, request

from workbench.errors import InvalidInput
from workbench.web.access import signed_in, viewer
from workbench.web.context import writing
from workbench.web.forms import accepted
from workbench.web.requests import Reply, from_htmx
from workbench.workflow.judging.desk_settings import TEXT_OPTIONS, save_text_settings

blueprint = Blueprint("desk_text", __name__, url_prefix="/account/text")


@blueprint.get("")
@signed_in
def index() -> str:
    """The choices, with a document to try them on."""
    return render_template("account/reading.html")


@blueprint.post("")
@signed_in
def choose() -> Reply:
    """Keep what was chosen; a script is told only that it was."""
    sent = {choice.name: request.form[choice.name] for choice in TEXT_OPTIONS if choice.name in request.form}
    try:
        with writing() as db:
            save_text_settings(db, viewer().id, sent)
    except InvalidInput:
        if not from_htmx():
            raise
        return "", 422
    if from_htmx():
        return "", 204
    return accepted("Reading settings saved.", "desk_text.index")
