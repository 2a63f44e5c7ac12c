"""Agreement by topic: dots with intervals and their table, and the pairs of a topic that are disputed."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint

from workbench.agreement.options import AgreementOptions
from workbench.agreement.topics import FEWEST, topic_coefficients, what_would_define
from workbench.storage import Session
from workbench.web.access import reader
from workbench.web.downloads import MadeResult, result
from workbench.web.forms import sent_id
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.pages.agreement.report import (
    LINES,
    TABLE,
    agreement_page,
    render_page,
    report_for_file,
    required_page,
)
from workbench.web.paging import page_of
from workbench.workflow.agreement.report import (
    TopicDisputes,
    TopicsReport,
    agreement_by_topic,
    disputed_pairs,
    disputed_pairs_export,
    topics_export,
)

blueprint = Blueprint("agreement_topics", __name__, url_prefix="/c/<slug>/agreement/topics")


@blueprint.get("")
@reader
@made_by_job_if_large
def index() -> str:
    """Every topic's agreement, lowest first; `?by=` names the coefficient."""
    page = agreement_page(_report)
    by = _sortable(page.options).coefficient
    # What is sure first; of few relevant documents a kappa says little.
    lines = sorted(page.report.lines, key=lambda line: line.found.few) if page.report else ()
    return render_page(
        "topics",
        page,
        coefficients=[(one.name, one.label) for one in topic_coefficients()],
        by=next(one for one in topic_coefficients() if one.name == by),
        what_would_define=what_would_define,
        fewest=FEWEST,
        rows=page_of(lines, LINES) if page.report else None,
    )


@blueprint.get(TABLE)
@reader
@result
def table() -> MadeResult:
    """Every topic as CSV with all digits or as JSON."""
    return MadeResult("agreement.topics", topics_export(report_for_file(_report)))


@blueprint.get("/pairs")
@reader
@made_by_job_if_large
def pairs() -> str:
    """The pairs of a topic on which assessors differ; `?topic=` names it."""
    return render_page("topic_pairs", required_page(_disputed))


@blueprint.get("/pairs.<any(csv, json):kind>")
@reader
@result
def pairs_file() -> MadeResult:
    """The same as CSV or JSON, with a column for each assessor's grade."""
    found = report_for_file(_disputed)
    return MadeResult(
        f"agreement.{found.topic}",
        disputed_pairs_export(found),
    )


def _disputed(db: Session, campaign_id: int, options: AgreementOptions) -> TopicDisputes:
    return disputed_pairs(db, campaign_id, sent_id("topic"), options)


def _report(db: Session, campaign_id: int, options: AgreementOptions) -> TopicsReport:
    return agreement_by_topic(db, campaign_id, _sortable(options))


def _sortable(options: AgreementOptions) -> AgreementOptions:
    """The same, sorted by the usual coefficient where topics are not sorted by the one named."""
    known = options.coefficient in (one.name for one in topic_coefficients())
    return options if known else replace(options, coefficient=AgreementOptions().coefficient)
