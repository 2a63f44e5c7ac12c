"""Self-consistency: every assessor against their earlier answers, and against known answers."""

from __future__ import annotations

import json

from flask import Blueprint
from werkzeug.wrappers import Response

from workbench.agreement.self_consistency import repeats_needed
from workbench.formats.graded_pairs import write_probe_answers
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.downloads import attachment
from workbench.web.pages.agreement.page import (
    TABLE,
    agreement_page,
    render_page,
    report_for_file,
)
from workbench.web.results import MadeResult, TextFile, result
from workbench.workflow.agreement.export import repeats_export
from workbench.workflow.agreement.probe_answers import Against, probe_export, probe_json, probe_lines
from workbench.workflow.agreement.self_consistency import consistency

blueprint = Blueprint("agreement_repeats", __name__, url_prefix="/c/<slug>/agreement/self")
HEADINGS = {
    Against.REPEAT: ("Repeats", "first judgment against second judgment of the same document"),
    Against.PLANTED: ("Planted pairs", "the known grade against the grade given, among other pairs"),
    Against.TRAINING: ("Training", "the known grade against the grade given, before judging began"),
}
MOST = 300


@blueprint.get("")
@reader
def index() -> str:
    """Every assessor's consistency, and what contradicts it."""
    return render_page(
        "self_consistency",
        agreement_page(consistency),
        headings=HEADINGS,
        most=MOST,
        repeats_needed=repeats_needed(),
    )


@blueprint.get(TABLE)
@reader
@result
def table() -> MadeResult:
    """Every assessor's consistency as CSV with all digits or as JSON."""
    return MadeResult("agreement.self", repeats_export(report_for_file(consistency)))


@blueprint.get("/answers.tsv")
@reader
@result
def answers() -> MadeResult:
    """Every answer to a repeat, a planted pair or a training pair, with what it is compared with."""
    with reading() as db:
        lines = list(probe_lines(db, here().id))
    text = TextFile("tsv", "text/tab-separated-values", write_probe_answers(lines))
    return MadeResult("probes", probe_export(lines), text)


@blueprint.get("/answers.jsonl")
@reader
def answers_json() -> Response:
    """The same as JSON, one answer a line."""
    with reading() as db:
        lines = list(probe_lines(db, here().id))
    text = "".join(json.dumps(probe_json(one), ensure_ascii=False) + "\n" for one in lines)
    content = text.encode("utf-8", "surrogateescape")
    return attachment(content, f"{here().slug}.probes.jsonl", kind="application/jsonl")
