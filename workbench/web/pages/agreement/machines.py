"""Machines against people, kept apart from the agreement of people."""

from __future__ import annotations

from flask import Blueprint
from werkzeug.wrappers import Response

from workbench.storage import Session
from workbench.web.access import here
from workbench.web.downloads import export_file
from workbench.web.pages.agreement.page import TABLE, Choice, report_asked, report_for_file, report_page
from workbench.web.readers import reader
from workbench.workflow.agreement.export import machines_export
from workbench.workflow.agreement.machines import MachinesReport, machines_against_people

blueprint = Blueprint("agreement_machines", __name__, url_prefix="/c/<slug>/agreement/machines")


@blueprint.get("")
@reader
def index() -> str:
    """Every machine against the majority of people and against each person."""
    return report_page("agreement/machines.html", report_asked(_report))


@blueprint.get(TABLE)
@reader
def table(kind: str) -> Response:
    """Every comparison as CSV with all digits, as LaTeX or as JSON."""
    taken = machines_export(report_for_file(_report))
    return export_file(taken, kind, f"{here().slug}.agreement.machines")


def _report(db: Session, choice: Choice) -> MachinesReport:
    return machines_against_people(db, here().id, relevant_from=choice.relevant_from, graded=choice.graded)
