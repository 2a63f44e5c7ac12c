"""The leaderboard: runs by measures on the qrels of a rule."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from flask import Blueprint, render_template

from workbench.consensus.rules import RULES
from workbench.scoring.measures import namesakes
from workbench.scoring.own_measures import example_names
from workbench.scoring.scorer import best_first
from workbench.web.access import reader
from workbench.web.context import reading
from workbench.web.forms import Findings, errors_on, query_text, sent_id
from workbench.web.pages.scores.form import (
    ScoreForm,
    score_form,
    scored,
)
from workbench.web.paging import page_of
from workbench.web.requests import Reply, Values, wants_fragment
from workbench.web.results import MadeResult, result
from workbench.workflow.scores.leaderboard import (
    Leaderboard,
    LeaderLine,
    alike_with_best,
    leaderboard,
    leaderboard_export,
)
from workbench.workflow.scores.score_table import ScoreTable

blueprint = Blueprint("scores", __name__, url_prefix="/c/<slug>/scores")
LEADERS = 14
"""Runs on a page of the leaderboard, two lines each: two screens."""


@blueprint.get("")
@reader
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
