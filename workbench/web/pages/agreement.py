"""Agreement: the answer, the assessors, two of them in detail, by grade, by topic; what size is needed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from math import fsum
from typing import Any, Generic, TypeVar

from flask import Blueprint, render_template, request

from workbench.agreement.coefficients import COEFFICIENTS
from workbench.agreement.estimates import BANDS, FEWEST, topic_coefficients, what_would_define
from workbench.agreement.export import report_export
from workbench.agreement.grades import WHY_NONE
from workbench.agreement.options import (
    OPTIONS,
    OWN,
    AgreementOptions,
    Basis,
    Machines,
    address_of,
    options_from_address,
)
from workbench.agreement.pair_report import PairReport, pair_calculations, pair_export
from workbench.agreement.ratings import Assessor
from workbench.agreement.report import (
    AgreementReport,
    Leniency,
    answer_in_words,
    most_disputed,
    what_differs,
)
from workbench.agreement.sample_size import PLANNED, SizeRequest, sample_size
from workbench.agreement.selection import relevant_or_not
from workbench.errors import Finding, InvalidInput, WorkbenchError, rejected
from workbench.formats.graded_pairs import write_probe_answers
from workbench.frozen import frozen_dataclass
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here, organiser, reader
from workbench.web.context import reading
from workbench.web.downloads import MadeResult, TextFile, result
from workbench.web.forms import Findings, findings_of, query_text, sent_id
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.paging import page_of
from workbench.web.requests import Reply, Values
from workbench.workflow.agreement.probe_answers import probe_lines
from workbench.workflow.agreement.report import (
    TopicDisputes,
    TopicsReport,
    agreement_by_topic,
    campaign_agreement,
    campaign_pair,
    disputed_pairs,
    disputed_pairs_export,
    expected_of,
    machines_against_people,
    topics_export,
)
from workbench.workflow.agreement.self_consistency import consistency
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.people.membership import assessors_of

Report = TypeVar("Report")
Find = Callable[[Session, int, AgreementOptions], Report]
LINES = 14
"""Rows of a table of agreement: two screens."""
TABLE = "/table.<any(csv, json):kind>"
"""The address of a report's files, below that of its page."""
MOST_WEIGHTS = 2000
"""Characters of own weights; the rest of what was typed is dropped."""


@frozen_dataclass
class AgreementPage(Generic[Report]):
    """What an address asks for and the report, or None and the findings that say why.

    `refused` says that the options cannot be, not that there is nothing to compare yet; `machines` that the
    campaign has any.
    """

    scale: Scale
    options: AgreementOptions
    machines: bool
    report: Report | None
    findings: Findings = ()
    refused: bool = False

    @property
    def arguments(self) -> dict[str, str | int]:
        """The options as arguments of an address, without the defaults."""
        return address_of(self.options)

    @property
    def relevant_from(self) -> int:
        """The relevance threshold: that of the address, else the campaign's."""
        chosen = self.options.relevant_from
        return self.scale.relevant_from if chosen is None else chosen

    @property
    def compared(self) -> str:
        """Which grades are compared, as a heading."""
        return "every grade" if self.options.graded else relevant_or_not(self.relevant_from)

    @property
    def own_weights(self) -> str:
        """What was typed as own weights."""
        return query_text(OWN)[:MOST_WEIGHTS]


def agreement_page(find: Find[Report], *, weighted: bool = False) -> AgreementPage[Report]:
    """The page that this request asks for; an error is the reason why there is no report.

    Where the report is not `weighted`, own weights that cannot be are as if they were not there.
    """
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        machines = any(one.machine for one in assessors_of(db, here().id))
        options = AgreementOptions()
        try:
            options = _options(scale, weighted)
            return AgreementPage(scale, options, machines, find(db, here().id, options))
        except WorkbenchError as error:
            findings = findings_of(error, "Agreement")
            return AgreementPage(scale, options, machines, None, findings, isinstance(error, InvalidInput))


def required_page(find: Find[Report]) -> AgreementPage[Report]:
    """The same where a report is required: raises WorkbenchError where there is none."""
    with reading() as db:
        scale = campaign_of(db, here().id).scale
        options = _options(scale, False)
        return AgreementPage(scale, options, False, find(db, here().id, options))


def report_for_file(find: Find[Report], *, weighted: bool = False) -> Report:
    """The report for a file; raises WorkbenchError where there is none."""
    with reading() as db:
        return find(db, here().id, _options(campaign_of(db, here().id).scale, weighted))


def render_page(template: str, page: AgreementPage[Any], **more: Any) -> str:
    """The page of a report, with whatever else its template takes, or another `report` for it."""
    values = {"report": page.report, "options": page.options, "definitions": OPTIONS, "bands_note": BANDS}
    return render_template(f"agreement/{template}.html", page=page, **values | more)


def _options(scale: Scale, weighted: bool) -> AgreementOptions:
    """The options of this request; raises InvalidInput for own weights that do not fit the scale."""
    grades = len(scale.grades)
    values = {**request.args, OWN: query_text(OWN)[:MOST_WEIGHTS]}
    try:
        options = options_from_address(values)
        if isinstance(options.weights, str) or len(options.weights) == grades:
            return options
        message, remedy = f"the weights are not a square table of {grades} grades", ""
    except WorkbenchError as error:
        message, remedy = error.message, error.remedy
    if not weighted:
        return options_from_address({**values, "weights": ""})
    square = f"{grades} rows of {grades} numbers from 0, the lowest grade first, with 0 where they are equal"
    raise rejected("Agreement", None, OWN, message, remedy or square)


blueprint = Blueprint("agreement", __name__, url_prefix="/c/<slug>/agreement")
MOST_DISAGREED = 200
MOST_TOPICS = 4
PAIRS = 12


@blueprint.get("")
@reader
@made_by_job_if_large
def index() -> str:
    """How far the assessors agree: the answer in words, who and which topics stand out, and the rest."""
    page = agreement_page(_whole, weighted=True)
    if page.report is None:
        return render_page("index", page)
    report, by_topic = page.report
    sure = [one for one in by_topic.lines if one.found.disputed and not one.found.few] if by_topic else []
    return render_page(
        "index",
        page,
        report=report,
        answer=answer_in_words(report),
        most=most_disputed(report),
        lines=_assessor_lines(report),
        topics=sure[:MOST_TOPICS],
        few=sum(one.found.few for one in by_topic.lines) if by_topic else 0,
        sentence=what_differs(report),
    )


@blueprint.get("/assessors")
@reader
@made_by_job_if_large
def assessors() -> str:
    """Who agrees with whom, who gives higher grades, who agrees with earlier answers, and machines."""
    page = agreement_page(_with_machines, weighted=True)
    more = (
        {
            "machines": agreement_page(machines_against_people).report if page.machines else None,
            "lines": _assessor_lines(page.report),
            "leaning": _leaning(page.report),
            "together": page_of([two for two in page.report.pairs if two.n], PAIRS),
        }
        if page.report
        else {}
    )
    return render_page("assessors", page, consistent=agreement_page(consistency).report, **more)


@blueprint.get("/grades")
@reader
@made_by_job_if_large
def grades() -> str:
    """Agreement grade by grade, and at every relevance threshold."""
    page = agreement_page(campaign_agreement, weighted=True)
    return render_page("grades", page, most=most_disputed(page.report) if page.report else None)


@blueprint.get("/pair")
@reader
@made_by_job_if_large
def pair() -> str:
    """Two assessors: their tables, the calculation, the disagreements; `?first=` and `?second=`."""
    first, second = query_text("first"), query_text("second")
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
    )


@blueprint.get("/report.<any(csv, tex, json):kind>")
@reader
@result
def report_file() -> MadeResult:
    """The whole report as CSV (one row a coefficient, with all digits), as LaTeX or as JSON."""
    return MadeResult("agreement", report_export(report_for_file(campaign_agreement, weighted=True)))


@blueprint.get("/pair.<any(csv, tex, json):kind>")
@reader
@result
def pair_file() -> MadeResult:
    """Two assessors in detail as CSV, as LaTeX or as JSON; `?first=` and `?second=` name them."""
    return MadeResult("agreement.pair", pair_export(report_for_file(_pair, weighted=True)))


@blueprint.get("/probe-answers.tsv")
@organiser
@result
def probe_answers() -> MadeResult:
    """Every answer to a repeat, a planted pair or a training pair, with what it is compared with."""
    with reading() as db:
        content = write_probe_answers(list(probe_lines(db, here().id)))
    return MadeResult("probes", text=TextFile("tsv", "text/tab-separated-values", content))


def _among(options: AgreementOptions) -> AgreementOptions:
    """The same with machines among the people: where every two stand alone, nothing is mixed."""
    return replace(options, machines=Machines.AMONG)


def _with_machines(db: Session, campaign_id: int, options: AgreementOptions) -> AgreementReport:
    return campaign_agreement(db, campaign_id, _among(options))


def _whole(
    db: Session, campaign_id: int, options: AgreementOptions
) -> tuple[AgreementReport, TopicsReport | None]:
    """The report, and by topic where grades are compared by whether they are the same."""
    report, pooled = campaign_agreement(db, campaign_id, options), replace(options, coefficient="pooled")
    if options.weighted:
        return report, None
    known = report.selection if options.basis is Basis.BOTH else None
    return report, agreement_by_topic(db, campaign_id, pooled, known)


def _assessor_lines(report: AgreementReport) -> list[tuple[Assessor, Leniency, float | None]]:
    """Every assessor, the strictest first, with the mean pooled kappa with the others."""
    own: dict[int, list[float]] = {}
    for two in report.pairs:
        value = two.estimate("pooled").value
        if value is not None:
            own.setdefault(two.first, []).append(value)
            own.setdefault(two.second, []).append(value)
    of = report.selection.assessors
    return [
        (of[one.assessor], one, fsum(kappas) / len(kappas) if (kappas := own.get(one.assessor)) else None)
        for one in report.leniency
    ]


def _leaning(report: AgreementReport) -> str:
    """Who is stricter or more lenient than the others beyond chance, in a sentence."""
    sure = [one for one in report.leniency if one.interval is not None and one.interval.low is not None]
    apart: dict[str, list[str]] = {"lower": [], "higher": []}
    for one in sure:
        name = report.selection.assessors[one.assessor].name
        if one.interval is None or one.interval.low is None or one.interval.high is None:
            continue
        if one.interval.high < 0 or one.interval.low > 0:
            apart["lower" if one.interval.high < 0 else "higher"].append(name)
    parts = [
        f"{_together(names)} {'give' if names[1:] else 'gives'} {how} grades"
        for how, names in apart.items()
        if names
    ]
    if parts:
        return f"{', '.join(parts)} than the others on the same documents."
    if sure:
        return "No assessor gives higher or lower grades than the others beyond chance."
    return "Too few topics to say whether anybody gives higher grades than the others."


def _together(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if names[1:] else names[0]


def _pair(db: Session, campaign_id: int, options: AgreementOptions) -> PairReport:
    return campaign_pair(
        db, campaign_id, _among(options), first=query_text("first"), second=query_text("second")
    )


def _labels(page: AgreementPage[Any]) -> tuple[str, ...]:
    """The headings of the rows and columns of a table, highest grade first."""
    if not page.options.graded:
        return ("Relevant", "Not relevant")
    return tuple(f"{grade.value} {grade.label}" for grade in reversed(page.scale.grades))


_topics = Blueprint("agreement_topics", __name__, url_prefix="/c/<slug>/agreement/topics")


@_topics.get("", endpoint="index")
@reader
@made_by_job_if_large
def topics() -> str:
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


@_topics.get(TABLE)
@reader
@result
def table() -> MadeResult:
    """Every topic as CSV with all digits or as JSON."""
    return MadeResult("agreement.topics", topics_export(report_for_file(_report)))


@_topics.get("/pairs")
@reader
@made_by_job_if_large
def pairs() -> str:
    """The pairs of a topic on which assessors differ; `?topic=` names it."""
    return render_page("topic_pairs", required_page(_disputed))


@_topics.get("/pairs.<any(csv, json):kind>")
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


_sizes = Blueprint("sample_size", __name__, url_prefix="/c/<slug>/agreement/size")
_NUMBERS = {one.name: one.default for one in fields(SizeRequest) if one.name != "coefficient"}


@_sizes.get("", endpoint="index")
@organiser
def sizes() -> Reply:
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


BLUEPRINTS = (blueprint, _topics, _sizes)
