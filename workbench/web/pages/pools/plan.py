"""The cost planner: how large a pool would be and how long judging it would take, before it is created."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.records import TieRule
from workbench.storage import Session
from workbench.web import notices
from workbench.web.access import here, organiser
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, sent_ids, status_of
from workbench.web.pages.pools.recipe_form import read_plan_form, read_seconds, strategy_fields
from workbench.web.requests import see_other, wants_fragment
from workbench.workflow.pools.pace import PaceSource, pace_of, save_guess
from workbench.workflow.pools.planning import FURTHER, Plan, plan_pool
from workbench.workflow.runs.run_records import runs_of

blueprint = Blueprint("plan", __name__, url_prefix="/c/<slug>/plan")
# Depths in the table of growth.
MILESTONES = (1, 5, 10, 20, 30, 50, 75, 100, 150, 200, 500, 1000)


@blueprint.get("")
@organiser
def index() -> str | tuple[str, int]:
    """The planner, or for a script the part that changes when a slider moves."""
    return _page()


@blueprint.post("/guess")
@organiser
def guess() -> Response | tuple[str, int]:
    """Save how many seconds a judgment is estimated to take; an empty field deletes the estimate."""
    findings: list[Finding] = []
    seconds = read_seconds(request.form.get("guess", ""), "guess", findings)
    try:
        if findings:
            raise InvalidInput(findings)
        with writing() as db:
            save_guess(db, here().id, seconds)
    except WorkbenchError as error:
        page = _page(findings_of(error, "Guess", "guess"))
        return page if isinstance(page, tuple) else (page, status_of(error))
    notices.add("Estimate deleted." if seconds is None else f"Estimate of {seconds:g} s per judgment saved.")
    return see_other(url_for("plan.index"))


def _page(findings: tuple[Finding, ...] = ()) -> str | tuple[str, int]:
    plan, status = None, 200
    with reading() as db:
        runs = runs_of(db, here().id)
        left_out = set(sent_ids("without"))
        if runs:
            try:
                plan = _plan(db, [run.tag for run in runs if run.tag not in left_out])
            except WorkbenchError as error:
                findings = (*findings, *findings_of(error, "Plan", ""))
                status = status_of(error)
        pace = plan.pace if plan and plan.pace.source is not PaceSource.GIVEN else pace_of(db, here().id)
    if wants_fragment():
        return render_template(
            "pools/_plan.html", plan=plan, findings=findings, milestones=MILESTONES
        ), status
    page = render_template(
        "pools/plan.html",
        plan=plan,
        findings=findings,
        milestones=MILESTONES,
        runs=runs,
        left_out=left_out,
        pace=pace,
        strategies=strategy_fields(request.args, plan.deepest if plan else FURTHER),
        ties=[(str(rule), str(rule)) for rule in TieRule],
        sent=request.args,
        guess=request.form.get("guess", "" if pace.guess is None else f"{pace.guess:g}"),
    )
    return page if status == 200 else (page, status)


def _plan(db: Session, tags: list[str]) -> Plan:
    form = read_plan_form(request.args)
    if not tags:
        raise InvalidInput([Finding("Runs", None, "without", "all runs are excluded", "include some")])
    return plan_pool(
        db,
        here().id,
        replace(form.recipe, tags=tags),
        others=form.others,
        per_pair=form.per_pair,
        assessors=form.assessors,
        seconds=form.seconds,
    )
