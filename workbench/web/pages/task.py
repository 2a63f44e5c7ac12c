"""The task: what a participant needs to make runs, which is the topics and the guidelines, no more."""

from __future__ import annotations

import json

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.web.access import here, participant
from workbench.web.context import read_here, reading_here
from workbench.web.downloads import attachment
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topics_of

blueprint = Blueprint("task", __name__, url_prefix="/c/<slug>/task")


@blueprint.get("")
@participant
def index() -> str:
    """The topics with their statements, and the guidelines of the assessors."""
    with reading_here() as (db, campaign_id):
        made = campaign_of(db, campaign_id)
        return render_template(
            "task/index.html", topics=topics_of(db, campaign_id), guidelines=made.guidelines, scale=made.scale
        )


@blueprint.get("/topics.jsonl")
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
