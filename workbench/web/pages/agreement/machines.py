"""Machines against people, kept apart from the agreement of people."""

from __future__ import annotations

from flask import Blueprint

from workbench.agreement.machines import machine_coefficients
from workbench.web.access import reader
from workbench.web.pages.agreement.page import (
    TABLE,
    agreement_page,
    render_page,
    report_for_file,
)
from workbench.web.results import MadeResult, result
from workbench.workflow.agreement.export import machines_export
from workbench.workflow.agreement.machines import machines_against_people

blueprint = Blueprint("agreement_machines", __name__, url_prefix="/c/<slug>/agreement/machines")


@blueprint.get("")
@reader
def index() -> str:
    """Every machine against the majority of people and against each person."""
    return render_page(
        "machines",
        agreement_page(machines_against_people),
        coefficients=machine_coefficients(),
        weighted=machine_coefficients(weighted=True),
    )


@blueprint.get(TABLE)
@reader
@result
def table() -> MadeResult:
    """Every comparison as CSV with all digits or as JSON."""
    report = report_for_file(machines_against_people)
    return MadeResult("agreement.machines", machines_export(report))
