"""Home: the campaigns in which the viewer has a role."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.web.access import signed_in, viewer
from workbench.web.context import reading
from workbench.workflow.overview import campaigns_of

blueprint = Blueprint("campaigns", __name__)


@blueprint.get("/")
@signed_in
def index() -> str:
    """The list of campaigns."""
    with reading() as db:
        cards = campaigns_of(db, viewer().id)
    return render_template("home/index.html", cards=cards)
