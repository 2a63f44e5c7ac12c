"""How far the collection may be trusted: other judges and other runs."""

from __future__ import annotations

from collections.abc import Collection

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.consensus.rules import RULES
from workbench.errors import Finding, WorkbenchError
from workbench.trust.judges import verdict
from workbench.trust.judges_export import PARTS as JUDGES
from workbench.trust.judges_export import judges_export
from workbench.trust.orders import rank_coefficients
from workbench.trust.runs_export import PARTS as RUNS
from workbench.trust.runs_export import runs_export
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.downloads import export_file
from workbench.web.forms import findings_of, status_of
from workbench.web.pages.qrels.rule_form import RuleForm, rule_form
from workbench.web.requests import wants_fragment
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.trust.report import TrustReport, trust_report

blueprint = Blueprint("trust", __name__, url_prefix="/c/<slug>/trust")
MEASURE = "AP"
MOST_PAIRS = 10


@blueprint.get("")
@reader
def index() -> str | tuple[str, int]:
    """The form; htmx fetches what it proposes, which may take seconds."""
    measure = request.args.get("measure", MEASURE)
    with reading() as db:
        rule, runs = rule_form(db, here().id), len(runs_of(db, here().id))
        if "measure" not in request.args and not wants_fragment():
            return _page(rule, measure, runs)
        try:
            report = trust_report(db, here().id, choice=rule.choice, measure=measure)
        except WorkbenchError as error:
            return _page(rule, measure, runs, findings=findings_of(error, "Trust")), status_of(error)
    return _page(rule, measure, runs, report)


@blueprint.get("/judges.<any(csv, json):kind>")
@reader
def judges_file(kind: str) -> Response:
    """Other judges: the table that `?part=` names as CSV, as JSON all of it, with all digits."""
    found = _report().judges
    if found is None:
        raise WorkbenchError("only one assessor has given grades", remedy="it takes two to compare")
    return export_file(judges_export(found, _part(JUDGES)), kind, f"{here().slug}.trust-judges")


@blueprint.get("/runs.<any(csv, json):kind>")
@reader
def runs_file(kind: str) -> Response:
    """Other runs, likewise."""
    found = _report().runs
    if found is None:
        raise WorkbenchError(
            "no run has brought judged documents into a pool", remedy="open a pool and judge"
        )
    return export_file(runs_export(found, _part(RUNS)), kind, f"{here().slug}.trust-runs")


def _report() -> TrustReport:
    with reading() as db:
        choice = rule_form(db, here().id).choice
        return trust_report(db, here().id, choice=choice, measure=request.args.get("measure", MEASURE))


def _part(parts: Collection[str]) -> str:
    part = request.args.get("part") or next(iter(parts))
    if part not in parts:
        raise WorkbenchError(f"there is no table {part}", remedy=f"one of {', '.join(parts)}")
    return part


def _page(
    rule: RuleForm,
    measure: str,
    runs: int,
    report: TrustReport | None = None,
    findings: tuple[Finding, ...] = (),
) -> str:
    return render_template(
        "trust/_report.html" if wants_fragment() else "trust/index.html",
        form=rule,
        rules=RULES,
        measure=measure,
        runs=runs,
        report=report,
        findings=findings,
        coefficients=rank_coefficients(),
        verdict=verdict,
        most_pairs=MOST_PAIRS,
    )
