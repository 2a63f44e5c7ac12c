"""The scores of one run, of two, of all pairs of runs, and curves."""

from __future__ import annotations

from dataclasses import replace
from operator import eq, itemgetter

from flask import Blueprint, request

from workbench.errors import NotFound, WorkbenchError
from workbench.scoring.binary_kernels import LEVELS
from workbench.scoring.curves import RULES, CurveOptions, RunCurves, run_curves_export
from workbench.scoring.measures import CUTOFFS
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
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.downloads import MadeResult, result
from workbench.web.forms import named, query_text, sent_ids, whole_number
from workbench.web.large_pages import made_by_job_if_large
from workbench.web.pages.scores.leaderboard import (
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
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.scores.leaderboard import table_pairs, table_two_runs
from workbench.workflow.scores.score_table import (
    RunProfile,
    ScoreTable,
    profile_topics_export,
    run_profile,
    sheet_export,
    table_curves,
)

blueprint = Blueprint("run_scores", __name__, url_prefix="/c/<slug>/scores/run")


@blueprint.get("")
@reader
@made_by_job_if_large
def index() -> Reply:
    """The run that `?tag=` names, among the runs of the form."""
    with reading() as db:
        form, tag = _form(db)
        of = detail(db, form, _profile_of(db, tag))
        titles = topic_titles(db, here().id)
    return render_detail(
        "run",
        of,
        tag=tag,
        titles=titles,
        levels=LEVELS,
        cutoffs=CUTOFFS,
        medians=_medians(of.found, titles) if of.found else None,
        curve=_curve(of.found) if of.found else None,
    )


@blueprint.get("/topics.<any(csv, json):kind>")
@reader
@result
def topics_file() -> MadeResult:
    """The topics as CSV or JSON, with all digits."""
    profile = _whole_profile()
    return MadeResult(f"{profile.scores.tag}.topics", profile_topics_export(profile))


@blueprint.get("/sheet.<any(csv, json):kind>")
@reader
@result
def sheet_file() -> MadeResult:
    """The summary sheet as CSV or JSON, with all digits."""
    profile = _whole_profile()
    return MadeResult(f"{profile.scores.tag}.sheet", sheet_export(profile))


def _whole_profile() -> RunProfile:
    with reading() as db:
        form, tag = _form(db)
        return whole_detail(db, form, _profile_of(db, tag))


def _form(db: Session) -> tuple[ScoreForm, str]:
    form = score_form(db)
    tag = known_tag(form, "tag")
    if not tag:
        raise NotFound("no run is named", remedy="choose one on the leaderboard")
    return replace(form, tags=form.tags | {tag}), tag


def _profile_of(db: Session, tag: str) -> Make[RunProfile]:
    return lambda table, shown: run_profile(db, here().id, table, tag, shown)


def _medians(profile: RunProfile, titles: dict[str, str]) -> Values:
    """A column for every topic: how far the run is above or below the median."""
    rows = [
        {
            "name": line.topic,
            "note": titles.get(line.topic, ""),
            "value": line.difference,
            "parts": [[profile.scores.tag, line.score], ["median", line.median]],
        }
        for line in profile.lines
    ]
    return {"y": f"{profile.shown}, difference from the median", "rows": rows}


def _curve(profile: RunProfile) -> Values:
    """The interpolated precision over recall."""
    points = [list(point) for point in zip(LEVELS, profile.sheet.levels, strict=True)]
    return {
        "x": "Recall",
        "y": "Precision",
        "shares": True,
        "lines": [{"name": profile.scores.tag, "points": points}],
    }


pairs = Blueprint("run_pairs", __name__, url_prefix="/c/<slug>/scores")
MOST_PAIRS = 200
LINES = 20


@pairs.get("/pairs", endpoint="index")
@reader
@made_by_job_if_large
def pairs_page() -> Reply:
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


@pairs.get("/pairs.<any(csv, tex, json):kind>")
@reader
@result
def index_file() -> MadeResult:
    """Every two runs: as CSV and JSON with all digits, or as LaTeX."""
    with reading() as db:
        found = whole_detail(db, score_form(db), _all_of())
    return MadeResult("pairs", all_pairs_export(found))


@pairs.get("/two")
@reader
@made_by_job_if_large
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


@pairs.get("/two.<any(csv, tex, json):kind>")
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


curves = Blueprint("score_curves", __name__, url_prefix="/c/<slug>/scores/curves")
KINDS = {"recall-precision": "Precision by recall", "gain": "nDCG by rank"}
INTERPOLATIONS = {"max": "Highest from there on (TREC)", "bucket": "Highest up to the next level"}
"""The rules in short, for a field; the card names the rule in full."""
MOST_LINES = 6
"""As many as can be told apart in one plot."""
DEEPEST = 100


@curves.get("", endpoint="index")
@reader
@made_by_job_if_large
def curves_page() -> Reply:
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


@curves.get("/table.<any(csv, json):kind>")
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
