"""Curves of several runs in one plot: precision by recall, or nDCG by rank."""

from __future__ import annotations

from operator import eq, itemgetter

from flask import Blueprint, request

from workbench.errors import NotFound, WorkbenchError
from workbench.scoring.curves import RULES, CurveOptions, RunCurves, run_curves_export
from workbench.scoring.scorer import best_first
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import query_text, sent_ids, whole_number
from workbench.web.pages.scores.form import Make, ScoreForm, detail, render_detail, score_form, whole_detail
from workbench.web.requests import Reply, Values
from workbench.web.results import MadeResult, result
from workbench.workflow.scores.run_profile import table_curves
from workbench.workflow.scores.score_table import ScoreTable

blueprint = Blueprint("score_curves", __name__, url_prefix="/c/<slug>/scores/curves")
KINDS = {"recall-precision": "Precision by recall", "gain": "nDCG by rank"}
INTERPOLATIONS = {"max": "Highest from there on (TREC)", "bucket": "Highest up to the next level"}
"""The rules in short, for a field; the card names the rule in full."""
MOST_LINES = 6
"""As many as can be told apart in one plot."""
DEEPEST = 100


@blueprint.get("")
@reader
def index() -> Reply:
    """The runs that `?drawn=` names, else the best five, by `?curve=`."""
    with reading() as db:
        form = score_form(db)
        of = detail(db, form, _curves_of(db, form))
    return render_detail(
        "curves",
        of,
        kinds=KINDS,
        kind=_kind(),
        interpolations=INTERPOLATIONS,
        interpolation=_interpolation(),
        depth=request.args.get("depth", "20"),
        drawn=[line.tag for line in of.found.lines] if of.found else [],
        most=MOST_LINES,
        deepest=DEEPEST,
        plot=_plot(of.found) if of.found else None,
        ahead=_most_often_highest(of.found) if of.found else None,
    )


@blueprint.get("/table.<any(csv, json):kind>")
@reader
@result
def table_file() -> MadeResult:
    """The table as CSV or JSON, with all digits."""
    with reading() as db:
        form = score_form(db)
        found = whole_detail(db, form, _curves_of(db, form))
    return MadeResult(found.kind, run_curves_export(found))


def _curves_of(db: Session, form: ScoreForm) -> Make[RunCurves]:
    named = sent_ids("drawn")
    unknown = set(named) - {run.tag for run in form.runs}
    if unknown:
        raise NotFound(f"there is no run {min(unknown)!r} in this campaign")

    def make(table: ScoreTable, shown: str) -> RunCurves:
        best = [run.tag for run in best_first(table.runs, shown)]
        tags = [tag for tag in best if tag in named] if named else best[: MOST_LINES - 1]
        if not tags or len(tags) > MOST_LINES:
            raise WorkbenchError(
                f"{len(tags)} runs cannot be drawn in one plot", remedy=f"choose one to {MOST_LINES} of them"
            )
        options = CurveOptions(depth=_depth(), rel=table.qrels.relevant_from, interpolation=_interpolation())
        return table_curves(db, here().id, table, tags, _kind(), options)

    return make


def _most_often_highest(found: RunCurves) -> tuple[str, int]:
    """The run that is highest, alone or with others, at most points, and at how many."""
    highest = [max(values) for values in zip(*(line.values for line in found.lines), strict=True)]
    counts = [(sum(map(eq, line.values, highest)), line.tag) for line in found.lines]
    count, tag = max(counts, key=itemgetter(0))
    return tag, count


def _kind() -> str:
    kind = query_text("curve") or next(iter(KINDS))
    if kind not in KINDS:
        raise WorkbenchError(f"there is no curve {kind!r}", remedy=f"choose one of {', '.join(KINDS)}")
    return kind


def _interpolation() -> str:
    rule = query_text("interpolation") or next(iter(RULES))
    if rule not in RULES:
        raise WorkbenchError(f"there is no rule {rule!r}", remedy=f"choose one of {', '.join(RULES)}")
    return rule


def _depth() -> int:
    depth = whole_number(request.args.get("depth", "20").strip())
    if depth is None or not 1 <= depth <= DEEPEST:
        raise WorkbenchError("the last rank is not valid", remedy=f"enter a whole number from 1 to {DEEPEST}")
    return depth


def _plot(found: RunCurves) -> Values:
    lines = [
        {"name": line.tag, "points": [list(point) for point in zip(found.x, line.values, strict=True)]}
        for line in found.lines
    ]
    return {
        "x": found.over.capitalize(),
        "y": "Precision" if found.figure == "precision" else found.figure,
        "shares": True,
        "first": 1 if found.over == "rank" else 0,
        "lines": lines,
    }
