"""One run, topic by topic; `?tag=` names it."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.consensus.rules import RULES
from workbench.errors import NotFound
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import sent_id
from workbench.web.pages.scores.form import score_form
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.scores.score_table import score_runs

blueprint = Blueprint("run_scores", __name__, url_prefix="/c/<slug>/scores/run")


@blueprint.get("")
@reader
def index() -> str:
    """One run topic by topic."""
    tag = sent_id("tag")
    with reading() as db:
        form = score_form(db)
        if tag not in {one.tag for one in form.runs}:
            raise NotFound(f"there is no run {tag!r} in this campaign")
        table = score_runs(db, here().id, choice=form.rule.choice, measures=form.measures, tags=[tag])
        titles = {topic.id: topic.title for topic in topics_of(db, here().id)}
    return render_template(
        "scores/run.html", form=form, rules=RULES, table=table, scores=table.runs[0], titles=titles
    )
