"""The influence of disputed pairs on the ranking, computed step by step while the queue is shown."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.pages.adjudication.queue import adjudicator, queue_choice
from workbench.workflow.adjudication.disputes import renew_influence

blueprint = Blueprint("influence", __name__, url_prefix="/c/<slug>/adjudication/influence")


@blueprint.get("")
@adjudicator
def step() -> str:
    """Go one step in computing the influence, and say how far it is; the page asks until it is known."""
    with reading() as db:
        progress = renew_influence(db, here().id)
    return render_template(
        "adjudication/_influence.html", progress=progress, chosen=queue_choice(topic="topic"), at=None
    )
