"""Agreement over time: by position in the sitting and by day, assessor by assessor."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.agreement.drift import Bin, Trend
from workbench.errors import Finding, WorkbenchError
from workbench.records import Scale
from workbench.storage import Session
from workbench.web.access import here
from workbench.web.door import reading
from workbench.web.downloads import csv_file
from workbench.web.forms import findings_of, whole_number
from workbench.web.grades_choice import Choice, read_choice
from workbench.web.readers import reader
from workbench.workflow.agreement.over_time import (
    BIN,
    GAP_MINUTES,
    TIME_COLUMNS,
    AssessorTime,
    TimeReport,
    over_time,
    time_rows,
)
from workbench.workflow.campaigns.campaigning import campaign_of

blueprint = Blueprint("agreement_time", __name__, url_prefix="/c/<slug>/agreement/time")


@blueprint.get("")
@reader
def index() -> str:
    """Everybody's trends, and one assessor's bins; `?assessor=` names that one."""
    findings: tuple[Finding, ...] = ()
    report = None
    with reading() as db:
        scale, choice = _asked(db)
        try:
            report = _report(db, choice)
        except WorkbenchError as error:
            findings = findings_of(error, "Agreement")
    shown = _shown(report) if report else None
    return render_template(
        "agreement_time/index.html",
        report=report,
        shown=shown,
        plots=_plots(report, shown) if report and shown else {},
        scale=scale,
        choice=choice,
        bin=_number("bin", BIN),
        gap=_number("gap", GAP_MINUTES),
        findings=findings,
    )


@blueprint.get("/table.csv")
@reader
def table_csv() -> Response:
    """Every assessor's bins and days as CSV, with all digits."""
    with reading() as db:
        report = _report(db, _asked(db)[1])
    return csv_file(TIME_COLUMNS, time_rows(report), f"{here().slug}.agreement.time.csv")


def _asked(db: Session) -> tuple[Scale, Choice]:
    scale = campaign_of(db, here().id).scale
    return scale, read_choice(scale)


def _number(name: str, usual: int) -> int:
    typed = whole_number(request.args.get(name, ""))
    return usual if typed is None else typed


def _report(db: Session, choice: Choice) -> TimeReport:
    return over_time(
        db,
        here().id,
        relevant_from=choice.relevant_from,
        graded=choice.graded,
        bin_size=_number("bin", BIN),
        gap_minutes=_number("gap", GAP_MINUTES),
    )


def _shown(report: TimeReport) -> AssessorTime | None:
    wanted = request.args.get("assessor", "")
    named = (one for one in report.assessors if one.name == wanted)
    return next(named, next(iter(report.assessors), None))


def _plots(report: TimeReport, one: AssessorTime) -> dict[str, dict[str, Any]]:
    size = report.bin

    def middle(found: Bin) -> float:
        return found.label * size + (size + 1) / 2

    positions = [
        _point(found, middle(found), f"judgment {found.label * size + 1} to {(found.label + 1) * size}")
        for found in one.by_position
        if found.agreement is not None
    ]
    days = [
        _point(day.found, place, day.day.isoformat())
        for place, day in enumerate(one.by_day, start=1)
        if day.found.agreement is not None
    ]
    return {
        "position": {
            "x": "Position in the sitting",
            "y": "Agreement",
            "points": positions,
            "line": _line(one.fatigue, one.by_position, positions),
            "level": _level(one.by_position),
        },
        "day": {
            "x": "Day of judging",
            "y": "Agreement",
            "points": days,
            "line": [],
            "level": _level([day.found for day in one.by_day]),
        },
    }


def _point(found: Bin, at: float, name: str) -> dict[str, Any]:
    return {
        "at": at,
        "value": found.agreement,
        "low": found.low,
        "high": found.high,
        "n": found.compared,
        "name": name,
    }


def _level(found: list[Bin] | tuple[Bin, ...]) -> float | None:
    compared = sum(one.compared for one in found)
    return sum((one.agreement or 0) * one.compared for one in found) / compared if compared else None


def _line(
    trend: Trend, found: tuple[Bin, ...], points: list[dict[str, Any]]
) -> list[tuple[float, float | None]]:
    """The fitted slope through the middle of what is shown."""
    level = _level(found)
    if trend.slope is None or level is None or len(points) < 2:
        return []
    weight = sum(point["n"] for point in points)
    centre = sum(point["at"] * point["n"] for point in points) / weight
    ends = (points[0]["at"], points[-1]["at"])
    return [(end, min(max(level + trend.slope * (end - centre), 0.0), 1.0)) for end in ends]
