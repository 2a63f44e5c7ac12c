"""Agreement by topic: dots with intervals and their table, and the pairs of a topic that are disputed."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.agreement.topics import BY_TOPIC, FEWEST, what_would_define
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.context import reading
from workbench.web.downloads import export_file
from workbench.web.forms import sent_id
from workbench.web.pages.agreement.page import (
    TABLE,
    WHOSE,
    Choice,
    read_choice,
    report_asked,
    report_for_file,
    report_page,
)
from workbench.web.readers import reader
from workbench.workflow.agreement.export import topics_export
from workbench.workflow.agreement.topics import TopicsReport, agreement_by_topic, disputed_pairs, labels
from workbench.workflow.campaigns.campaigns import campaign_of

blueprint = Blueprint("agreement_topics", __name__, url_prefix="/c/<slug>/agreement/topics")


@blueprint.get("")
@reader
def index() -> str:
    """Every topic's agreement, lowest first; `?by=` names the coefficient."""
    asked = report_asked(_report)
    return report_page(
        "agreement/topics.html",
        asked,
        by=_by(),
        labels=labels(),
        whose=WHOSE,
        plot=_plot(asked.report) if asked.report else {},
        what_would_define=what_would_define,
        fewest=FEWEST,
    )


@blueprint.get(TABLE)
@reader
def table(kind: str) -> Response:
    """Every topic as CSV with all digits, as LaTeX or as JSON."""
    taken = topics_export(report_for_file(_report))
    return export_file(taken, kind, f"{here().slug}.agreement.topics")


@blueprint.get("/pairs")
@reader
def pairs() -> str:
    """The pairs of a topic on which assessors differ; `?topic=` names it."""
    topic = sent_id("topic")
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        choice = read_choice(scale)
        disputed = disputed_pairs(
            db, here().id, topic, relevant_from=choice.relevant_from, machines=choice.machines
        )
    return render_template("agreement/topic_pairs.html", disputed=disputed, scale=scale, choice=choice)


def _by() -> str:
    wanted = request.args.get("by", "")
    return wanted if wanted in BY_TOPIC else "pooled"


def _report(db: Session, choice: Choice) -> TopicsReport:
    return agreement_by_topic(
        db,
        here().id,
        by=_by(),
        relevant_from=choice.relevant_from,
        graded=choice.graded,
        machines=choice.machines,
    )


def _plot(report: TopicsReport) -> dict[str, Any]:
    """A dot with its interval for every topic that has a value, and the mean over them."""
    at = BY_TOPIC.index(report.by)
    rows = [
        {
            "name": line.topic,
            "note": line.title,
            "value": line.found.coefficients[at].value,
            "low": line.found.intervals[at].low,
            "high": line.found.intervals[at].high,
            "n": line.found.n,
        }
        for line in report.lines
        if line.found.coefficients[at].value is not None
    ]
    return {"x": labels()[report.by], "rows": rows, "mark": report.means[at].value, "marked": "mean"}
