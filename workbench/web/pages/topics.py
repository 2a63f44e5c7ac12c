"""The topics of a campaign: the list, loading, and one topic's statement."""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.errors import NotFound
from workbench.figures import counted
from workbench.formats.text_formats import in_words
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.web.access import here, organiser, reader
from workbench.web.context import reading_here, writing
from workbench.web.forms import Findings, announce, announce_notes, errors_on, sent_files, sent_id, with_each
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.navigation import next_way
from workbench.web.paging import page_of_topics
from workbench.web.requests import go_to
from workbench.workflow.adjudication.decisions import unclear_of_topic
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import Loaded, load_topics, topics_of
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.overview.progress import overview, topic_progress

blueprint = Blueprint("topics", __name__, url_prefix="/c/<slug>/topics")


@blueprint.get("")
@reader
@made_by_job_if_large
def index(findings: Findings = ()) -> str:
    """The list of topics."""
    with reading_here() as (db, campaign_id):
        view = overview(db, campaign_id)
        return render_template(
            "topics/index.html",
            page=page_of_topics((one.topic, one.title, one) for one in view.by_topic),
            scale=campaign_of(db, campaign_id).scale,
            formats=in_words(TOPIC_FORMATS),
            findings=findings,
        )


@blueprint.post("")
@organiser
def load() -> Response:
    """Load topics from files; all of them, or none."""
    notes: list[str] = []
    with errors_on(index, "Topics"):
        # Read before the database is held: who saves meanwhile must not wait for a long file.
        read = with_each(sent_files(), lambda name, stream: read_topics(stream, source=name, notes=notes))
        with writing() as db:
            done = with_each(read, lambda name, found: load_topics(db, here().id, found, source=name))
    announce_notes(notes)
    announce([(name, loaded_in_words(loaded, "topic")) for name, loaded in done], next_way())
    return go_to("topics.index")


@blueprint.get("/topic")
@reader
def topic() -> str:
    """One topic's statement, and how far its judging is; `?topic=` names it."""
    topic_id = sent_id("topic")
    with reading_here() as (db, campaign_id):
        found = next((one for one in topics_of(db, campaign_id) if one.id == topic_id), None)
        if found is None:
            raise NotFound(f"there is no topic {topic_id!r} in this campaign")
        return render_template(
            "topics/topic.html",
            topic=found,
            state=topic_progress(db, campaign_id, topic_id),
            assignments=assignments_of(db, campaign_id, topics=[topic_id]),
            scale=campaign_of(db, campaign_id).scale,
            unclear=unclear_of_topic(db, campaign_id, topic_id),
        )


def loaded_in_words(loaded: Loaded, noun: str) -> str:
    """What loading a file did, in a line."""
    parts = [
        f"{number:,} {what}"
        for number, what in (
            (loaded.added, "new"),
            (loaded.changed, "changed"),
            (loaded.unchanged, "unchanged"),
            (loaded.passed_over, "not in any pool and skipped"),
        )
        if number
    ]
    return f"{counted(loaded.read, noun)} read: {', '.join(parts)}."
