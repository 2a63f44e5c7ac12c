"""Agreement over time: by position in the sitting and by day, assessor by assessor."""

from __future__ import annotations

from functools import partial
from typing import Any

from flask import Blueprint, request

from workbench.agreement.assessor_times import AssessorTime
from workbench.agreement.drift import Trend
from workbench.agreement.timelines import Bin
from workbench.web.access import reader
from workbench.web.pages.agreement.page import (
    CHOSEN,
    TABLE,
    agreement_page,
    render_page,
    report_for_file,
)
from workbench.web.requests import wants_fragment
from workbench.web.results import CampaignResult, MadeResult, result
from workbench.workflow.agreement.export import time_export
from workbench.workflow.agreement.timelines import TimeReport, over_time

SECONDS = 2.0
"""How long the page computes before it shows what is known."""

blueprint = Blueprint("agreement_time", __name__, url_prefix="/c/<slug>/agreement/time")


@blueprint.get("")
@reader
def index() -> str:
    """Everybody's trends, and one assessor's bins; `?assessor=` names that one.

    Where that takes long, of those who are known so far, and htmx asks again until it is of all; with
    `?whole` the page waits for them.
    """
    page = agreement_page(partial(over_time, seconds=None if "whole" in request.args else SECONDS))
    shown = _shown(page.report) if page.report else None
    plots = _plots(page.report, shown) if page.report and shown else {}
    template = "_time" if wants_fragment() else "time"
    return render_page(template, page, shown=shown, plots=plots, name=request.args.get("assessor"))


@blueprint.get(TABLE)
@reader
@result(
    CampaignResult("agreement.time", "Agreement over time", "a trend, a bin or a day of an assessor", CHOSEN)
)
def table() -> MadeResult:
    """Every assessor's trends, bins and days as CSV with all digits, as LaTeX or as JSON."""
    return MadeResult("agreement.time", time_export(report_for_file(over_time)))


def _shown(report: TimeReport) -> AssessorTime | None:
    name = request.args.get("assessor", "")
    named = (one for one in report.assessors if one.name == name)
    return next(named, next(iter(report.assessors), None))


def _plots(report: TimeReport, one: AssessorTime) -> dict[str, dict[str, Any]]:
    size = report.options.bin_size

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
