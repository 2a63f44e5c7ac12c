"""The topics by difficulty, or by how far the runs disagree on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flask import Blueprint

from workbench.scoring.topic_difficulty import ORDERS, TopicSpread, TopicTable, topic_table_export
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import query_text
from workbench.web.pages.scores.form import (
    detail,
    render_detail,
    score_form,
    whole_detail,
)
from workbench.web.paging import page_of
from workbench.web.requests import Reply, Values
from workbench.web.results import MadeResult, result
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.scores.run_profile import table_topics
from workbench.workflow.scores.score_table import ScoreTable

blueprint = Blueprint("topic_scores", __name__, url_prefix="/c/<slug>/scores/topics")
LINES = 20
"""Topics in the table of a page, below the plot of all."""


@blueprint.get("")
@reader
def index() -> Reply:
    """What the runs score on each topic; `?order=` is one of ORDERS."""
    with reading() as db:
        of = detail(db, score_form(db), _topics)
        titles = topic_titles(db, here().id)
    rows = page_of(of.found.lines, LINES) if of.found else None
    plot = _spread(rows.rows, of.found.shown, titles) if of.found and rows else None
    return render_detail("topics", of, titles=titles, orders=ORDERS, order=_order(), plot=plot, rows_of=rows)


@blueprint.get("/table.<any(csv, json):kind>")
@reader
@result
def table_file() -> MadeResult:
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
