"""Scores: runs by measures on the qrels of a rule, and one run topic by topic."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.consensus.rules import RULES
from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.records import Verdict
from workbench.scoring.listed import example_names
from workbench.scoring.measures import parse_measures
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.downloads import export_file
from workbench.web.forms import findings_of, sent_id, sent_ids, status_of
from workbench.web.ids import write_id
from workbench.web.pages.qrels.rule_form import RuleForm, rule_form
from workbench.web.requests import wants_fragment
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.runs.run_records import CampaignRun, runs_of
from workbench.workflow.scores.score_table import ScoreTable, default_measures, score_export, score_runs

blueprint = Blueprint("scores", __name__, url_prefix="/c/<slug>/scores")


@dataclass(frozen=True, slots=True)
class ScoreForm:
    """What is to be scored, from the address; `asked` is false before the form was sent."""

    asked: bool
    rule: RuleForm
    measures: str
    runs: tuple[CampaignRun, ...]
    tags: frozenset[str]

    def arguments(self) -> dict[str, str | list[str]]:
        """The same in an address; all runs need not be named."""
        chosen: dict[str, str | list[str]] = {**self.rule.arguments(), "measures": self.measures}
        if len(self.tags) < len(self.runs):
            chosen["run"] = [write_id(run.tag) for run in self.runs if run.tag in self.tags]
        return chosen


@blueprint.get("")
@reader
def index() -> str | tuple[str, int]:
    """The form and its table; before the form is sent, htmx fetches the table of what it proposes."""
    with reading() as db:
        form = _form(db)
        if not form.asked and not wants_fragment():
            return _page(form)
        try:
            table = _scored(db, form)
        except WorkbenchError as error:
            return _page(form, findings=findings_of(error, "Scores")), status_of(error)
    return _page(form, table)


@blueprint.get("/run")
@reader
def run() -> str:
    """One run topic by topic; `?tag=` names it."""
    tag = sent_id("tag")
    with reading() as db:
        form = _form(db)
        if tag not in {one.tag for one in form.runs}:
            raise NotFound(f"there is no run {tag!r} in this campaign")
        table = score_runs(db, here().id, choice=form.rule.choice, measures=form.measures, tags=[tag])
        titles = {topic.id: topic.title for topic in topics_of(db, here().id)}
    return render_template("scores/run.html", form=form, table=table, scores=table.runs[0], titles=titles)


@blueprint.get("/table.csv")
@reader
def table_csv() -> Response:
    """Runs by measures as CSV, with all digits."""
    with reading() as db:
        table = _scored(db, _form(db))
    return export_file(score_export(table), "csv", f"{here().slug}.scores")


def _form(db: Session) -> ScoreForm:
    runs = runs_of(db, here().id)
    asked = "measures" in request.args
    # Without a ticked box the form sends no run, but `asked`.
    named = sent_ids("run")
    counted = [one.tag for one in runs if one.verdict is not Verdict.SET_ASIDE]
    tags = named if named or "asked" in request.args else counted
    rule = rule_form(db, here().id)
    scale = campaign_of(db, here().id).scale
    measures = request.args.get("measures") if asked else default_measures(scale, rule.choice)
    return ScoreForm(asked, rule, measures or "", runs, frozenset(tags))


def _scored(db: Session, form: ScoreForm) -> ScoreTable:
    findings: list[Finding] = []
    try:
        parse_measures(form.measures)
    except WorkbenchError as error:
        findings.extend(findings_of(error, "Measures", "measures"))
    if not form.tags and form.runs:
        findings.append(Finding("Runs", None, "run", "no run is chosen", "choose one or more"))
    if findings:
        raise InvalidInput(findings)
    return score_runs(db, here().id, choice=form.rule.choice, measures=form.measures, tags=form.tags or None)


def _page(form: ScoreForm, table: ScoreTable | None = None, findings: tuple[Finding, ...] = ()) -> str:
    template = "scores/_table.html" if wants_fragment() else "scores/index.html"
    tops = (
        {}
        if table is None
        else {name: max(one.values[name] for one in table.runs) for name in table.measures}
    )
    return render_template(
        template, form=form, rules=RULES, table=table, tops=tops, findings=findings, examples=example_names()
    )
