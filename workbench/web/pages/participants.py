"""What participants see: the task, which is topics and guidelines, and the runs of their groups."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.web.access import here, participant
from workbench.web.context import read_here, reading_here
from workbench.web.downloads import attachment
from workbench.web.pages.run_records import ParticipantFace, serve_records
from workbench.web.pages.run_uploads import serve_uploads
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles, topics_of
from workbench.workflow.runs.own_runs import own_runs
from workbench.workflow.runs.run_rules import rules_of
from workbench.workflow.runs.uploads import waiting_batches

_task = Blueprint("task", __name__, url_prefix="/c/<slug>/task")


@_task.get("", endpoint="index")
@participant
def task() -> str:
    """The topics with their statements, and the guidelines of the assessors."""
    with reading_here() as (db, campaign_id):
        made = campaign_of(db, campaign_id)
        return render_template(
            "task/index.html", topics=topics_of(db, campaign_id), guidelines=made.guidelines, scale=made.scale
        )


@_task.get("/topics.jsonl")
@participant
def topics_file() -> Response:
    """The topics as JSON lines, which the loading of topics reads as well."""
    topics = read_here(topics_of)
    lines = (
        json.dumps(
            {
                "id": topic.id,
                "title": topic.title,
                "description": topic.description,
                "narrative": topic.narrative,
            },
            ensure_ascii=False,
        ).encode("utf-8", "surrogateescape")
        + b"\n"
        for topic in topics
    )
    return attachment(lines, f"{here().slug}.topics.jsonl", kind="application/x-ndjson")


_FACE = ParticipantFace()
_runs = Blueprint("own_runs", __name__, url_prefix="/c/<slug>/own-runs")
_uploads = Blueprint("own_checks", __name__, url_prefix="/c/<slug>/own-runs/checked")
serve_uploads(_uploads, _FACE)
serve_records(_runs, _FACE, file="/run/file", removal="/run/withdraw")

BLUEPRINTS = (_task, _uploads, _runs)


@_runs.get("", endpoint="index")
@participant
def runs() -> str:
    """The runs of the participant's groups, and the form for more."""
    with reading_here() as (db, campaign_id):
        sender = _FACE.sender(db)
        rules = rules_of(db, campaign_id)
        return render_template(
            "my_runs/index.html",
            runs=own_runs(db, campaign_id, sender),
            groups=sender.groups,
            batches=waiting_batches(db, campaign_id, sender),
            topics=len(topic_titles(db, campaign_id)),
            rules=rules,
            closed=rules.last_day is not None and rules.last_day < datetime.now(UTC).date(),
            own=True,
        )
