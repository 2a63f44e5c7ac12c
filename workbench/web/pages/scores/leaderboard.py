"""The leaderboard and the scores by topic, with the form and the table that every page of scores reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, TypeVar

from flask import Blueprint, render_template, request

from workbench.consensus.rules import RULES
from workbench.errors import Finding, InvalidInput, NotFound, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Verdict
from workbench.scoring.measures import namesakes, parse_measures
from workbench.scoring.own_measures import example_names
from workbench.scoring.scorer import best_first
from workbench.scoring.topic_difficulty import ORDERS, TopicSpread, TopicTable, topic_table_export
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.downloads import MadeResult, result
from workbench.web.forms import (
    Findings,
    errors_on,
    findings_of,
    query_text,
    sent_id,
    sent_ids,
    status_of,
    whole_number,
)
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.pages.qrels import RuleForm, rule_form
from workbench.web.paging import page_of
from workbench.web.requests import Reply, Values, wants_fragment, write_id
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.runs.run_records import ListedRun, listed_runs
from workbench.workflow.scores.leaderboard import (
    Leaderboard,
    LeaderLine,
    alike_with_best,
    leaderboard,
    leaderboard_export,
)
from workbench.workflow.scores.score_table import ScoreTable, default_measures, score_runs, table_topics

LARGEST_SEED = 2**32 - 1
Result = TypeVar("Result")
Make = Callable[[ScoreTable, str], Result]
"""Makes something of the table and of the measure that a page shows."""


@frozen_dataclass
class ScoreForm:
    """What is to be scored, from the address; `asked` is false before the form was sent.

    `by` is the measure that a page shows, or what it sorts by; empty where the address names none.
    """

    asked: bool
    rule: RuleForm
    measures: str
    runs: tuple[ListedRun, ...]
    tags: frozenset[str]
    by: str

    @property
    def ready(self) -> bool:
        """Whether there are runs, and judgments to make qrels from."""
        return bool(self.runs and self.rule.assessors)

    def arguments(self) -> dict[str, str | list[str]]:
        """The same in an address; all runs need not be named."""
        chosen: dict[str, str | list[str]] = {**self.rule.arguments(), "measures": self.measures}
        if len(self.tags) < len(self.runs):
            chosen["run"] = [write_id(run.tag) for run in self.runs if run.tag in self.tags]
        return chosen

    def shown(self, table: ScoreTable) -> str:
        """The measure that a page about one measure shows; raises WorkbenchError for one not in the table."""
        if self.by and self.by not in table.measures:
            raise WorkbenchError(
                f"{self.by!r} is not among the measures", remedy=f"choose one of {', '.join(table.measures)}"
            )
        return self.by or table.measures[0]


def score_form(db: Session) -> ScoreForm:
    """What the address asks for, completed by what is proposed."""
    runs = listed_runs(db, here().id)
    asked = "measures" in request.args
    # Without a ticked box the form sends no run, but `asked`.
    named = sent_ids("run")
    counted = [one.tag for one in runs if one.verdict is not Verdict.SET_ASIDE]
    tags = named if named or "asked" in request.args else counted
    rule = rule_form(db)
    scale = campaign_of(db, here().id).scale
    measures = request.args.get("measures") if asked else default_measures(scale, rule.choice)
    by = query_text("by").strip()
    return ScoreForm(asked, rule, measures or "", runs, frozenset(tags), by)


def scored(db: Session, form: ScoreForm) -> ScoreTable:
    """The table of the form.

    Raises InvalidInput with all that is wrong with the form, else as `score_runs` does.
    """
    findings: list[Finding] = []
    try:
        parse_measures(form.measures)
    except WorkbenchError as error:
        findings.extend(findings_of(error, "Measures", "measures"))
    if not form.tags and form.runs:
        findings.append(Finding("Runs", None, "run", "no run is chosen", "choose one or more"))
    if findings:
        raise InvalidInput(findings)
    return score_runs(
        db,
        here().id,
        choice=form.rule.choice,
        measures=form.measures,
        tags=form.tags or None,
    )


@frozen_dataclass
class Detail(Generic[Result]):
    """What a page in detail shows: the table, and what is made of it; or what is wrong.

    There is neither where the campaign has no scores yet.
    """

    form: ScoreForm
    table: ScoreTable | None
    found: Result | None
    findings: Findings = ()
    status: int = 200


def detail(db: Session, form: ScoreForm, make: Make[Result]) -> Detail[Result]:
    """Make something of the table and the measure that the page shows."""
    if not form.ready:
        return Detail(form, None, None)
    try:
        table = scored(db, form)
        return Detail(form, table, make(table, form.shown(table)))
    except NotFound:
        raise
    except WorkbenchError as error:
        # Before anything was asked for, nothing is refused: the campaign has no scores yet.
        return Detail(form, None, None, findings_of(error, "Scores"), status_of(error) if form.asked else 200)


def whole_detail(db: Session, form: ScoreForm, make: Make[Result]) -> Result:
    """The same for a file; raises WorkbenchError where a page says what is wrong."""
    table = scored(db, form)
    return make(table, form.shown(table))


def render_detail(page: str, of: Detail[Any], **more: object) -> Reply:
    """A page in detail, or the part of it that comes after the page."""
    return render_template(
        f"scores/_{page}.html" if wants_fragment() else f"scores/{page}.html",
        detail=of,
        form=of.form,
        rules=RULES,
        **more,
    ), of.status


def known_tag(form: ScoreForm, field: str) -> str:
    """The run that a field of the address names, empty without one; raises NotFound for an unknown one."""
    tag = sent_id(field)
    if tag and tag not in {one.tag for one in form.runs}:
        raise NotFound(f"there is no run {tag!r} in this campaign")
    return tag


def seed_text() -> str:
    """The random seed as the address has it, 0 without one."""
    return query_text("seed").strip() or "0"


def sent_seed() -> int:
    """The random seed of the address; raises WorkbenchError for one that is none."""
    seed = whole_number(seed_text())
    if seed is None or not 0 <= seed <= LARGEST_SEED:
        raise WorkbenchError(
            f"the random seed cannot be {seed_text()!r}",
            remedy=f"enter a whole number up to {LARGEST_SEED:,}",
        )
    return seed


blueprint = Blueprint("scores", __name__, url_prefix="/c/<slug>/scores")
LEADERS = 14
"""Runs on a page of the leaderboard, two lines each: two screens."""


@blueprint.get("")
@reader
@made_by_job_if_large
def index() -> Reply:
    """The form and a page of its table; before the form is sent, htmx fetches the table of what it proposes.

    `?by=` and `?reverse=` order all runs; `?from=` is the first that is shown, `?at=` one that is shown.
    """
    with reading() as db:
        form = score_form(db)
        if not form.asked and not wants_fragment():
            return _page(form)
        with errors_on(partial(_page, form), "Scores"):
            table = scored(db, form)
            board = _sorted(table, form)
    return _page(form, table, board)


@blueprint.get("/table.<any(csv, tex, json):kind>")
@reader
@result
def table_file() -> MadeResult:
    """Runs by measures with intervals and bounds: as CSV and JSON with all digits, or as LaTeX."""
    with reading() as db:
        form = score_form(db)
        table = scored(db, form)
    return MadeResult("scores", leaderboard_export(_sorted(table, form)))


def _sorted(table: ScoreTable, form: ScoreForm) -> Leaderboard:
    return leaderboard(table, by=form.by, reverse=query_text("reverse") == "yes")


def _page(
    form: ScoreForm,
    table: ScoreTable | None = None,
    board: Leaderboard | None = None,
    findings: Findings = (),
) -> str:
    sought = sent_id("at")
    page = page_of(board.lines, LEADERS, place=board.place(sought)) if board else None
    return render_template(
        "scores/_table.html" if wants_fragment() else "scores/index.html",
        form=form,
        rules=RULES,
        table=table,
        board=board,
        page=page,
        sought=sought,
        namesakes=namesakes(board.table.measures) if board else (),
        best=best_first(board.table.runs, board.shown)[0].tag if board else "",
        alike=alike_with_best(board.table, board.shown) if board else None,
        plot=_plot(board, page.rows) if board and page else None,
        findings=findings,
        examples=example_names(),
    )


def _plot(board: Leaderboard, lines: Sequence[LeaderLine]) -> Values:
    """A dot for every run of a page by the measure shown, with its interval."""
    rows = []
    for line in lines:
        cell = line.cells[board.shown]
        rows.append(
            {
                "name": line.scores.tag,
                "note": line.group,
                "value": cell.value,
                "line": list(cell.bounds),
                "n": line.scores.topics_in_qrels,
            }
        )
    return {
        "x": board.shown,
        "rows": rows,
        "words": {"value": "mean", "line": "95 % interval", "n": "topics"},
    }


topics = Blueprint("topic_scores", __name__, url_prefix="/c/<slug>/scores/topics")
LINES = 20
"""Topics in the table of a page, below the plot of all."""


@topics.get("", endpoint="index")
@reader
@made_by_job_if_large
def topics_page() -> Reply:
    """What the runs score on each topic; `?order=` is one of ORDERS."""
    with reading() as db:
        of = detail(db, score_form(db), _topics)
        titles = topic_titles(db, here().id)
    rows = page_of(of.found.lines, LINES) if of.found else None
    plot = _spread(rows.rows, of.found.shown, titles) if of.found and rows else None
    return render_detail("topics", of, titles=titles, orders=ORDERS, order=_order(), plot=plot, rows_of=rows)


@topics.get("/table.<any(csv, json):kind>", endpoint="table_file")
@reader
@result
def topics_table_file() -> MadeResult:
    """The table as CSV or JSON, with all digits."""
    with reading() as db:
        found = whole_detail(db, score_form(db), _topics)
    return MadeResult(f"topics.{found.order}", topic_table_export(found))


def _topics(table: ScoreTable, shown: str) -> TopicTable:
    return table_topics(table, shown, _order())


def _order() -> str:
    return query_text("order") or "difficulty"


def _spread(lines: Sequence[TopicSpread], shown: str, titles: Mapping[str, str]) -> Values:
    """A dot for each topic of the page at its median, with its quartiles, in a band of all scores."""
    rows = [
        {
            "name": one.topic,
            "note": titles.get(one.topic, ""),
            "value": one.median,
            "line": [one.lower, one.upper],
            "band": [one.low, one.high],
            "n": one.runs,
        }
        for one in lines
    ]
    words = {"value": "median", "line": "quartiles", "band": "lowest to highest", "n": "runs"}
    return {"x": shown, "rows": rows, "words": words}
