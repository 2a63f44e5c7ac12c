"""How far the collection may be trusted: other judges, other runs, a deeper pool, holes, fewer topics."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, render_template, request

from workbench.consensus.rules import RULES, RuleChoice
from workbench.errors import Finding, WorkbenchError
from workbench.storage import Session
from workbench.tables import Export
from workbench.trust.alternatives import ranking_measure
from workbench.trust.collection_tables import DEPTH_PARTS as DEPTH
from workbench.trust.collection_tables import HOLE_PARTS as HOLES
from workbench.trust.collection_tables import TOPIC_PARTS as TOPICS
from workbench.trust.collection_tables import depth_export, fewer_topics_export, holes_export
from workbench.trust.depth import Advice, DeeperPool
from workbench.trust.holes import Holes
from workbench.trust.judges import PARTS as JUDGES
from workbench.trust.judges import judges_export, verdict_between
from workbench.trust.runs import PARTS as RUNS
from workbench.trust.runs import runs_export
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import findings_of, status_of
from workbench.web.pages.qrels.rule_form import RuleForm, rule_form
from workbench.web.rendering import render_report
from workbench.web.requests import wants_fragment
from workbench.web.results import (
    MadeResult,
    TextFile,
    result,
)
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.scores.score_table import coverage_of
from workbench.workflow.steps import Steps, UnderWay
from workbench.workflow.trust.collection_report import collection_report
from workbench.workflow.trust.estimable import Estimable
from workbench.workflow.trust.questions import (
    campaign_depth,
    campaign_holes,
    campaign_sample,
    campaign_topics,
)
from workbench.workflow.trust.ranked_runs import ranked_runs
from workbench.workflow.trust.report import TrustReport, trust_report
from workbench.workflow.trust.report_markdown import report_markdown

blueprint = Blueprint("trust", __name__, url_prefix="/c/<slug>/trust")
MEASURE = "AP"
MOST_PAIRS = MOST_TOPICS = 10
MOST_RUNS = 20
FEWEST_RUNS = 5
"""Of fewer runs a rank correlation says nothing."""
UNDER_WAY = UnderWay()
"""What this process computes for the page now."""
ABOUT_THE_PAGE = {"propose", "show", "part", "question"}
"""Arguments that ask for another form of the same figures."""


@dataclass(frozen=True, slots=True)
class TrustQuestion:
    """A question with a request of its own: the title of its card, how it is computed, its tables."""

    title: str
    compute: Callable[[Session, RuleChoice, str, Steps], Any]
    export: Callable[[Any, str], Export]
    parts: Collection[str]


def _depth(db: Session, choice: RuleChoice, _: str, steps: Steps) -> object:
    return campaign_depth(db, here().id, choice=choice, steps=steps)


def _holes(db: Session, choice: RuleChoice, measure: str, steps: Steps) -> object:
    return campaign_holes(db, here().id, choice=choice, measure=measure, steps=steps)


def _topics(db: Session, choice: RuleChoice, measure: str, steps: Steps) -> object:
    return campaign_topics(db, here().id, choice=choice, measure=measure, steps=steps)


QUESTIONS = {
    "depth": TrustQuestion("Would a deeper pool find more?", _depth, depth_export, DEPTH),
    "holes": TrustQuestion("How much of the runs is judged?", _holes, holes_export, HOLES),
    "topics": TrustQuestion(
        "Would other topics rank the runs the same?", _topics, fewer_topics_export, TOPICS
    ),
}
"""In the order of the page. To add one: a line here, and its name in `ADDRESS`; `trust/_<name>.html` is its
card."""
ADDRESS = "/<any(depth, holes, topics):question>"
ADVICE = {
    Advice.FINISH: "fair",
    Advice.DEEPER: "poor",
    Advice.OPEN: "fair",
    Advice.ENOUGH: "good",
    Advice.NOTHING: "",
}
"""How a page colours an advice; nothing left to judge has no colour."""


@blueprint.get("")
@reader
def index() -> str | tuple[str, int]:
    """The form; htmx fetches what it proposes, which may take seconds."""
    measure = _measure()
    proposed = "propose" in request.args or ("measure" not in request.args and not wants_fragment())
    with reading() as db, UNDER_WAY.follow(_asked("report")) as steps:
        rule, runs = rule_form(db, here().id), len(runs_of(db, here().id))
        if proposed:
            return _page(rule, measure, runs)
        try:
            report = trust_report(db, here().id, choice=rule.choice, measure=measure, steps=steps)
        except WorkbenchError as error:
            return _page(rule, measure, runs, findings=findings_of(error, "Trust")), status_of(error)
    return _page(rule, measure, runs, report)


@blueprint.get("/progress/<any(report, collection, depth, holes, topics):question>")
@reader
def progress(question: str) -> str | tuple[str, int]:
    """How far the figures of a card are, for a page that waits; nothing where they are not computed here."""
    found = UNDER_WAY.get(_asked(question))
    if found is None:
        return "", 204
    return render_template("trust/_progress.html", found=found)


@blueprint.get("/judges.<any(csv, json, tex):kind>")
@reader
@result
def judges_file() -> MadeResult:
    """Other judges: the table that `?part=` names as CSV, as JSON and LaTeX all of them."""
    report = _report()
    if report.judges is None:
        raise WorkbenchError("only one assessor has given grades", remedy="it takes two to compare")
    return MadeResult("trust-judges", judges_export(report.judges, _part(JUDGES)))


@blueprint.get("/runs.<any(csv, json, tex):kind>")
@reader
@result
def runs_file() -> MadeResult:
    """Other runs, likewise."""
    report = _report()
    if report.runs is None:
        raise WorkbenchError(
            "no run has brought judged documents into a pool", remedy="open a pool and judge"
        )
    return MadeResult("trust-runs", runs_export(report.runs, _part(RUNS)))


@blueprint.get(ADDRESS)
@reader
def question(question: str) -> str:
    """One of the questions: what htmx puts into the page, or a page of its own."""
    measure = _measure()
    ranking_measure(measure)
    with reading() as db, UNDER_WAY.follow(_asked(question)) as steps:
        rule = rule_form(db, here().id)
        answer = _answer(db, question, rule, measure, steps)
    return render_template(
        f"trust/_{question}.html" if wants_fragment() else "trust/question.html",
        form=rule,
        measure=measure,
        unfolded=not wants_fragment(),
        **answer,
    )


def _answer(db: Session, question: str, rule: RuleForm, measure: str, steps: Steps) -> dict[str, Any]:
    """What the card of a question shows, with the share judged."""
    asked = QUESTIONS[question]
    found, refused, coverage = None, None, None
    sample, unsampled = None, None
    try:
        found = asked.compute(db, rule.choice, measure, steps)
        if isinstance(found, Holes):
            sample, unsampled = _sample(db, rule.choice)
        coverage = coverage_of(db, here().id, ranked_runs(db, here().id, rule.choice).qrels)
    except WorkbenchError as error:
        # Not yet, or not of this campaign: its card says why.
        refused = error
    return {
        "question": question,
        "title": asked.title,
        "chosen": str(ranking_measure(measure)),
        "found": found,
        "refused": refused,
        "sample": sample,
        "unsampled": unsampled,
        "coverage": coverage,
        "advice_kinds": ADVICE,
        "most_topics": MOST_TOPICS,
        "most_runs": MOST_RUNS,
        "plot": _depth_plot(found) if isinstance(found, DeeperPool) else None,
    }


def _sample(db: Session, choice: RuleChoice) -> tuple[Estimable | None, WorkbenchError | None]:
    """The sample that scores are estimated from, or why none are."""
    try:
        return campaign_sample(db, here().id, choice=choice), None
    except WorkbenchError as error:
        return None, error


@blueprint.get(ADDRESS + ".<any(csv, json, tex):kind>")
@reader
@result
def question_file(question: str) -> MadeResult:
    """The tables of a question: the one that `?part=` names as CSV, as JSON and LaTeX all of them."""
    asked = QUESTIONS[question]
    part = _part(asked.parts)
    with reading() as db, UNDER_WAY.follow(_asked(question)) as steps:
        choice = rule_form(db, here().id).choice
        found = asked.compute(db, choice, _measure(), steps)
    return MadeResult(f"trust-{question}", asked.export(found, part))


@blueprint.get("/report")
@reader
def collection() -> str | tuple[str, int]:
    """The report on the collection; htmx fetches it, which may take seconds, unless `show` is given."""
    shown = wants_fragment() or "show" in request.args
    findings: tuple[Finding, ...] = ()
    text = None
    with reading() as db, UNDER_WAY.follow(_asked("collection")) as steps:
        rule = rule_form(db, here().id)
        try:
            text = _collection_markdown(db, rule.choice, steps) if shown else None
        except WorkbenchError as error:
            findings = findings_of(error, "Report")
    page = render_template(
        "trust/_collection.html" if wants_fragment() else "trust/collection.html",
        form=rule,
        measure=_measure(),
        shown=shown,
        rendered=None if text is None else render_report(text),
        findings=findings,
    )
    return (page, 422) if findings else page


@blueprint.get("/report.md")
@reader
@result
def collection_file() -> MadeResult:
    """The same as a Markdown file."""
    with reading() as db, UNDER_WAY.follow(_asked("collection")) as steps:
        text = _collection_markdown(db, rule_form(db, here().id).choice, steps)
    return MadeResult("report", text=TextFile("md", "text/markdown", (text.encode("utf-8", "replace"),)))


def _collection_markdown(db: Session, choice: RuleChoice, steps: Steps) -> str:
    found = collection_report(db, here().id, choice=choice, measure=_measure(), steps=steps)
    return report_markdown(found)


def _depth_plot(found: DeeperPool) -> dict[str, Any]:
    """Relevant documents by depth: found, fitted, and extrapolated with the interval."""
    return {
        "depth": found.question.depth,
        "points": [[one.depth, one.found, one.fitted, one.low, one.high] for one in found.curve],
    }


def _asked(part: str) -> tuple[object, ...]:
    """Which figures of which campaign the request is about, the measure and the rule as they are given."""
    given = request.args.items(multi=True)
    return (here().id, part, *sorted(one for one in given if one[0] not in ABOUT_THE_PAGE))


def _measure() -> str:
    return request.args.get("measure", MEASURE)


def _report() -> TrustReport:
    with reading() as db, UNDER_WAY.follow(_asked("report")) as steps:
        choice = rule_form(db, here().id).choice
        return trust_report(db, here().id, choice=choice, measure=_measure(), steps=steps)


def _part(parts: Collection[str]) -> str:
    part = request.args.get("part") or next(iter(parts))
    if part not in parts:
        raise WorkbenchError(f"there is no table {part}", remedy=f"one of {', '.join(parts)}")
    return part


def _page(
    rule: RuleForm,
    measure: str,
    runs: int,
    report: TrustReport | None = None,
    findings: tuple[Finding, ...] = (),
) -> str:
    return render_template(
        "trust/_report.html" if wants_fragment() else "trust/index.html",
        form=rule,
        rules=RULES,
        measure=measure,
        runs=runs,
        report=report,
        unfolded=False,
        findings=findings,
        verdict_between=verdict_between,
        fewest_runs=FEWEST_RUNS,
        most_pairs=MOST_PAIRS,
        most_runs=MOST_RUNS,
        questions=[(name, one.title) for name, one in QUESTIONS.items()],
    )
