"""Runs against one another: two of them, topic by topic, and every two."""

from __future__ import annotations

from flask import Blueprint

from workbench.errors import WorkbenchError
from workbench.scoring.pairs_of_runs import Comparisons, default_comparisons
from workbench.scoring.scorer import best_first
from workbench.scoring.two_runs import (
    METHODS,
    AllPairs,
    TwoRuns,
    all_pairs_export,
    method_in_words,
    two_runs_export,
)
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import named, query_text
from workbench.web.pages.scores.form import (
    Make,
    ScoreForm,
    detail,
    known_tag,
    render_detail,
    score_form,
    seed_text,
    sent_seed,
    whole_detail,
)
from workbench.web.paging import page_of
from workbench.web.requests import Reply, Values
from workbench.web.results import MadeResult, result
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.scores.leaderboard import table_pairs, table_two_runs
from workbench.workflow.scores.score_table import ScoreTable

blueprint = Blueprint("run_pairs", __name__, url_prefix="/c/<slug>/scores")
MOST_PAIRS = 200
LINES = 20


@blueprint.get("/pairs")
@reader
def index() -> Reply:
    """Every two runs by `?method=` and `?seed=`; `?from=` is the first of the runs that are shown."""
    with reading() as db:
        of = detail(db, score_form(db), _all_of())
    pairs = of.found
    return render_detail(
        "pairs",
        of,
        methods=METHODS,
        method=str(pairs.compared.comparisons) if pairs else query_text("method"),
        seed=seed_text(),
        words=method_in_words(pairs.compared) if pairs else "",
        ranked=page_of(pairs.ranked, LINES) if pairs else None,
        lines=pairs.first_lines(MOST_PAIRS) if pairs else (),
    )


@blueprint.get("/pairs.<any(csv, tex, json):kind>")
@reader
@result
def index_file() -> MadeResult:
    """Every two runs: as CSV and JSON with all digits, or as LaTeX."""
    with reading() as db:
        found = whole_detail(db, score_form(db), _all_of())
    return MadeResult("pairs", all_pairs_export(found))


@blueprint.get("/two")
@reader
def two() -> Reply:
    """The runs that `?first=` and `?second=` name, else the two best."""
    with reading() as db:
        form = score_form(db)
        of = detail(db, form, _two_of(form))
        titles = topic_titles(db, here().id)
    return render_detail(
        "two",
        of,
        titles=titles,
        plot=_differences(of.found, titles) if of.found else None,
    )


@blueprint.get("/two.<any(csv, tex, json):kind>")
@reader
@result
def two_file() -> MadeResult:
    """Two runs: their topics as CSV, their tests as LaTeX, both as JSON."""
    with reading() as db:
        form = score_form(db)
        found = whole_detail(db, form, _two_of(form))
    return MadeResult("two-runs", two_runs_export(found))


def _all_of() -> Make[AllPairs]:
    return lambda table, shown: table_pairs(table, shown, _method(table), seed=sent_seed())


def _two_of(form: ScoreForm) -> Make[TwoRuns]:
    first, second = known_tag(form, "first"), known_tag(form, "second")

    def make(table: ScoreTable, shown: str) -> TwoRuns:
        best = best_first(table.runs, shown)
        others = [run.tag for run in best if run.tag not in (first, second)]
        one = first or (others.pop(0) if others else "")
        other = second or (others.pop(0) if others else "")
        missing = {one, other} - {run.tag for run in best}
        if missing:
            raise WorkbenchError("two of the scored runs are needed", remedy="choose them on the leaderboard")
        return table_two_runs(table, shown, one, other, seed=sent_seed())

    return make


def _method(table: ScoreTable) -> Comparisons:
    name = query_text("method") or default_comparisons(table.qrels.summary.topics)
    method = named(Comparisons, name)
    if method is None:
        raise WorkbenchError(f"there is no test {name!r}", remedy=f"choose one of {', '.join(METHODS)}")
    return method


def _differences(found: TwoRuns, titles: dict[str, str]) -> Values:
    """A column for every topic: how far the first run is ahead."""
    rows = [
        {
            "name": topic,
            "note": titles.get(topic, ""),
            "value": difference,
            "parts": [[found.first.tag, one], [found.second.tag, other]],
        }
        for topic, one, other, difference in found.topics
    ]
    return {"y": f"{found.shown}, difference", "rows": rows}
