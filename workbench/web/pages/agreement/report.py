"""Agreement: all assessors, the matrix, every pair, two in detail, by grade, and leniency."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Blueprint, request

from workbench.agreement.coefficients import coefficients_on, shown_in
from workbench.agreement.coefficients.coefficient import Shown
from workbench.agreement.export import matrix_export, report_export
from workbench.agreement.grades import WHY_NONE
from workbench.agreement.options import AgreementOptions, Machines
from workbench.agreement.pair_report import PairReport, pair_calculations, pair_export
from workbench.agreement.report import AgreementReport, Matrix, what_differs
from workbench.storage import Session
from workbench.web.access import reader
from workbench.web.pages.agreement.page import (
    CHOSEN,
    AgreementPage,
    agreement_page,
    render_page,
    report_for_file,
)
from workbench.web.results import CampaignResult, MadeResult, ResultOption, result
from workbench.workflow.agreement.report import (
    campaign_agreement,
    campaign_leniency,
    campaign_matrix,
    campaign_pair,
)

blueprint = Blueprint("agreement", __name__, url_prefix="/c/<slug>/agreement")
MOST_DISAGREED = 200
TWO = (ResultOption("first", "The one assessor"), ResultOption("second", "The other assessor"))


@blueprint.get("")
@reader
def index() -> str:
    """All assessors: every coefficient with its interval, and what it means."""
    page = agreement_page(campaign_agreement, weighted=True)
    return render_page("index", page, sentence=what_differs(page.report) if page.report else "")


@blueprint.get("/matrix")
@reader
def matrix() -> str:
    """Every assessor with every other, as a heat map that is a table."""
    return render_page("matrix", agreement_page(_matrix, weighted=True))


@blueprint.get("/pairs")
@reader
def pairs() -> str:
    """Every pair of assessors, those with a machine apart."""
    return render_page(
        "pairs", agreement_page(_with_machines, weighted=True), coefficients=coefficients_on((1, 0))
    )


@blueprint.get("/grades")
@reader
def grades() -> str:
    """Agreement grade by grade, and at every relevance threshold."""
    return render_page("grades", agreement_page(campaign_agreement, weighted=True), **_threshold_columns())


@blueprint.get("/assessors")
@reader
def assessors() -> str:
    """Leniency of each assessor, on the pairs shared with others."""
    return render_page("assessors", agreement_page(campaign_leniency, weighted=True))


@blueprint.get("/pair")
@reader
def pair() -> str:
    """Two assessors: their tables, the calculation, the disagreements; `?first=` and `?second=`."""
    first, second = request.args.get("first", ""), request.args.get("second", "")
    page = agreement_page(_pair, weighted=True)
    labels = _labels(page)
    report = page.report
    both = [one for one in report.selection.assessors if one.name in (first, second)] if report else []
    return render_page(
        "pair",
        page,
        first=first,
        second=second,
        labels=labels,
        calculations=pair_calculations(report, labels) if report else (),
        machine_names=[one.name for one in both if one.machine],
        most=MOST_DISAGREED,
        why_none=WHY_NONE,
        **_threshold_columns(),
    )


@blueprint.get("/report.<any(csv, tex, json):kind>")
@reader
@result(CampaignResult("agreement", "Agreement of all assessors", "a coefficient", CHOSEN))
def report_file() -> MadeResult:
    """The whole report as CSV (one row a coefficient, with all digits), as LaTeX or as JSON."""
    return MadeResult("agreement", report_export(report_for_file(campaign_agreement, weighted=True)))


@blueprint.get("/matrix.<any(csv, tex, json):kind>")
@reader
@result(CampaignResult("agreement.matrix", "Agreement of every two assessors", "an assessor", CHOSEN))
def matrix_file() -> MadeResult:
    """The matrix of the chosen coefficient as CSV, as LaTeX, or with all estimates as JSON."""
    found = report_for_file(_matrix, weighted=True)
    return MadeResult(f"agreement.{found.options.coefficient}", matrix_export(found))


@blueprint.get("/pair.<any(csv, tex, json):kind>")
@reader
@result(CampaignResult("agreement.pair", "Two assessors in detail", "a coefficient", (*TWO, *CHOSEN)))
def pair_file() -> MadeResult:
    """Two assessors in detail as CSV, as LaTeX or as JSON; `?first=` and `?second=` name them."""
    return MadeResult("agreement.pair", pair_export(report_for_file(_pair, weighted=True)))


def _among(options: AgreementOptions) -> AgreementOptions:
    """The same with machines among the people: where every two stand alone, nothing is mixed."""
    return replace(options, machines=Machines.AMONG)


def _with_machines(db: Session, campaign_id: int, options: AgreementOptions) -> AgreementReport:
    return campaign_agreement(db, campaign_id, _among(options))


def _matrix(db: Session, campaign_id: int, options: AgreementOptions) -> Matrix:
    return campaign_matrix(db, campaign_id, _among(options))


def _pair(db: Session, campaign_id: int, options: AgreementOptions) -> PairReport:
    first, second = request.args.get("first", ""), request.args.get("second", "")
    return campaign_pair(db, campaign_id, _among(options), first=first, second=second)


def _labels(page: AgreementPage[Any]) -> tuple[str, ...]:
    """The headings of the rows and columns of a table, highest grade first."""
    if not page.options.graded:
        return ("Relevant", "Not relevant")
    return tuple(f"{grade.value} {grade.label}" for grade in reversed(page.scale.grades))


def _threshold_columns() -> dict[str, Any]:
    """The coefficients of two grades: all for the table by threshold, some for its plot."""
    return {
        "coefficients": coefficients_on((1, 0)),
        "plotted": [one.on_scale((1, 0)) for one in shown_in(Shown.EVERYWHERE)],
    }
