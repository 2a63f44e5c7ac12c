"""Machines against people, kept apart from the agreement of people."""

from __future__ import annotations

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.errors import Finding, WorkbenchError
from workbench.web.access import here
from workbench.web.door import reading
from workbench.web.downloads import csv_file
from workbench.web.forms import findings_of
from workbench.web.grades_choice import read_choice
from workbench.web.readers import reader
from workbench.workflow.agreement.machines import MACHINE_COLUMNS, machine_rows, machines_against_people
from workbench.workflow.campaigns.campaigning import campaign_of

blueprint = Blueprint("agreement_machines", __name__, url_prefix="/c/<slug>/agreement/machines")


@blueprint.get("")
@reader
def index() -> str:
    """Every machine against the majority of people and against each person."""
    findings: tuple[Finding, ...] = ()
    report = None
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        choice = read_choice(scale)
        try:
            report = machines_against_people(
                db, here().id, relevant_from=choice.relevant_from, graded=choice.graded
            )
        except WorkbenchError as error:
            findings = findings_of(error, "Agreement")
    return render_template(
        "agreement_machines/index.html", report=report, scale=scale, choice=choice, findings=findings
    )


@blueprint.get("/table.csv")
@reader
def table_csv() -> Response:
    """Every comparison as CSV, with all digits."""
    with reading() as db:
        choice = read_choice(campaign_of(db, here().id).scale)
        report = machines_against_people(
            db, here().id, relevant_from=choice.relevant_from, graded=choice.graded
        )
    return csv_file(MACHINE_COLUMNS, machine_rows(report), f"{here().slug}.agreement.machines.csv")
