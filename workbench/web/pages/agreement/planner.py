"""The overlap planner: how many pairs need several judgments, and drawing them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response

from workbench.agreement.sample_export import SIZES
from workbench.agreement.sample_model import MOST_ASSESSORS
from workbench.agreement.sample_request import WEIGHTINGS, Target
from workbench.agreement.sample_size import LEVEL, Draw
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.records import Scale
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.downloads import export_file
from workbench.web.forms import counted, findings_of, status_of, whole_number
from workbench.web.requests import see_other, wants_fragment
from workbench.workflow.agreement.overlap import HALF_WIDTH, OverlapPlan, plan_export, plan_overlap
from workbench.workflow.agreement.overlap_drawing import draw_overlap
from workbench.workflow.agreement.overlap_results import overlap_results
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.assignments import SEEDS
from workbench.workflow.people.assessors import assessors_of

COEFFICIENT_LABELS = {
    "pooled": "pooled kappa",
    "unpooled": "unpooled kappa",
    "alpha": "Krippendorff's alpha",
    "gwet": "Gwet's AC",
}
ASKED = (
    "half_width", "level", "kappa", "prevalence", "likeness", "missing", "from", "graded", "assessors",
    "coefficient", "weights",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What the planner was asked, as it was typed and as it is understood; empty fields are not guessed."""

    half_width: float
    level: float
    aim: Target
    relevant_from: int
    graded: bool
    kappa: float | None
    prevalence: tuple[float, ...] | None
    likeness: float | None
    assessors: int = 2
    missing: float = 0.0

    def arguments(self) -> dict[str, str | int]:
        """Which grades are compared, as it stands in an address."""
        return {"from": self.relevant_from, "graded": "yes" if self.graded else "no"}


def as_address(sent: MultiDict[str, str]) -> dict[str, str]:
    """What the planner was asked, as it stands in an address; empty fields are left out."""
    return {name: sent[name] for name in ASKED if sent.get(name)}


def read_asked(sent: MultiDict[str, str], scale: Scale) -> Asked:
    """What was typed, understood; raises InvalidInput that names every field that cannot be."""
    findings: list[Finding] = []

    def number(code: str, what: str) -> float | None:
        text = sent.get(code, "").strip().replace("−", "-").replace(",", ".")
        if not text:
            return None
        try:
            found = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            found = float("nan")
        if abs(found) < 1000:
            return found
        findings.append(Finding("Plan", None, code, f"{what} cannot be {text!r}", "give a number, as 0.05"))
        return None

    graded = sent.get("graded") == "yes"
    half_width, level = number("half_width", "the half width"), number("level", "the level")
    kappa, share = number("kappa", "kappa"), number("prevalence", "the share of relevant")
    likeness, missing = number("likeness", "the likeness"), number("missing", "the missing share")
    typed = whole_number(sent.get("from", ""))
    assessors = whole_number(sent.get("assessors", "").strip() or "2")
    if assessors is None or not 2 <= assessors <= MOST_ASSESSORS:
        said = f"{sent['assessors']!r} assessors of a pair cannot be planned for"
        findings.append(Finding("Plan", None, "assessors", said, f"give 2 to {MOST_ASSESSORS}"))
    if findings:
        raise InvalidInput(findings)
    return Asked(
        half_width=HALF_WIDTH if half_width is None else half_width,
        level=LEVEL if level is None else level,
        aim=Target(
            next((one for one in COEFFICIENT_LABELS if one == sent.get("coefficient")), "pooled"),
            next((one for one in WEIGHTINGS if graded and one == sent.get("weights")), "nominal"),
        ),
        relevant_from=scale.relevant_from if typed is None else typed,
        graded=graded,
        kappa=kappa,
        prevalence=None if share is None or graded else (share, 1 - share),
        likeness=likeness,
        assessors=assessors or 2,
        missing=missing or 0.0,
    )


blueprint = Blueprint("agreement_planner", __name__, url_prefix="/c/<slug>/agreement/overlap")
DRAWS: Mapping[Draw, tuple[str, str]] = {
    Draw.RANDOM: ("At random", "every pair that one person has judged has the same chance"),
    Draw.LABEL: (
        "By the first label",
        "more of the labels that say most; the result is weighed back to the whole",
    ),
    Draw.TOPIC: ("By topic", "whole topics, which are the easiest to hand out and need the most pairs"),
}
STEPS = 40
# In a plot, of the half width that is wished: few topics give many times as much.
_HIGHEST = 5


@blueprint.get("")
@organiser
def index() -> str | tuple[str, int]:
    """The planner, or for htmx the part that changes."""
    return _page()


@blueprint.get("/plan.<any(csv, tex, json):kind>")
@organiser
def plan_file(kind: str) -> Response:
    """The plan as CSV, as LaTeX or as JSON."""
    with reading() as db:
        plan = _plan(db, read_asked(request.args, campaign_of(db, here().id).scale))
    return export_file(plan_export(plan), kind, f"{here().slug}.overlap")


@blueprint.post("/draw")
@organiser
def draw() -> Response | tuple[str, int]:
    """Draw an overlap into a pool of its own and give it to the assessors chosen."""
    form = request.form
    try:
        with writing() as db:
            asked = read_asked(form, campaign_of(db, here().id).scale)
            done = draw_overlap(
                db,
                here().id,
                pairs=whole_number(form.get("pairs", "")) or 0,
                draw=next((one for one in Draw if one == form.get("draw")), Draw.RANDOM),
                assessor_ids=[
                    number for text in form.getlist("assessor") if (number := whole_number(text)) is not None
                ],
                relevant_from=asked.relevant_from,
                graded=asked.graded,
                assessors=asked.assessors,
                aim=asked.aim,
                missing=asked.missing,
                kappa=asked.kappa,
                prevalence=asked.prevalence,
                seed=_seed(form),
                created_by=viewer().id,
            )
    except WorkbenchError as error:
        page = _page(findings_of(error, "Draw", "draw"))
        return (page[0] if isinstance(page, tuple) else page), status_of(error)
    pool = done.pool.pool
    notices.add(
        f"{counted(pool.pairs, 'pair')} of {counted(done.topics, 'topic')} drawn into {pool.name!r} with "
        f"seed {done.seed}, and given out as {counted(done.assigned, 'assignment')}."
    )
    return see_other(url_for("pools.pool", pool_id=pool.id))


def _page(findings: tuple[Finding, ...] = ()) -> str | tuple[str, int]:
    sent = request.form if request.method == "POST" else request.args
    plan, status = None, 200
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        try:
            plan = _plan(db, read_asked(sent, scale))
        except WorkbenchError as error:
            findings = (*findings, *findings_of(error, "Plan"))
            status = status_of(error)
        if wants_fragment():
            return render_template("agreement/_plan.html", **_shown(plan, findings, sent)), status
        people = [one for one in assessors_of(db, here().id) if one.has_account and not one.machine]
        results = overlap_results(db, here().id)
    page = render_template(
        "agreement/planner.html",
        scale=scale,
        people=people,
        results=results,
        draws_in_words=[(str(one), words) for one, (words, _) in DRAWS.items()],
        coefficients=list(COEFFICIENT_LABELS.items()),
        weights=[(one, "none" if one == "nominal" else one) for one in WEIGHTINGS],
        seed=_seed(sent) or secrets.randbelow(SEEDS),
        half_width=HALF_WIDTH,
        level=LEVEL,
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
        "address": as_address(sent),
    }


def _plan(db: Session, asked: Asked) -> OverlapPlan:
    return plan_overlap(
        db,
        here().id,
        half_width=asked.half_width,
        level=asked.level,
        aim=asked.aim,
        relevant_from=asked.relevant_from,
        graded=asked.graded,
        kappa=asked.kappa,
        prevalence=asked.prevalence,
        topic_likeness=asked.likeness,
        assessors=asked.assessors,
        missing=asked.missing,
    )


def _seed(sent: MultiDict[str, str]) -> int | None:
    seed = whole_number(sent.get("seed", ""))
    return seed if seed is not None and 0 <= seed < SEEDS else None


def _plot(plan: OverlapPlan) -> dict[str, Any] | None:
    """The half width by the number of pairs, for every way of drawing."""
    needed = [one.needed for one in plan.planned]
    if any(one.pairs is None for one in needed):
        return None
    most = max(one.pairs or 0 for one in needed) * 1.25
    sizes = [most * step / STEPS for step in range(2, STEPS + 1)]
    return {
        "x": "Pairs judged a second time" if plan.assessors == 2 else f"Pairs judged by {plan.assessors}",
        "y": "Half width",
        "wished": plan.half_width,
        "lines": [
            {
                "name": DRAWS[one.draw][0],
                "needed": one.pairs,
                "points": [
                    [round(size), reach]
                    for size in sizes
                    if (reach := one.reach(size)) is not None and reach <= _HIGHEST * plan.half_width
                ],
            }
            for one in needed
        ],
    }
