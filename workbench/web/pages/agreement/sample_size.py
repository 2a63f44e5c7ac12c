"""The calculator of sizes: how many documents must be judged twice."""

from __future__ import annotations

from dataclasses import fields

from flask import Blueprint, render_template, request

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.sample_size import PLANNED, SizeRequest, sample_size
from workbench.errors import Finding, InvalidInput
from workbench.web.access import here, organiser
from workbench.web.context import reading
from workbench.web.forms import Findings, query_text
from workbench.web.requests import Reply, Values
from workbench.workflow.agreement.report import expected_of

blueprint = Blueprint("sample_size", __name__, url_prefix="/c/<slug>/agreement/size")
_NUMBERS = {one.name: one.default for one in fields(SizeRequest) if one.name != "coefficient"}


@blueprint.get("")
@organiser
def index() -> Reply:
    """What both must judge; what is left empty is expected as of the campaign's judgments so far."""
    with reading() as db:
        known = expected_of(db, here().id)
    found = None
    asked, findings = _asked(known)
    try:
        size = sample_size(SizeRequest(**asked))
        found = None if findings else size
    except InvalidInput as error:
        findings = (*findings, *error.findings)
    page = render_template(
        "agreement/sample_size.html",
        found=found,
        findings=findings,
        sent=request.args,
        expected={**_NUMBERS, **known},
        known=known,
        coefficients=[(name, COEFFICIENTS[name].label) for name in PLANNED],
    )
    return (page, 422) if findings else page


def _asked(known: Values) -> tuple[Values, Findings]:
    """What was typed, else known; and what of it is no number."""
    asked: Values = dict(known)
    findings = []
    if request.args.get("coefficient"):
        asked["coefficient"] = request.args["coefficient"]
    for name in _NUMBERS:
        text = query_text(name).strip().replace(",", ".")
        if not text:
            continue
        try:
            asked[name] = int(text) if name == "topics" else float(text)
        except ValueError:
            findings.append(
                Finding("Size", None, name, f"{text[:40]!r} is not a number", "give a number, such as 0.1")
            )
    return asked, tuple(findings)
