"""Self-consistency: every assessor against himself on second showings, and against known answers."""

from __future__ import annotations

import json

from flask import Blueprint, render_template
from werkzeug.wrappers import Response

from workbench.errors import Finding, WorkbenchError
from workbench.formats.probe_answers import write_probe_answers
from workbench.web.access import here
from workbench.web.door import reading
from workbench.web.downloads import attachment, csv_file
from workbench.web.forms import findings_of
from workbench.web.grades_choice import read_choice
from workbench.web.readers import reader
from workbench.workflow.agreement.probe_answers import Against, probe_json, probe_lines
from workbench.workflow.agreement.repeats import REPEAT_COLUMNS, consistency, repeat_rows
from workbench.workflow.campaigns.campaigning import campaign_of

blueprint = Blueprint("agreement_repeats", __name__, url_prefix="/c/<slug>/agreement/self")
HEADINGS = {
    Against.REPEAT: ("Second showings", "what held just before, against what was said of the pair again"),
    Against.PLANTED: ("Planted pairs", "the known grade against the one given, among other pairs"),
    Against.TRAINING: ("Training", "the known grade against the one given, before judging began"),
}
MOST = 300


@blueprint.get("")
@reader
def index() -> str:
    """Every assessor's consistency, and what contradicts it."""
    findings: tuple[Finding, ...] = ()
    report = None
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        choice = read_choice(scale)
        try:
            report = consistency(db, here().id, relevant_from=choice.relevant_from, graded=choice.graded)
        except WorkbenchError as error:
            findings = findings_of(error, "Agreement")
    return render_template(
        "agreement_repeats/index.html",
        report=report,
        scale=scale,
        choice=choice,
        headings=HEADINGS,
        most=MOST,
        findings=findings,
    )


@blueprint.get("/table.csv")
@reader
def table_csv() -> Response:
    """Every assessor's consistency as CSV, with all digits."""
    with reading() as db:
        choice = read_choice(campaign_of(db, here().id).scale)
        report = consistency(db, here().id, relevant_from=choice.relevant_from, graded=choice.graded)
    return csv_file(REPEAT_COLUMNS, repeat_rows(report), f"{here().slug}.agreement.self.csv")


@blueprint.get("/answers.tsv")
@reader
def answers() -> Response:
    """Every answer to a repeat, a planted pair or one of training, with what it is compared with."""
    with reading() as db:
        lines = list(probe_lines(db, here().id))
    name = f"{here().slug}.probes.tsv"
    return attachment(write_probe_answers(lines), name, kind="text/tab-separated-values")


@blueprint.get("/answers.jsonl")
@reader
def answers_json() -> Response:
    """The same as JSON, one answer a line."""
    with reading() as db:
        lines = list(probe_lines(db, here().id))
    text = "".join(json.dumps(probe_json(one), ensure_ascii=False) + "\n" for one in lines)
    content = text.encode("utf-8", "surrogateescape")
    return attachment(content, f"{here().slug}.probes.jsonl", kind="application/jsonl")
