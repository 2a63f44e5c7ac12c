"""The overview of a campaign: its progress, and what needs the organiser's attention."""

from __future__ import annotations

from collections.abc import Mapping

from flask import Blueprint, render_template

from workbench.agreement.bands import Band, band
from workbench.storage import Session
from workbench.web.access import here, reader
from workbench.web.context import reading
from workbench.web.pages.overview.todo import CampaignState, todo_items
from workbench.web.pages.settings.scale_form import scale_in_words
from workbench.workflow.adjudication.decisions import decisions_so_far
from workbench.workflow.agreement.report import People, agreement_of_people
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.unrecorded import unrecorded_count
from workbench.workflow.overview import Overview, overview
from workbench.workflow.people.assessors import AssessorLine, assessors_of
from workbench.workflow.pools.judged_pairs import pooled_pairs
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.runs.run_records import runs_of

blueprint = Blueprint("overview", __name__, url_prefix="/c/<slug>")


@blueprint.get("/")
@reader
def index() -> str:
    """The overview page."""
    with reading() as db:
        made = campaign_of(db, here().id)
        pooled = pooled_pairs(db, here().id)
        view = overview(db, here().id)
        pools = pools_of(db, here().id)
        assessors = assessors_of(db, here().id)
        state = CampaignState(
            overview=view,
            runs=runs_of(db, here().id),
            pools=tuple(line for line in pools if not line.draft),
            drafts=tuple(line for line in pools if line.draft),
            assessors=assessors,
            assignments=assignments_of(db, here().id),
            agreement=_of_people(db, view, assessors),
            guidelines=made.guidelines,
            unrecorded=unrecorded_count(db, here().id),
            decisions=decisions_so_far(db, here().id),
        )
    return render_template(
        "overview/index.html",
        made=made,
        scale_words=scale_in_words(made.scale),
        state=state,
        view=view,
        todo=todo_items(state),
        kappas=_by_assessor(state.agreement),
        pooled=pooled,
        mean_band=_mean_band(state.agreement),
    )


def _of_people(db: Session, view: Overview, assessors: tuple[AssessorLine, ...]) -> People | None:
    graded = {one.name for one in view.by_assessor if one.judgments}
    people = [one.name for one in assessors if not one.machine and one.name in graded]
    return agreement_of_people(db, here().id) if len(people) > 1 else None


def _by_assessor(report: People | None) -> Mapping[str, float | None]:
    """The mean pooled kappa of every assessor with the others."""
    if report is None:
        return {}
    return {name: report.mean_of(number) for number, name in enumerate(report.names)}


def _mean_band(report: People | None) -> Band | None:
    return None if report is None or report.mean is None else band(report.mean)
