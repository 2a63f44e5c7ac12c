"""One run in detail: its summary sheet, precision by recall, and every topic against the median."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint

from workbench.errors import NotFound
from workbench.scoring.binary_kernels import LEVELS
from workbench.scoring.measures import CUTOFFS
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.pages.scores.form import (
    Make,
    ScoreForm,
    detail,
    known_tag,
    render_detail,
    score_form,
    whole_detail,
)
from workbench.web.requests import Reply, Values
from workbench.web.results import MadeResult, result
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.scores.run_profile import (
    RunProfile,
    profile_topics_export,
    run_profile,
    sheet_export,
)

blueprint = Blueprint("run_scores", __name__, url_prefix="/c/<slug>/scores/run")


@blueprint.get("")
@reader
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
