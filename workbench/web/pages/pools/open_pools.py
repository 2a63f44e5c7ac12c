"""Pools from state to state, and what runs while one is judged: queues, adaptive pools, when to stop."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import WorkbenchError, rejected
from workbench.figures import counted
from workbench.learning.stopping import StoppingGoal
from workbench.pooling.strategies import LEARNER
from workbench.storage import Session
from workbench.tables import Export
from workbench.web import notices
from workbench.web.access import here, organiser, reader
from workbench.web.context import reading, reading_here, writing, writing_here
from workbench.web.downloads import MadeResult, result
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    findings_of,
    form_number,
    form_text,
    marks,
    merged,
    query_number,
    query_text,
    sent_id,
    sent_numbers,
    status_of,
)
from workbench.web.jobs import begin_learning, open_pool_soon, rebuild_pool_soon
from workbench.web.navigation import announce_step
from workbench.web.pages.pools.pools import pool_line, read_pool, write_pool
from workbench.web.requests import Reply, Values, go_to
from workbench.workflow.judging import queues
from workbench.workflow.judging.adaptive_handout import LEASE, live_report
from workbench.workflow.judging.queues import queue_report
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools import drafts
from workbench.workflow.pools.learner_pools import (
    advice_export,
    further_sample,
    learner_budget,
    pool_advice,
    raise_budget,
)
from workbench.workflow.pools.pool_log import TopicEvent
from workbench.workflow.pools.pool_rows import pool_events

states = Blueprint("pool_states", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>")


@states.get("/open")
@organiser
def confirm_opening(pool_id: int) -> str | Response:
    """Ask for confirmation, with the consequences; of a pool that is already open, its page."""
    with reading() as db:
        line = pool_line(db, pool_id)
        if not line.draft:
            return _to_the_pool(pool_id)
        found = drafts.before_opening(db, here().id, line.name)
    return render_template("pools/open.html", found=found, pool=found.pool)


@states.post("/open")
@organiser
def open_(pool_id: int) -> Response:
    """Open a draft for judging, if it is still as it was shown."""
    with reading() as db:
        line = pool_line(db, pool_id)
    opened = open_pool_soon(line.name, seen=request.form.get("sha256"))
    if opened:
        if line.strategy == LEARNER.name:
            begin_learning(here().id)
        announce_step(f"Pool “{line.name}” is open for judging.")
    else:
        notices.add(f"Pool “{line.name}” was already open.", "fair")
    return _to_the_pool(pool_id)


@states.get("/close")
@organiser
def confirm_closing(pool_id: int) -> str | Response:
    """Ask for confirmation, with the consequences; of a pool that cannot be closed, its page."""
    with reading() as db:
        line = pool_line(db, pool_id)
        if not line.open:
            return _to_the_pool(pool_id)
        found = drafts.before_closing(db, here().id, line.name)
    return render_template("pools/close.html", found=found, pool=found.pool)


@states.post("/close")
@organiser
def close(pool_id: int) -> Response:
    """Close a pool permanently."""
    line, closed = write_pool(pool_id, drafts.close_pool)
    if closed:
        notices.add(f"Pool “{line.name}” is closed.")
    else:
        notices.add(f"Pool “{line.name}” was already closed.", "fair")
    return _to_the_pool(pool_id)


@states.get("/draft")
@organiser
def draft(pool_id: int, findings: Findings = ()) -> str | Response:
    """Rename, rebuild or delete a draft; of a pool that is no longer a draft, its page."""
    with reading() as db:
        line = pool_line(db, pool_id)
        if not line.draft:
            return _to_the_pool(pool_id)
        found = drafts.before_opening(db, here().id, line.name)
    return render_template(
        "pools/draft.html",
        pool=line,
        found=found,
        name=request.form.get("name", line.name),
        findings=findings,
    )


@states.post("/rename")
@organiser
def rename(pool_id: int) -> Reply:
    """Rename a draft."""
    try:
        with writing() as db:
            line = pool_line(db, pool_id)
            drafts.rename_draft(db, here().id, line.name, form_text("name"))
            renamed = pool_line(db, pool_id).name
    except WorkbenchError as error:
        page = draft(pool_id, findings_of(error, "Name", "name"))
        if isinstance(page, Response):
            raise
        return page, status_of(error)
    notices.add(f"The draft was renamed to “{renamed}”.")
    return _to_the_pool(pool_id)


@states.post("/rebuild")
@organiser
def rebuild(pool_id: int) -> Response:
    """Rebuild a draft by its recipe; what was added by hand is kept."""
    with reading() as db:
        line = pool_line(db, pool_id)
    done = rebuild_pool_soon(line.name)
    changes = f"{counted(done.entered, 'pair')} added, {done.left:,} removed"
    kept = f", {done.kept:,} added by hand kept" if done.kept else ""
    notices.add(f"“{line.name}” was rebuilt: {changes}{kept}.")
    return _to_the_pool(done.pool.pool.id)


@states.post("/delete")
@organiser
def delete(pool_id: int) -> Response:
    """Delete a draft."""
    line, _ = write_pool(pool_id, drafts.delete_draft)
    return accepted(f"The draft “{line.name}” was deleted.", "pools.index")


def _to_the_pool(pool_id: int) -> Response:
    return go_to("pools.pool", pool_id=pool_id)


SETTINGS = ("per_pair", "lease_minutes")
given_queues = Blueprint("queues", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/queue")


@given_queues.get("", endpoint="index")
@organiser
def queues_page(pool_id: int, findings: Findings = ()) -> str:
    """How far the queue has come and who has what; of another pool, what it means to make it one."""
    with reading_here() as (db, campaign_id):
        line = pool_line(db, pool_id)
        per_pair, settings = queues.per_pair_of(db, campaign_id, line.name), _values(db, line.name)
        return render_template(
            "pools/queue.html",
            pool=line,
            report=queue_report(db, campaign_id, line.name) if per_pair else None,
            settings=settings,
            was=marks(settings),
            assessors=[one for one in assessors_of(db, campaign_id) if one.assignable],
            typed=request.form,
            findings=findings,
        )


@given_queues.post("", endpoint="make")
@organiser
def make_queues(pool_id: int) -> Response:
    """Make a pool a queue, or change how many judgments it asks for and how long a lease is."""
    with errors_on(partial(queues_page, pool_id), "Queue", "per_pair"), writing_here() as (db, campaign_id):
        line = pool_line(db, pool_id)
        typed = {name: form_number(name) or 0 for name in SETTINGS}
        found = merged(typed, _values(db, line.name))
        queues.make_queue(db, campaign_id, line.name, found["per_pair"])
        queues.set_lease(db, campaign_id, found["lease_minutes"])
    asked = counted(found["per_pair"], "judgment")
    notices.add(f"“{line.name}” is now a queue: {asked} per pair.")
    return _to_the_queues(pool_id)


@given_queues.post("/end")
@organiser
def end(pool_id: int) -> Response:
    """Make a queue a pool with assignments again."""
    line, _ = write_pool(pool_id, queues.end_queue)
    notices.add(f"“{line.name}” is no longer a queue: assessors get every pair of their topics.")
    return _to_the_queues(pool_id)


@given_queues.post("/give")
@organiser
def give(pool_id: int) -> Response:
    """Give all topics of the queue to the ticked assessors."""
    with errors_on(partial(queues_page, pool_id), "Queue"):
        line, added = write_pool(pool_id, queues.give_queue, sent_numbers("assessor"))
    if added:
        notices.add(f"{counted(added, 'assignment')} added in “{line.name}”.")
    else:
        notices.add("All of these were already assigned.", "fair")
    return _to_the_queues(pool_id)


@given_queues.post("/take-back")
@organiser
def take_back(pool_id: int) -> Response:
    """Take one pair back from an assessor, so that somebody else gets it."""
    _, released = write_pool(
        pool_id,
        queues.take_back_pair,
        assessor_id=form_number("assessor") or 0,
        topic=sent_id("topic"),
        docno=sent_id("docno"),
    )
    if released:
        notices.add("Document released. Somebody else can get it.")
    else:
        notices.add("It was no longer out.", "fair")
    return _to_the_queues(pool_id)


def _to_the_queues(pool_id: int) -> Response:
    return go_to("queues.index", pool_id=pool_id)


def _values(db: Session, name: str) -> dict[str, int]:
    """The settings that the form shows."""
    values = queues.per_pair_of(db, here().id, name) or 1, queues.lease_of(db, here().id)
    return dict(zip(SETTINGS, values, strict=True))


_REASONS = ("origin", "round", "rank", "score")
adaptive = Blueprint("live_pools", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/live")


@adaptive.get("", endpoint="index")
@reader
def adaptive_page(pool_id: int) -> str:
    """How far an adaptive pool has come."""
    line, report = read_pool(pool_id, live_report)
    hours = int(LEASE.total_seconds()) // 3600
    return render_template("pools/adaptive.html", pool=line, report=report, lease_hours=hours)


@adaptive.get("/events.<any(csv, tsv, json):kind>")
@reader
@result
def events(pool_id: int) -> MadeResult:
    """The events: topic, number, what happened, docno, relevance, assessor, moment.

    Of a learner's pool also why a document was handed out: origin, round, rank and score.
    """
    line, found = read_pool(pool_id, pool_events)
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


FURTHER = 100
"""So many further random documents are looked at unless the reader asks for others."""
RECALLS, CONFIDENCES = (0.7, 0.8, 0.9, 0.95), (0.9, 0.95, 0.99)
stopping = Blueprint("stopping", __name__, url_prefix="/c/<slug>/pools/<int:pool_id>/stopping")


@stopping.get("", endpoint="index")
@reader
def stopping_page(pool_id: int) -> str:
    """Estimated recall of every topic, and how many rules would have stopped."""
    goal = _goal()
    with reading_here() as (db, campaign_id):
        line = pool_line(db, pool_id)
        return render_template(
            "pools/stopping.html",
            pool=line,
            topics=pool_advice(db, campaign_id, line.name, goal),
            budget=learner_budget(db, campaign_id, line.name),
            **_choices(goal),
        )


@stopping.post("/budget")
@organiser
def budget(pool_id: int) -> Response:
    """Let the pool hand out more documents of each topic."""
    number = form_number("budget")
    write_pool(pool_id, raise_budget, number or 0)
    return accepted(
        f"Up to {number:,} documents of each topic are judged now.", "stopping.index", pool_id=pool_id
    )


@stopping.get("/topic", endpoint="topic")
@reader
def stopping_topic(pool_id: int) -> str:
    """A topic: found against read, what each rule says and assumes, what a further sample would buy."""
    goal, further = _goal(), query_number("further") or FURTHER
    line, (one,) = read_pool(pool_id, pool_advice, goal, [sent_id("topic")])
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


@stopping.get("/table.<any(csv, json):kind>")
@reader
@result
def table_file(pool_id: int) -> MadeResult:
    """Every topic with every rule, as CSV or JSON; of one topic alone if it is named."""
    named = [sent_id("topic")] if request.args.get("topic") else []
    line, topics = read_pool(pool_id, pool_advice, _goal(), named)
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
