"""The influence of disputed pairs on the ranking of a large campaign, computed while its queue is shown."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.forms import query_number
from workbench.web.jobs import begin
from workbench.web.pages.adjudication.queue import adjudicator, queue_choice
from workbench.workflow.adjudication.disputes import influence_arguments
from workbench.workflow.adjudication.influence import JOB
from workbench.workflow.jobs import job_of

blueprint = Blueprint("influence", __name__, url_prefix="/c/<slug>/adjudication/influence")


@blueprint.get("")
@adjudicator
def compute() -> str:
    """Have the influence computed, or say of the job that computes it how far it is, or that it is known."""
    with reading() as db:
        begun = query_number("job")
        found = job_of(db, begun) if begun else None
        arguments = influence_arguments(db, here().id) if found is None else {}
    if found is None or found.campaign_id != here().id or found.kind != JOB:
        found = begin(JOB, arguments)
    return render_template("adjudication/_influence.html", job=found, chosen=queue_choice(topic="topic"))
