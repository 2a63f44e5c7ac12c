"""How far the collection may be trusted: other judges, other runs, a deeper pool, holes, fewer topics."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from flask import Blueprint, render_template, request

from workbench.consensus.rules import RULES, RuleChoice
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
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
from workbench.web.context import read_here, reading, reading_here
from workbench.web.downloads import MadeResult, TextFile, part_asked, result
from workbench.web.forms import Findings, errors_on, findings_of
from workbench.web.jobs import ShownJob, job_now, job_result
from workbench.web.pages.qrels import RuleForm, rule_form
from workbench.web.rendering import render_report
from workbench.web.requests import Reply, Values, wants_fragment
from workbench.workflow.jobs import result_from
from workbench.workflow.runs.run_records import runs_of
from workbench.workflow.scores.score_table import coverage_of
from workbench.workflow.trust.jobs import ANSWERS, COLLECTION, TRUST, question_arguments, state_of
from workbench.workflow.trust.questions import FEWEST_RUNS as FEWEST_TO_RANK
from workbench.workflow.trust.questions import (
    Estimable,
    Rankings,
    TrustReport,
    campaign_sample,
    ranked_runs,
    trust_report,
)

blueprint = Blueprint("trust", __name__, url_prefix="/c/<slug>/trust")
MEASURE = "AP"
MOST_PAIRS = MOST_TOPICS = 10
MOST_RUNS = 20
FEWEST_RUNS = 5
"""Of fewer runs a rank correlation says nothing."""


@frozen_dataclass
class TrustQuestion:
    """A question with a request of its own: the title of its card, its tables."""

    title: str
    export: Callable[[Any, str], Export]
    parts: Collection[str]


QUESTIONS = {
    "depth": TrustQuestion("Would a deeper pool find more?", depth_export, DEPTH),
    "holes": TrustQuestion("How much of the runs is judged?", holes_export, HOLES),
    "topics": TrustQuestion("Would other topics rank the runs the same?", fewer_topics_export, TOPICS),
}
"""In the order of the page. To add one: a line here, its name in `ADDRESS`, what answers it in
`workflow.trust.jobs`; `trust/_<name>.html` is its card."""
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
def index() -> str:
    """Other assessors and other runs, ranked by one job, and `QUESTIONS`, each once it is computed."""
    with reading() as db:
        rule, runs = rule_form(db), len(runs_of(db, here().id))
    page = partial(_page, rule, runs)
    if runs < FEWEST_TO_RANK or not rule.assessors:
        return page()
    with errors_on(page, "Trust"):
        ranking_measure(_measure())
        shown = _shown("rankings", rule)
        if shown.refused is not None:
            raise shown.refused
        ranked = _answer_of("rankings", shown)
        if ranked is None:
            return page(shown=shown)
        report = read_here(trust_report, choice=rule.choice, measure=_measure(), ranked=ranked)
    return page(report, shown)


@blueprint.get("/judges.<any(csv, json):kind>")
@reader
@result
def judges_file() -> MadeResult:
    """Other judges: the table that `?part=` names as CSV, as JSON all of them."""
    report = _report()
    if report.judges is None:
        raise WorkbenchError(
            "only one assessor has given grades",
            remedy="have a second assessor judge: it takes two to compare",
        )
    return MadeResult("trust-judges", judges_export(report.judges, part_asked(JUDGES)))


@blueprint.get("/runs.<any(csv, json):kind>")
@reader
@result
def runs_file() -> MadeResult:
    """Other runs, likewise."""
    report = _report()
    if report.runs is None:
        raise WorkbenchError(
            "no run has contributed judged documents to a pool", remedy="open a pool and judge"
        )
    return MadeResult("trust-runs", runs_export(report.runs, part_asked(RUNS)))


@blueprint.get(ADDRESS)
@reader
def question(question: str) -> str:
    """One of the questions: what htmx puts into the page, or a page of its own."""
    chosen = str(ranking_measure(_measure()))
    with reading() as db:
        rule = rule_form(db)
    shown = _shown(question, rule)
    found, refused = _answer_of(question, shown), shown.refused
    coverage, sample, unsampled = None, None, None
    try:
        with reading_here() as (db, campaign_id):
            if isinstance(found, Holes):
                sample, unsampled = _sample(db, rule.choice)
            if found is not None:
                coverage = coverage_of(db, campaign_id, ranked_runs(db, campaign_id, rule.choice).qrels)
    except WorkbenchError as error:
        # Not yet, or not of this campaign: its card says why.
        refused = error
    return render_template(
        f"trust/_{question}.html" if wants_fragment() else "trust/question.html",
        form=rule,
        measure=_measure(),
        unfolded=not wants_fragment(),
        question=question,
        title=QUESTIONS[question].title,
        chosen=chosen,
        found=None if refused else found,
        refused=refused,
        shown=shown,
        sample=sample,
        unsampled=unsampled,
        coverage=coverage,
        advice_kinds=ADVICE,
        most_topics=MOST_TOPICS,
        most_runs=MOST_RUNS,
        plot=_depth_plot(found) if isinstance(found, DeeperPool) else None,
    )


def _shown(question: str, rule: RuleForm) -> ShownJob:
    """What there is of the answer to a question; it is computed anew where the campaign has changed."""
    state = read_here(state_of)
    return job_now(TRUST, question_arguments(question, rule.choice, _measure()), depends_on=state)


def _answer_of(question: str, shown: ShownJob) -> Any:
    """The answer as what `ANSWERS` says; None where there is none, or one of another version."""
    try:
        return None if shown.result is None else result_from(ANSWERS[question], shown.result)
    except ValueError:
        return None


def _computed(question: str) -> tuple[bytes, RuleChoice]:
    """The answer to a question as things are now, which a file waits for, and the rule of its qrels."""
    ranking_measure(_measure())
    with reading() as db:
        rule, state = rule_form(db), state_of(db, here().id)
    asked = question_arguments(question, rule.choice, _measure())
    return job_result(TRUST, asked, depends_on=state), rule.choice


def _sample(db: Session, choice: RuleChoice) -> tuple[Estimable | None, WorkbenchError | None]:
    """The sample that scores are estimated from, or why none are."""
    try:
        return campaign_sample(db, here().id, choice=choice), None
    except WorkbenchError as error:
        return None, error


@blueprint.get(ADDRESS + ".<any(csv, json):kind>")
@reader
@result
def question_file(question: str) -> MadeResult:
    """The tables of a question: the one that `?part=` names as CSV, as JSON all of them."""
    asked = QUESTIONS[question]
    part = part_asked(asked.parts)
    found, _ = _computed(question)
    return MadeResult(f"trust-{question}", asked.export(result_from(ANSWERS[question], found), part))


@blueprint.get("/report")
@reader
def collection() -> Reply:
    """The report on the collection."""
    findings: Findings = ()
    shown = ShownJob()
    with reading() as db:
        rule = rule_form(db)
    try:
        ranking_measure(_measure())
        shown = _shown(COLLECTION, rule)
        if shown.refused is not None:
            raise shown.refused
    except WorkbenchError as error:
        findings = findings_of(error, "Report")
    page = render_template(
        "trust/_collection.html" if wants_fragment() else "trust/collection.html",
        form=rule,
        measure=_measure(),
        shown=shown,
        rendered=None if shown.result is None else render_report(shown.result.decode()),
        findings=findings,
    )
    return (page, 422) if findings else page


@blueprint.get("/report.md")
@reader
@result
def collection_file() -> MadeResult:
    """The same as a Markdown file."""
    text, _ = _computed(COLLECTION)
    return MadeResult("report", text=TextFile("md", "text/markdown", (text,)))


def _depth_plot(found: DeeperPool) -> Values:
    """Lines over the depth: found, then expected with the interval of a prediction."""
    lines = (("found", "found"), ("expected", "fitted"), ("interval from", "low"), ("interval to", "high"))
    points = {
        name: [(one.depth, value) for one in found.curve if (value := getattr(one, part)) is not None]
        for name, part in lines
    }
    return {
        "x": "Depth of the pool",
        "y": "Relevant documents",
        "mark": found.question.depth,
        "lines": [{"name": name, "points": of_line} for name, of_line in points.items() if of_line],
    }


def _measure() -> str:
    return request.args.get("measure", MEASURE)


def _report() -> TrustReport:
    found, choice = _computed("rankings")
    return read_here(trust_report, choice=choice, measure=_measure(), ranked=result_from(Rankings, found))


def _page(
    rule: RuleForm,
    runs: int,
    report: TrustReport | None = None,
    shown: ShownJob | None = None,
    findings: Findings = (),
) -> str:
    return render_template(
        "trust/_report.html" if wants_fragment() else "trust/index.html",
        form=rule,
        rules=RULES,
        measure=_measure(),
        runs=runs,
        report=report,
        shown=shown,
        unfolded=False,
        findings=findings,
        verdict_between=verdict_between,
        fewest_runs=FEWEST_RUNS,
        most_pairs=MOST_PAIRS,
        most_runs=MOST_RUNS,
        questions=[(name, one.title) for name, one in QUESTIONS.items()],
    )
