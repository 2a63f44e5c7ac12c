"""The scores with and without the documents that only searching brought."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, request

from workbench.storage import Session
from workbench.trust.judges import verdict
from workbench.trust.left_out import ScoresLeftOut, left_out_export
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.pages.scores.form import (
    OF_TABLE,
    SEED,
    detail,
    render_detail,
    score_form,
    score_result,
    seed_text,
    sent_seed,
    whole_detail,
)
from workbench.web.paging import page_of
from workbench.web.results import CampaignResult, MadeResult, ResultOption, result
from workbench.workflow.scores.score_table import ScoreTable
from workbench.workflow.searching.left_out import CHOICES, pairs_to_leave_out, table_left_out

blueprint = Blueprint("score_without", __name__, url_prefix="/c/<slug>/scores/without")
LEAVE_OUT = ResultOption("leave_out", "What is left out of the qrels", tuple(CHOICES))


@blueprint.get("")
@reader
def index() -> tuple[str, int]:
    """The runs with and without what `?leave_out=` names, one of CHOICES, a page at a time."""
    with reading() as db:
        of = detail(db, score_form(db), _left_out_if_any(db))
    return render_detail(
        "without",
        of,
        choices=CHOICES,
        leave_out=_leave_out(),
        seed=seed_text(),
        verdict=verdict,
        shown=page_of(of.found.runs) if of.found else None,
    )


@blueprint.get("/table.<any(csv, tex, json):kind>")
@reader
@result(
    CampaignResult(
        "scores.without", "The scores without what searching found", "a run", (*OF_TABLE, LEAVE_OUT, SEED)
    )
)
def table_file() -> MadeResult:
    """The runs: as CSV and JSON with all digits, or as LaTeX."""
    with reading() as db:
        table, found = whole_detail(db, score_form(db), _left_out_of(db))
    return score_result(table, "scores-without", left_out_export(found))


def _left_out_if_any(db: Session) -> Callable[[ScoreTable, str], ScoresLeftOut | None]:
    """The same for the page, which has None where there is nothing to leave out."""
    make = _left_out_of(db)
    return lambda table, shown: (
        make(table, shown) if pairs_to_leave_out(db, here().id, table, _leave_out()) else None
    )


def _left_out_of(db: Session) -> Callable[[ScoreTable, str], ScoresLeftOut]:
    return lambda table, shown: table_left_out(db, here().id, table, shown, _leave_out(), seed=sent_seed())


def _leave_out() -> str:
    return request.args.get("leave_out") or next(iter(CHOICES))
