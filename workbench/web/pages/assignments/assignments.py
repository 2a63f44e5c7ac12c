"""Assignments: which assessors judge which topics of a pool, by hand or distributed automatically."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import rejected
from workbench.figures import counted
from workbench.storage import Session
from workbench.web import notices, paging
from workbench.web.access import here, organiser
from workbench.web.context import reading, writing
from workbench.web.forms import (
    Findings,
    errors_on,
    form_number,
    form_text,
    named,
    sent_numbers,
    sent_text,
    whole_number,
)
from workbench.web.ids import read_id
from workbench.web.pages.overview.steps import announce_step
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.paging import page_of_topics, place_sent
from workbench.web.requests import go_to
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
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools.listing import pool_topics, pools_of

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
        again = _number("again", "Judged once more", 0, 100) / 100
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
        with reading() as db:
            line = pool_line(db, form_number("pool"))
            lines = assignments_of(db, here().id, topics={topic for topic, _ in removed}, pool_id=line.id)
            people = {one.name: one.id for one in assessors_of(db, here().id)}
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
