"""The overlap planner: how many pairs need several judgments, and drawing them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

from flask import Blueprint, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from workbench.agreement.sample_export import SIZES
from workbench.agreement.sample_request import (
    ADDRESS,
    MOST_ASSESSORS,
    OPTIONS,
    PLANNED,
    WEIGHTINGS,
    OptionKind,
    PlanOption,
    PlanRequest,
    plan_request,
)
from workbench.agreement.sample_size import Draw
from workbench.counts import counted
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.web import notices
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, status_of, whole_number
from workbench.web.requests import see_other, wants_fragment
from workbench.web.results import CampaignResult, MadeResult, ResultOption, result
from workbench.workflow.agreement.overlap import OverlapPlan, plan_export, plan_overlap
from workbench.workflow.agreement.overlap_drawing import DrawOrder, draw_overlap
from workbench.workflow.agreement.overlap_results import overlap_results
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.distribution import SEEDS
from workbench.workflow.people.assessors import assessors_of

blueprint = Blueprint("agreement_planner", __name__, url_prefix="/c/<slug>/agreement/overlap")
DRAWS: Mapping[Draw, tuple[str, str]] = {
    Draw.RANDOM: ("At random", "every pair judged by one person has the same chance"),
    Draw.LABEL: (
        "By the first label",
        "more of the labels that matter most; the result is reweighted to all pairs",
    ),
    Draw.TOPIC: ("By topic", "whole topics: the easiest to assign, but the most pairs"),
}
ASKED = (
    *(ResultOption(one.address, one.help, tuple(one.choices)) for one in OPTIONS.values() if one.address),
    ResultOption("from", "The lowest relevant grade; that of the scale if none is named"),
    ResultOption("graded", "Whether every grade counts", ("no", "yes")),
)
STEPS = 40
# The top of the plot, in requested half widths: few topics give many times as much.
_HIGHEST = 5


@blueprint.get("")
@organiser
def index() -> str | tuple[str, int]:
    """The planner, or for htmx the fragment that changes."""
    return _page()


@blueprint.get("/plan.<any(csv, tex, json):kind>")
@organiser
@result(CampaignResult("agreement.overlap", "The overlap planner", "a way to draw", ASKED))
def plan_file() -> MadeResult:
    """The plan as CSV, as LaTeX or as JSON."""
    with reading() as db:
        return MadeResult("overlap", plan_export(plan_overlap(db, here().id, read_request(request.args))))


@blueprint.post("/draw")
@organiser
def draw() -> Response | tuple[str, int]:
    """Draw an overlap into a pool of its own and assign it to the selected assessors."""
    form = request.form
    chosen = (whole_number(text) for text in form.getlist("assessor"))
    try:
        with writing() as db:
            order = DrawOrder(
                pairs=whole_number(form.get("pairs", "")) or 0,
                assessor_ids=[number for number in chosen if number is not None],
                draw=next((one for one in Draw if one == form.get("draw")), Draw.RANDOM),
                plan=read_request(form),
                seed=_seed(form),
            )
            done = draw_overlap(db, here().id, order, created_by=viewer().id)
    except WorkbenchError as error:
        page = _page(findings_of(error, "Draw", "draw"))
        return (page[0] if isinstance(page, tuple) else page), status_of(error)
    pool = done.pool.pool
    notices.add(
        f"{counted(pool.pairs, 'pair')} from {counted(done.topics, 'topic')} drawn into {pool.name!r} with "
        f"seed {done.seed} and assigned ({counted(done.assigned, 'assignment')})."
    )
    return see_other(url_for("pools.pool", pool_id=pool.id))


def _page(findings: tuple[Finding, ...] = ()) -> str | tuple[str, int]:
    sent = request.form if request.method == "POST" else request.args
    plan, status = None, 200
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        try:
            plan = plan_overlap(db, here().id, read_request(sent))
        except WorkbenchError as error:
            findings = (*findings, *findings_of(error, "Plan"))
            status = status_of(error)
        if wants_fragment():
            return render_template("agreement/_plan.html", **_shown(plan, findings, sent)), status
        people = [one for one in assessors_of(db, here().id) if one.assignable and not one.machine]
        results = overlap_results(db, here().id)
    page = render_template(
        "agreement/planner.html",
        scale=scale,
        people=people,
        results=results,
        draws_in_words=[(str(one), words) for one, (words, _) in DRAWS.items()],
        options=OPTIONS,
        coefficients=list(PLANNED.items()),
        weights=[(one, "none" if one == "nominal" else one) for one in WEIGHTINGS],
        seed=_seed(sent) or secrets.randbelow(SEEDS),
        most_assessors=MOST_ASSESSORS,
        **_shown(plan, findings, sent),
    )
    return page if status == 200 else (page, status)


def _shown(
    plan: OverlapPlan | None, findings: tuple[Finding, ...], sent: MultiDict[str, str]
) -> dict[str, Any]:
    return {
        "sent": sent,
        "plan": plan,
        "findings": findings,
        "plot": _plot(plan) if plan else None,
        "draws": DRAWS,
        "sizes": SIZES,
        "address": {name: sent[name] for name in ADDRESS if sent.get(name)},
    }


def read_request(sent: MultiDict[str, str]) -> PlanRequest:
    """What a form or an address asks of the planner; raises InvalidInput with every field that is wrong.

    An unknown coefficient or unknown weights are the usual ones; an empty field is not guessed.
    """
    findings: list[Finding] = []
    graded = sent.get("graded") == "yes"
    given: dict[str, Any] = {"graded": graded, "relevant_from": whole_number(sent.get("from", ""))}
    for name, option in OPTIONS.items():
        text = sent.get(option.address, "").strip()
        if option.kind is OptionKind.CHOICE:
            given[name] = text if text in option.choices else None
        elif text:
            try:
                given[name] = (
                    _number(text, option) if option.kind is OptionKind.NUMBER else _assessors(text, option)
                )
            except InvalidInput as error:
                findings += error.findings
    if findings:
        raise InvalidInput(findings)
    # All grades have no share of relevant, and two grades have only one weight.
    share = None if graded else given.get("shares")
    given["shares"] = None if share is None else (share, 1 - share)
    return plan_request(given if graded else {**given, "weights": None})


def _number(text: str, option: PlanOption) -> float:
    """A number or a percentage, with a point or a comma."""
    number = text.replace("−", "-").replace(",", ".")
    try:
        found = float(number.removesuffix("%")) / (100 if number.endswith("%") else 1)
    except ValueError:
        found = float("nan")
    if abs(found) < 1000:
        return found
    message = f"{option.what} cannot be {number!r}"
    raise InvalidInput([Finding("Plan", None, option.address, message, "give a number, as 0.05")])


def _assessors(text: str, option: PlanOption) -> int:
    number = whole_number(text)
    if number is not None and 2 <= number <= MOST_ASSESSORS:
        return number
    message = f"{text!r} assessors per pair cannot be planned for"
    raise InvalidInput([Finding("Plan", None, option.address, message, f"give 2 to {MOST_ASSESSORS}")])


def _seed(sent: MultiDict[str, str]) -> int | None:
    seed = whole_number(sent.get("seed", ""))
    return seed if seed is not None and 0 <= seed < SEEDS else None


def _plot(plan: OverlapPlan) -> dict[str, Any] | None:
    """The half width by the number of pairs, for every way of drawing."""
    sizes = [one.size for one in plan.planned]
    if any(one.pairs is None for one in sizes):
        return None
    asked = plan.request
    most = max(one.pairs or 0 for one in sizes) * 1.25
    steps = [most * step / STEPS for step in range(2, STEPS + 1)]
    return {
        "x": f"Pairs judged {'twice' if asked.assessors == 2 else f'by {asked.assessors}'}",
        "y": "Half width",
        "wished": asked.half_width,
        "lines": [
            {
                "name": DRAWS[one.draw][0],
                "needed": one.pairs,
                "points": [
                    [round(pairs), half_width]
                    for pairs in steps
                    if (half_width := one.half_width_of(pairs)) is not None
                    and half_width <= _HIGHEST * asked.half_width
                ],
            }
            for one in sizes
        ],
    }
