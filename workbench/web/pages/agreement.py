"""Agreement: every two assessors compared, and two of them with the working shown."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.agreement.bands import band
from workbench.agreement.report import AgreementReport, Basis
from workbench.errors import Finding, WorkbenchError
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.door import reading
from workbench.web.downloads import csv_file
from workbench.web.forms import findings_of, whole_number
from workbench.web.readers import reader
from workbench.web.working import pooled_working, unpooled_working
from workbench.workflow.assigning import assessors_of
from workbench.workflow.campaigning import campaign_of
from workbench.workflow.comparing import agreement

blueprint = Blueprint("agreement", __name__, url_prefix="/c/<slug>/agreement")
BASES = {
    Basis.BOTH: "only pairs that both judged",
    Basis.LISTED_AS_NOT_RELEVANT: "also pairs that one of them judged, as the other's lowest grade",
}
COLUMNS = (
    "first", "second", "n", "n_both", "n_first_only", "n_second_only", "observed",
    "pooled_expected", "pooled_kappa", "unpooled_expected", "unpooled_kappa", "band", "undefined",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """What of the judgments is compared, as the address says it; `people` leaves machines out."""

    relevant_from: int
    graded: bool
    basis: Basis
    people: bool

    def arguments(self) -> dict[str, str | int]:
        """The same as it stands in an address."""
        chosen: dict[str, str | int] = {"asked": 1, "from": self.relevant_from, "basis": str(self.basis)}
        if self.graded:
            chosen["graded"] = "yes"
        if self.people:
            chosen["people"] = "yes"
        return chosen


@dataclass(frozen=True, slots=True)
class Compared:
    """The report of a view, or why there is none."""

    scale: Scale
    machines: frozenset[str]
    view: View
    report: AgreementReport | None
    findings: tuple[Finding, ...]


@blueprint.get("")
@reader
def index() -> str:
    """The mean over pairs of assessors, and every pair."""
    with reading() as db:
        compared = _compared(db)
    mean = compared.report.pooled.value if compared.report else None
    return render_template(
        "agreement/index.html",
        compared=compared,
        bases=BASES,
        mean_band=None if mean is None else band(mean),
    )


@blueprint.get("/pair")
@reader
def pair() -> str:
    """Two assessors: their table, and both kappas step by step; `?first=` and `?second=` name them."""
    first, second = request.args.get("first", ""), request.args.get("second", "")
    with reading() as db:
        compared = _compared(db, (first, second))
    found = compared.report.pairs[0] if compared.report else None
    labels = _labels(compared)
    return render_template(
        "agreement/pair.html",
        compared=compared,
        bases=BASES,
        first=found.first if found else first,
        second=found.second if found else second,
        pair=found,
        labels=labels,
        pooled=pooled_working(found, labels) if found else (),
        unpooled=unpooled_working(found, labels) if found else (),
    )


@blueprint.get("/pairs.csv")
@reader
def pairs_csv() -> Response:
    """Every pair of assessors as CSV, with all digits."""
    with reading() as db:
        compared = _compared(db)
    rows = [
        (
            pair.first, pair.second, pair.n, pair.n_both, pair.n_first_only, pair.n_second_only,
            pair.observed.value, pair.pooled.expected, pair.pooled.value, pair.unpooled.expected,
            pair.unpooled.value, pair.band, pair.pooled.undefined,
        )
        for pair in (compared.report.pairs if compared.report else ())
    ]  # fmt: skip
    return csv_file(COLUMNS, rows, f"{here().slug}.agreement.csv")


def _compared(db: Session, names: tuple[str, str] | None = None) -> Compared:
    scale = campaign_of(db, here().id).scale
    assessors = assessors_of(db, here().id)
    machines = frozenset(one.name for one in assessors if one.machine)
    view = _view(scale)
    chosen = names or tuple(one.name for one in assessors if not (view.people and one.machine))
    try:
        report = agreement(
            db,
            here().id,
            relevant_from=view.relevant_from,
            graded=view.graded,
            basis=view.basis,
            assessors=set(chosen),
        )
    except WorkbenchError as error:
        return Compared(scale, machines, view, None, findings_of(error, "Agreement"))
    return Compared(scale, machines, view, report, ())


def _view(scale: Scale) -> View:
    typed = whole_number(request.args.get("from", ""))
    return View(
        relevant_from=scale.relevant_from if typed is None else typed,
        graded=request.args.get("graded") == "yes",
        basis=next((one for one in Basis if one == request.args.get("basis")), Basis.BOTH),
        # A box that is not ticked sends nothing: only a form that was sent can have been unticked.
        people="people" in request.args or "asked" not in request.args,
    )


def _labels(compared: Compared) -> tuple[str, ...]:
    """What the rows and columns of a table are called, highest first."""
    if not compared.view.graded:
        return ("Relevant", "Not relevant")
    return tuple(f"{grade.value} {grade.label}" for grade in reversed(compared.scale.grades))
