"""Adaptive pools at work: what is out with whom, what was found, and the events for other programs."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.tables import Export
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.results import MadeResult, result
from workbench.workflow.judging.adaptive_handout import LEASE, live_report
from workbench.workflow.pools.pool_log import TopicEvent
from workbench.workflow.pools.pool_rows import pool_events

_REASONS = ("origin", "round", "rank", "score")
blueprint = Blueprint("live_pools", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/live")


@blueprint.get("")
@reader
def index(pool_id: int) -> str:
    """How far an adaptive pool has come."""
    with reading() as db:
        line = pool_line(db, pool_id)
        report = live_report(db, here().id, line.name)
    hours = int(LEASE.total_seconds()) // 3600
    return render_template("pools/adaptive.html", pool=line, report=report, lease_hours=hours)


@blueprint.get("/events.<any(csv, tsv, json):kind>")
@reader
@result
def events(pool_id: int) -> MadeResult:
    """The events: topic, number, what happened, docno, relevance, assessor, moment.

    Of a learner's pool also why a document was handed out: origin, round, rank and score.
    """
    with reading() as db:
        line = pool_line(db, pool_id)
        found = pool_events(db, here().id, line.name)
    columns = ("topic", "number", "happening", "docno", "relevant", "assessor", "at", *_REASONS)

    return MadeResult(
        f"{line.name}.events",
        Export(columns, lambda: map(_cells, found), lambda: [_object(one) for one in found]),
    )


def _cells(event: TopicEvent) -> tuple[object, ...]:
    relevant = None if event.relevant is None else int(event.relevant)
    assessor = " ".join((event.assessor or "").split())
    return tuple({**_object(event), "relevant": relevant, "assessor": assessor}.values())


def _object(event: TopicEvent) -> dict[str, object]:
    return {
        "topic": event.topic,
        "number": event.number,
        "happening": event.happening,
        "docno": event.docno,
        "relevant": event.relevant,
        "assessor": event.assessor,
        "at": event.at.isoformat(),
        **{name: getattr(event.reason, name, None) for name in _REASONS},
    }
