"""Two releases compared: which pairs differ, what decided them, and what that does to the runs."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.releases.comparison import ReleaseComparison, comparison_export
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.forms import Findings, errors_on, query_text
from workbench.web.results import MadeResult, result
from workbench.workflow.releases.comparing import compare_campaign_releases
from workbench.workflow.releases.releases import releases_of

blueprint = Blueprint("release_comparison", __name__, url_prefix="/c/<slug>/releases/compare")
MEASURE = "AP"
MOST_PAIRS = 100


@blueprint.get("")
@reader
def index(findings: Findings = ()) -> str:
    """The comparison that the address asks for: the two latest releases unless it names others."""
    with reading() as db:
        releases = releases_of(db, here().id)
    versions = [one.version for one in releases]
    before = query_text("before") or (versions[1] if len(versions) > 1 else "")
    after = query_text("after") or (versions[0] if versions else "")
    found = None
    if before and after and not findings:
        with errors_on(index, "Comparison"):
            found = _compared(before, after)
    return render_template(
        "releases/compare.html",
        versions=versions,
        before=before,
        after=after,
        measure=_measure(),
        found=found,
        most_pairs=MOST_PAIRS,
        findings=findings,
    )


@blueprint.get("/pairs.<any(csv, json):kind>")
@reader
@result
def pairs_file() -> MadeResult:
    """Every pair that differs, with what decided it."""
    before, after = query_text("before"), query_text("after")
    found = _compared(before, after)
    return MadeResult(f"{before}-to-{after}", comparison_export(found))


def _compared(before: str, after: str) -> ReleaseComparison:
    with reading() as db:
        return compare_campaign_releases(db, here().id, before, after, measure=_measure())


def _measure() -> str:
    return query_text("measure").strip()[:100] or MEASURE
