"""Adaptive pools at work: what is out with whom, what was found, and the events for other programs."""

from __future__ import annotations

import json

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.downloads import attachment, tsv_file
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.workflow.judging.adaptive_handout import LEASE
from workbench.workflow.judging.adaptive_report import live_report
from workbench.workflow.pools.adaptive_pools import PoolEventLine, pool_events

_REASONS = ("origin", "round", "rank", "score")
blueprint = Blueprint("live_pools", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/live")


@blueprint.get("")
@reader
def index(pool_id: int) -> str:
    """How far an adaptive pool has come."""
    with reading() as db:
        line = pool_line(db, here().id, pool_id)
        report = live_report(db, here().id, line.name)
    hours = int(LEASE.total_seconds()) // 3600
    return render_template("pools/adaptive.html", pool=line, report=report, lease_hours=hours)


@blueprint.get("/events.tsv")
@reader
def events_tsv(pool_id: int) -> Response:
    """The events, one a line: topic, number, what happened, docno, relevance, assessor, moment.

    Of a learner's pool also why a document was handed out: origin, round, rank and score.
    """
    name, events = _events(pool_id)
    columns = ("topic", "number", "happening", "docno", "relevant", "assessor", "at", *_REASONS)
    return tsv_file(columns, map(_cells, events), f"{here().slug}.{name}.events.tsv")


@blueprint.get("/events.json")
@reader
def events_json(pool_id: int) -> Response:
    """The events as a JSON array; undecodable bytes of ids are escaped as lone surrogates."""
    name, events = _events(pool_id)
    content = json.dumps([_object(event) for event in events], ensure_ascii=True).encode() + b"\n"
    return attachment(content, f"{here().slug}.{name}.events.json", kind="application/json")


def _events(pool_id: int) -> tuple[str, tuple[PoolEventLine, ...]]:
    with reading() as db:
        line = pool_line(db, here().id, pool_id)
        return line.name, pool_events(db, here().id, line.name)


def _cells(event: PoolEventLine) -> tuple[object, ...]:
    relevant = None if event.relevant is None else int(event.relevant)
    assessor = " ".join((event.assessor or "").split())
    return (
        event.topic,
        event.number,
        event.happening,
        event.docno,
        relevant,
        assessor,
        event.at.isoformat(),
        *(getattr(event.reason, name, None) for name in _REASONS),
    )


def _object(event: PoolEventLine) -> dict[str, object]:
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
