"""Assignments: which assessors judge which topics of a pool, by hand or distributed automatically."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.counts import counted
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.storage import Session
from workbench.web import notices, paging
from workbench.web.access import here, organiser
from workbench.web.context import app_context, reading, writing
from workbench.web.forms import findings_of, status_of, whole_number
from workbench.web.ids import read_id
from workbench.web.pages.overview.steps import announce_step
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.paging import page_of_topics, place_sent
from workbench.web.requests import see_other
from workbench.web.trail import in_portions
from workbench.workflow.judging import assignments
from workbench.workflow.judging.assignments import AssignmentLine, assignments_of, loads_of
from workbench.workflow.judging.distribution import Distribution, Given, distribute_in_portions
from workbench.workflow.judging.distribution import in_turn as topics_in_turn
from workbench.workflow.judging.given_topics import given_topics
from workbench.workflow.judging.order import OrderRule
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools.listing import PoolLine, pool_topics, pools_of

blueprint = Blueprint("assignments", __name__, url_prefix="/c/<slug>/assignments")


MOST_LINES = 2000
"""Of assignments on a page: where a topic is given to hundreds of people, the page has fewer topics."""


@dataclass(frozen=True, slots=True)
class OrderChoice:
    """In which order assessors are to see their pairs."""

    rule: OrderRule
    seed: int | None


@blueprint.get("")
@organiser
def index() -> str:
    """Who judges what in the pool of `?pool=`, else in the newest that is open."""
    with reading() as db:
        return _page(db, whole_number(request.args.get("pool", "")))


@blueprint.post("/turn")
@organiser
def in_turn() -> Response | tuple[str, int]:
    """Distribute the topics over assessors."""
    pool_id = whole_number(request.form.get("pool", ""))
    try:
        order, per_topic = _order(), whole_number(request.form.get("per_topic", ""))
        if per_topic is None or per_topic < 1:
            raise InvalidInput(
                [Finding("Assessors per topic", None, "per_topic", "not a number", "1 or more")]
            )
        chosen = [number for text in request.form.getlist("assessor") if (number := whole_number(text))]
        with reading() as db:
            line = pool_line(db, here().id, pool_id)
            given = topics_in_turn(db, line.id, chosen, per_topic)
        added = _distribute(Distribution(line.id, given, order.rule, order.seed))
    except WorkbenchError as error:
        return _refused(error, pool_id)
    return _given(added, line)


@blueprint.post("/topics")
@organiser
def by_hand() -> Response | tuple[str, int]:
    """Assign the selected topics to the assessors in whose columns they are."""
    pool_id = whole_number(request.form.get("pool", ""))
    try:
        order, given = _order(), _cells()
        if not given:
            raise InvalidInput([Finding("Table", None, "cell", "nothing is selected", "select one or more")])
        with reading() as db:
            line = pool_line(db, here().id, pool_id)
        added = _distribute(Distribution(line.id, given, order.rule, order.seed))
    except WorkbenchError as error:
        return _refused(error, pool_id)
    return _given(added, line)


@blueprint.post("/revoke")
@organiser
def revoke() -> Response:
    """Remove an assignment; its judgments stay."""
    with writing() as db:
        assignments.revoke(db, here().id, whole_number(request.form.get("assignment", "")) or 0)
    notices.add("Assignment removed. Its judgments stay.")
    return _back(whole_number(request.form.get("pool", "")))


def _order() -> OrderChoice:
    findings: list[Finding] = []
    rule = next((one for one in OrderRule if one == request.form.get("order")), None)
    if rule is None:
        findings.append(Finding("Order", None, "order", "no order is selected", "select one"))
    typed = request.form.get("seed", "").strip()
    seed = whole_number(typed)
    if typed and (seed is None or seed < 0):
        wrong = Finding(
            "Seed", None, "seed", "the seed is not a whole number", "0 or more, or leave it empty"
        )
        findings.append(wrong)
    if findings or rule is None:
        raise InvalidInput(findings)
    return OrderChoice(rule, seed)


def _cells() -> list[Given]:
    """The ticked topics, each with the assessor's number; a box holds `number:topic`."""
    boxes = (text.partition(":") for text in request.form.getlist("cell"))
    return [(read_id(topic), whole_number(number) or 0) for number, _, topic in boxes]


def _distribute(distribution: Distribution) -> int:
    with in_portions():
        return distribute_in_portions(app_context().database, distribution, writing=writing)


def _given(added: int, line: PoolLine) -> Response:
    if added:
        announce_step(f"{counted(added, 'assignment')} added in “{line.name}”.")
    else:
        notices.add("All of these were already assigned.", "fair")
    return _back(line.id)


def _back(pool_id: int | None) -> Response:
    """To the topics from which a form was sent."""
    return see_other(url_for("assignments.index", pool=pool_id, **place_sent()))


def _refused(error: WorkbenchError, pool_id: int | None) -> tuple[str, int]:
    with reading() as db:
        return _page(db, pool_id, findings_of(error, "Assignments")), status_of(error)


def _page(db: Session, pool_id: int | None, findings: tuple[Finding, ...] = ()) -> str:
    made = pools_of(db, here().id)
    pools = tuple(one for one in made if not one.draft)
    assessors = [one for one in assessors_of(db, here().id) if one.assignable]
    typed = request.form
    shown = {
        "pools": pools,
        "assessors": assessors,
        "rules": tuple(OrderRule),
        "typed": typed,
        "cells": frozenset(typed.getlist("cell")),
        "chosen": {int(text) for text in typed.getlist("assessor") if text.isascii() and text.isdigit()}
        if typed
        else {one.id for one in assessors if one.able},
        "findings": findings,
    }
    if not pools:
        return render_template("assignments/index.html", pool=None, drafts=made, **shown)
    newest = next((one for one in reversed(pools) if one.open), pools[-1])
    chosen = pool_line(db, here().id, pool_id) if pool_id is not None else newest
    line = newest if chosen.draft else chosen
    loads = loads_of(db, here().id, line.id)
    assigned = {
        one.topic: len(one.assessors) for one in given_topics(db, here().id) if one.pool_id == line.id
    }
    page = page_of_topics(
        (
            (size.topic, size.title, size)
            for size in pool_topics(db, here().id, line.name)
            if size.pairs or size.topic in assigned
        ),
        min(paging.A_PAGE, max(1, MOST_LINES // max(assigned.values(), default=1))),
    )
    listed = [size.topic for size in page.rows]
    lines = assignments_of(db, here().id, topics=listed, pool_id=line.id)
    return render_template(
        "assignments/index.html",
        pool=line,
        page=page,
        sizes=[size for size in page.rows if size.pairs],
        total=sum(assigned.values()),
        lines=lines,
        given=_given_by_topic(lines),
        people=tuple((one.id, one.name) for one in assessors),
        loads=loads,
        **shown,
    )


def _given_by_topic(lines: Sequence[AssignmentLine]) -> dict[str, tuple[tuple[str, tuple[int, int]], ...]]:
    """To whom each topic is assigned, with how many pairs are answered, and how many there are."""
    by_topic: dict[str, dict[str, tuple[int, int]]] = {}
    for one in lines:
        by_topic.setdefault(one.topic, {})[one.assessor] = one.answered, one.pairs
    return {topic: tuple(given.items()) for topic, given in by_topic.items()}
