"""Assignments: topics, and comparisons side by side, given to assessors; reminders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, rejected
from workbench.figures import counted
from workbench.storage import Session
from workbench.tables import Export
from workbench.web import notices, paging
from workbench.web.access import here, organiser, reader
from workbench.web.context import (
    app_context,
    read_here,
    reading,
    reading_here,
    require_mail,
    write_here,
    writing,
)
from workbench.web.downloads import MadeResult, attachment, result
from workbench.web.forms import (
    Findings,
    accepted,
    errors_on,
    form_number,
    form_text,
    named,
    sent_id,
    sent_ids,
    sent_numbers,
    sent_text,
    whole_number,
)
from workbench.web.navigation import announce_step
from workbench.web.pages.pools.pools import pool_line
from workbench.web.paging import page_of_topics, place_sent
from workbench.web.requests import Reply, go_to, read_id
from workbench.workflow.campaigns.collection import topic_titles, topics_of
from workbench.workflow.judging import preference_tasks
from workbench.workflow.judging.assigned_work import given_topics
from workbench.workflow.judging.assignments import (
    AssignmentLine,
    Distribution,
    Given,
    assignments_of,
    distribute,
    loads_of,
    reassign,
)
from workbench.workflow.judging.assignments import in_turn as topics_in_turn
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.judging.preferences import (
    PreferenceResults,
    answers_export,
    preference_agreement_export,
    preference_answers,
    preference_lines,
    preference_results,
    rankings_export,
    runs_export,
)
from workbench.workflow.mail.queue import open_work, remind
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools.listing import pool_topics, pools_of
from workbench.workflow.runs.run_records import runs_of

blueprint = Blueprint("assignments", __name__, url_prefix="/c/<slug>/assignments")


MOST_PER_TOPIC = 100
MOST_LINES = 2000
"""Of assignments on a page: where a topic is given to hundreds of people, the page has fewer topics."""


@blueprint.get("")
@organiser
def index(findings: Findings = ()) -> str:
    """Who judges what in the pool of `?pool=`, else in the newest that is open."""
    with reading() as db:
        return _page(db, whole_number(sent_text("pool")), findings)


@blueprint.post("/turn")
@organiser
def in_turn() -> Response:
    """Distribute the topics over assessors."""
    with errors_on(index, "Assignments"):
        order = _order()
        per_topic = _number("per_topic", "Assessors per topic", 1, MOST_PER_TOPIC)
        again = _number("again", "Percentage of topics with one more assessor", 0, 100) / 100
        with writing() as db:
            line = pool_line(db, form_number("pool"))
            given = topics_in_turn(db, line.id, sent_numbers("assessor"), per_topic, again=again)
            added = distribute(db, Distribution(line.id, given, order))
    if added:
        announce_step(f"{counted(added, 'assignment')} added in “{line.name}”.")
    else:
        notices.add("All of these were already assigned.", "fair")
    return _back(line.id)


@blueprint.post("/topics")
@organiser
def by_hand() -> Response:
    """Assign what was ticked, and remove what was unticked, of the table that the form shows.

    What somebody else changed meanwhile stays as it is.
    """
    with errors_on(index, "Assignments"):
        ticked, before = _cells("cell"), _cells("had")
        added, removed = [one for one in ticked if one not in before], set(before) - set(ticked)
        with reading_here() as (db, campaign_id):
            line = pool_line(db, form_number("pool"))
            lines = assignments_of(db, campaign_id, topics={topic for topic, _ in removed}, pool_id=line.id)
            people = {one.name: one.id for one in assessors_of(db, campaign_id)}
        gone = [one.id for one in lines if (one.topic, people[one.assessor]) in removed]
        if not added and not gone:
            raise rejected("Table", None, "cell", "nothing was changed", "tick or untick boxes")
        order = _order()
        # All of the table or nothing: it is one page of topics.
        with writing() as db:
            distribution = Distribution(line.id, added, order)
            done = reassign(db, here().id, distribution, gone, rest="rest" in request.form)
    changes = [f"{counted(done, 'assignment')} added"] if done else []
    changes += [f"{counted(len(gone), 'assignment')} removed; judgments stay"] if gone else []
    announce_step(f"{', '.join(changes) or 'Nothing changed'} in “{line.name}”.")
    return _back(line.id)


def _order() -> OrderRule:
    rule = named(OrderRule, form_text("order"))
    if rule is None:
        raise rejected("Order", None, "order", "no order is selected", "select one")
    return rule


def _number(field: str, label: str, low: int, high: int) -> int:
    number = whole_number(form_text(field).strip() or str(low))
    if number is None or not low <= number <= high:
        raise rejected(label, None, field, f"{label} is not a whole number from {low} to {high}", "")
    return number


def _cells(name: str) -> list[Given]:
    """Topics, each with an assessor's number; a box holds `number:topic`."""
    boxes = (text.partition(":") for text in request.form.getlist(name))
    return [(read_id(topic), whole_number(number) or 0) for number, _, topic in boxes]


def _back(pool_id: int | None) -> Response:
    """To the topics from which a form was sent."""
    return go_to("assignments.index", pool=pool_id, **place_sent())


def _page(db: Session, pool_id: int | None, findings: Findings) -> str:
    made = pools_of(db, here().id)
    pools = tuple(one for one in made if not one.draft)
    assessors = [one for one in assessors_of(db, here().id) if one.assignable]
    typed = request.form
    shown = {
        "pools": pools,
        "assessors": assessors,
        "rules": tuple(OrderRule),
        "typed": typed,
        "cells": frozenset(typed.getlist("cell")) if "had" in typed or "cell" in typed else None,
        "chosen": set(sent_numbers("assessor")) if typed else {one.id for one in assessors if one.able},
        "findings": findings,
    }
    if not pools:
        return render_template("assignments/index.html", pool=None, drafts=made, **shown)
    newest = next((one for one in reversed(pools) if one.open), pools[-1])
    chosen = pool_line(db, pool_id) if pool_id is not None else newest
    line = newest if chosen.draft else chosen
    loads = loads_of(db, here().id, line.id)
    assigned = {
        one.topic: len(one.assessors) for one in given_topics(db, here().id) if one.pool_id == line.id
    }
    topics = pool_topics(db, here().id, line.name)
    page = page_of_topics(
        ((size.topic, size.title, size) for size in topics if size.pairs or size.topic in assigned),
        min(paging.A_PAGE, max(1, MOST_LINES // max(assigned.values(), default=1))),
    )
    listed = [size.topic for size in page.rows]
    lines = assignments_of(db, here().id, topics=listed, pool_id=line.id)
    of_anybody = {one.assessor for one in loads}
    return render_template(
        "assignments/index.html",
        pool=line,
        page=page,
        sizes=[size for size in page.rows if size.pairs],
        total=sum(assigned.values()),
        given=_given_by_topic(lines),
        # Who may not judge any more keeps a column as long as there is something to take back.
        people=tuple(one for one in assessors_of(db, here().id) if one.assignable or one.name in of_anybody),
        loads={one.assessor: one for one in loads},
        answered=sum(one.answered for one in loads),
        pairs=sum(one.pairs for one in loads),
        unassigned=sum(size.topic not in assigned for size in topics if size.pairs),
        **shown,
    )


def _given_by_topic(lines: Sequence[AssignmentLine]) -> dict[str, tuple[tuple[str, tuple[int, int]], ...]]:
    """To whom each topic is assigned, with how many pairs are answered, and how many there are."""
    by_topic: dict[str, dict[str, tuple[int, int]]] = {}
    for one in lines:
        by_topic.setdefault(one.topic, {})[one.assessor] = one.answered, one.pairs
    return {topic: tuple(given.items()) for topic, given in by_topic.items()}


preferences = Blueprint("preferences", __name__, url_prefix="/c/<slug>/preferences")
USUAL_BEST = 5
EXPORTS: dict[str, Callable[[PreferenceResults], Export]] = {
    "documents": rankings_export,
    "runs": runs_export,
    "agreement": preference_agreement_export,
}


@preferences.get("", endpoint="index")
@reader
def preferences_page(findings: Findings = ()) -> str:
    """The tasks, how far they are, and what came of them."""
    with reading_here() as (db, campaign_id):
        answers = preference_answers(db, campaign_id)
        tags = [run.tag for run in runs_of(db, campaign_id)]
        return render_template(
            "assignments/side_by_side.html",
            tasks=preference_tasks.tasks_of(db, campaign_id),
            answers=len(answers),
            results=preference_results(answers),
            assessors=[one for one in assessors_of(db, campaign_id) if one.assignable],
            topics=topics_of(db, campaign_id),
            runs=tags,
            # What was typed stays in the form that was refused.
            sent=str(request.endpoint).rpartition(".")[2],
            chosen_runs=_chosen_runs(tags),
            chosen_topics=set(sent_ids("topic")),
            chosen_assessors=set(request.form.getlist("assessor")),
            usual_best=USUAL_BEST,
            best=request.form.get("best", str(USUAL_BEST)),
            which=request.form.get("which", "best"),
            pairs=form_text("pairs"),
            findings=findings,
        )


@preferences.post("/documents")
@organiser
def documents() -> Reply:
    """Give pairs of documents: those listed, or every two of the best of each topic."""
    return _given(_documents)


@preferences.post("/runs")
@organiser
def runs() -> Reply:
    """Give two runs' answers to the chosen topics."""
    return _given(_runs)


@preferences.post("/<int:task_id>/revoke")
@organiser
def revoke(task_id: int) -> Response:
    """Take a task back."""
    write_here(preference_tasks.revoke_task, task_id)
    return accepted("Task removed. Its answers stay.", "preferences.index")


@preferences.get("/prefs.txt")
@reader
def as_prefs() -> Response:
    """Preferences between documents as trec_eval reads them."""
    with reading() as db:
        return attachment(preference_lines(db, here().id), f"{here().slug}.prefs")


@preferences.get("/<any(preferences, documents, runs, agreement):what>.<any(csv, json):kind>")
@reader
@result
def export(what: str) -> MadeResult:
    """Every answer with its reason, side and time, or one of the results."""
    answers = read_here(preference_answers)
    if what == "preferences":
        return MadeResult("preferences", answers_export(answers))
    return MadeResult(f"preferences.{what}", EXPORTS[what](preference_results(answers)))


def _given(give: Callable[[Session], int]) -> Response:
    with errors_on(preferences_page, "Tasks"), writing() as db:
        added = give(db)
    if added:
        others = 0 if form_text("which") == "pairs" else len(sent_ids("topic")) * len(_assessors()) - added
        rest = f" Not assigned: {others}, with nothing to compare or assigned before." if others > 0 else ""
        announce_step(f"{counted(added, 'task')} assigned.{rest}")
    else:
        notices.add(
            "Nothing new: already assigned, or nobody selected graded two documents of a topic as relevant.",
            "fair",
        )
    return go_to("preferences.index")


def _documents(db: Session) -> int:
    if form_text("which") == "best":
        count = whole_number(form_text("best").strip() or str(USUAL_BEST))
        if count is None:
            raise rejected("Best", None, "best", "not a number", "enter a whole number")
        return preference_tasks.compare_best(
            db, here().id, _topics(db), count=count, assessor_ids=_assessors()
        )
    pairs = read_pairs(sent_text("pairs"))
    return preference_tasks.compare_documents(db, here().id, pairs, assessor_ids=_assessors())


def _runs(db: Session) -> int:
    return preference_tasks.compare_runs(
        db,
        here().id,
        sent_id("first"),
        sent_id("second"),
        topics=_topics(db),
        assessor_ids=_assessors(),
    )


def read_pairs(text: str) -> dict[str, list[tuple[str, str]]]:
    """Pairs from lines of a topic and two docnos; raises InvalidInput with every line that is none."""
    pairs: dict[str, list[tuple[str, str]]] = {}
    findings = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split()
        if len(fields) == 3:
            pairs.setdefault(fields[0], []).append((fields[1], fields[2]))
        elif fields:
            findings.append(
                Finding("Pairs", number, "pairs", f"{len(fields)} words", "write a topic and two docnos")
            )
    if not pairs and not findings:
        findings.append(
            Finding("Pairs", None, "pairs", "no pair is given", "write a topic and two docnos per line")
        )
    if findings:
        raise InvalidInput(findings)
    return pairs


def _assessors() -> list[int]:
    chosen = [whole_number(text) for text in request.form.getlist("assessor")]
    if not chosen or None in chosen:
        raise rejected("Assessors", None, "assessor", "nobody is selected", "select one or more")
    return [number for number in chosen if number is not None]


def _chosen_runs(tags: Sequence[str]) -> dict[str, str]:
    usual = dict(zip(("first", "second"), tags, strict=False))
    return {name: sent_id(name) or tag for name, tag in usual.items()}


def _topics(db: Session) -> list[str]:
    chosen = sent_ids("topic")
    return chosen or list(topic_titles(db, here().id))


reminders = Blueprint("reminders", __name__, url_prefix="/c/<slug>/assignments/reminders")


@reminders.get("", endpoint="index")
@organiser
def reminders_page(findings: Findings = ()) -> str:
    """Who has how much left, and who can be reminded."""
    with reading() as db:
        return render_template(
            "assignments/reminders.html",
            lines=open_work(db, here().id),
            findings=findings,
            typed=request.form if findings else {},
            chosen=request.form.getlist("assessor") if findings else None,
        )


@reminders.post("")
@organiser
def send() -> Response:
    """Have the selected assessors reminded."""
    require_mail("ask an administrator to set it up")
    with errors_on(reminders_page):
        deadline = _deadline(form_text("deadline").strip())
        number = remind(
            app_context().database, here().id, set(sent_numbers("assessor")), deadline, writing=writing
        )
    return accepted(f"{counted(number, 'reminder')} will be sent within seconds.", "reminders.index")


def _deadline(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise rejected(
            "Deadline",
            None,
            "deadline",
            f"{text[:40]!r} is not a date",
            "write year, month and day, such as 2026-12-05",
        ) from None


BLUEPRINTS = (
    blueprint,
    preferences,
    reminders,
)
