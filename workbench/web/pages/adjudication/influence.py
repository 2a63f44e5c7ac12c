"""The influence of disputed pairs on the ranking of a large campaign, computed while its queue is shown."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.pages.adjudication.queue import adjudicator, queue_choice
from workbench.workflow.adjudication.disputes import compute_influence

blueprint = Blueprint("influence", __name__, url_prefix="/c/<slug>/adjudication/influence")


@blueprint.get("")
@adjudicator
def compute() -> str:
    """Compute the influence, and say that it is known."""
    with reading() as db:
        compute_influence(db, here().id)
    return render_template("adjudication/_influence.html", known=True, chosen=queue_choice(topic="topic"))
