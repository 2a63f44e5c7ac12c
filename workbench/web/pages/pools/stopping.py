"""When to stop in a learner's pool: estimated recall, and what each stopping rule says; nobody is stopped."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.learning.stopping import StoppingGoal
from workbench.web.access import here, organiser, reader
from workbench.web.context import reading, writing
from workbench.web.forms import accepted, form_number, query_number, query_text, sent_id
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.requests import Values
from workbench.web.results import MadeResult, result
from workbench.workflow.pools.learner_pools import (
    advice_export,
    further_sample,
    learner_budget,
    pool_advice,
    raise_budget,
)

FURTHER = 100
"""So many further random documents are looked at unless the reader asks for others."""
RECALLS, CONFIDENCES = (0.7, 0.8, 0.9, 0.95), (0.9, 0.95, 0.99)
blueprint = Blueprint("stopping", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/stopping")


@blueprint.get("")
@reader
def index(pool_id: int) -> str:
    """Estimated recall of every topic, and how many rules would have stopped."""
    goal = _goal()
    with reading() as db:
        line = pool_line(db, pool_id)
        return render_template(
            "pools/stopping.html",
            pool=line,
            topics=pool_advice(db, here().id, line.name, goal),
            budget=learner_budget(db, here().id, line.name),
            **_choices(goal),
        )


@blueprint.post("/budget")
@organiser
def budget(pool_id: int) -> Response:
    """Let the pool hand out more documents of each topic."""
    number = form_number("budget")
    with writing() as db:
        line = pool_line(db, pool_id)
        raise_budget(db, here().id, line.name, number or 0)
    return accepted(
        f"Up to {number:,} documents of each topic are judged now.", "stopping.index", pool_id=pool_id
    )


@blueprint.get("/topic")
@reader
def topic(pool_id: int) -> str:
    """A topic: found against read, what each rule says and assumes, what a further sample would buy."""
    goal, further = _goal(), query_number("further") or FURTHER
    with reading() as db:
        line = pool_line(db, pool_id)
        (one,) = pool_advice(db, here().id, line.name, goal, [sent_id("topic")])
    return render_template(
        "pools/topic_stopping.html",
        pool=line,
        of=one,
        more=further_sample(one.advice, further),
        further=further,
        plot={
            "x": "Documents read",
            "y": "Relevant documents found",
            "lines": [{"name": "found", "points": one.curve}],
            "mark": one.curve[-1][0],
        },
        **_choices(goal),
    )


@blueprint.get("/table.<any(csv, json):kind>")
@reader
@result
def table_file(pool_id: int) -> MadeResult:
    """Every topic with every rule, as CSV or JSON; of one topic alone if it is named."""
    with reading() as db:
        line = pool_line(db, pool_id)
        named = [sent_id("topic")] if request.args.get("topic") else []
        topics = pool_advice(db, here().id, line.name, _goal(), named)
    return MadeResult(f"{line.name}.stopping", advice_export(topics))


def _goal() -> StoppingGoal:
    try:
        return StoppingGoal(
            float(query_text("recall") or StoppingGoal().recall),
            float(query_text("confidence") or StoppingGoal().confidence),
        )
    except ValueError:
        raise rejected(
            "Goal", None, "recall", "the goal is not a number", "give numbers between 0 and 1"
        ) from None


def _choices(goal: StoppingGoal) -> Values:
    """The goal and those to choose from, its own among them."""
    return {
        "goal": goal,
        "recalls": sorted({*RECALLS, goal.recall}),
        "confidences": sorted({*CONFIDENCES, goal.confidence}),
    }
