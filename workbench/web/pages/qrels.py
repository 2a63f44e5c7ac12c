"""Qrels: the rule that makes one grade of several, what it gives, and the file."""

from __future__ import annotations

import hashlib

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.consensus.rules import RULES
from workbench.errors import Finding, WorkbenchError
from workbench.web.access import here
from workbench.web.door import reading
from workbench.web.downloads import attachment
from workbench.web.forms import findings_of, status_of
from workbench.web.readers import reader
from workbench.web.rule_choice import rule_form, rule_name
from workbench.workflow.additions import pairs_added_by_hand
from workbench.workflow.campaigning import campaign_of
from workbench.workflow.releasing import QrelsReport, make_qrels

blueprint = Blueprint("qrels", __name__, url_prefix="/c/<slug>/qrels")
MOST_UNSETTLED = 200


@blueprint.get("")
@reader
def index() -> str | tuple[str, int]:
    """What the rule of the address makes of the judgments that hold now."""
    findings: tuple[Finding, ...] = ()
    report, status = None, 200
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        form = rule_form(db, here().id)
        by_hand = pairs_added_by_hand(db, here().id)
        try:
            report = make_qrels(db, here().id, form.choice)
        except WorkbenchError as error:
            findings, status = findings_of(error, "Rule"), status_of(error)
    page = render_template(
        "qrels/index.html",
        form=form,
        rules=RULES,
        report=report,
        scale=scale,
        by_hand=by_hand,
        sha256=hashlib.sha256(_content(report)).hexdigest() if report else "",
        most_unsettled=MOST_UNSETTLED,
        findings=findings,
    )
    return page, status


@blueprint.get("/file")
@reader
def file() -> Response:
    """The qrels: nothing but lines that every scorer reads."""
    with reading() as db:
        choice = rule_form(db, here().id).choice
        report = make_qrels(db, here().id, choice)
    return attachment(_content(report), f"{here().slug}.{rule_name(choice)}.qrels")


def _content(report: QrelsReport) -> bytes:
    return b"".join(report.lines())
