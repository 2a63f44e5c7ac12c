"""The overview of a campaign: its progress, and what needs the organiser's attention."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.storage import Session
from workbench.storage.adjudications import decision_counts
from workbench.web.access import here, reader, viewer
from workbench.web.context import app_context, reading
from workbench.web.pages.overview.tasks import own_todo
from workbench.web.pages.overview.todo import CampaignState, todo_items
from workbench.web.pages.settings.scale_form import scale_in_words
from workbench.workflow.agreement.report import People, agreement_of_people
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.loading import cut_loads
from workbench.workflow.judging.unrecorded import unrecorded_count
from workbench.workflow.overview.attention import attention
from workbench.workflow.overview.cards import own_tasks
from workbench.workflow.overview.progress import Overview, overview
from workbench.workflow.overview.readiness import readiness
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.releases.releases import releases_of
from workbench.workflow.runs.run_records import runs_with_warnings
from workbench.workflow.runs.uploads import waiting_batches

blueprint = Blueprint("overview", __name__, url_prefix="/c/<slug>")


@blueprint.get("/")
@reader
def index() -> str:
    """The overview page."""
    with reading() as db:
        made = campaign_of(db, here().id)
        view = overview(db, here().id)
        state = CampaignState(
            overview=view,
            readiness=readiness(db, here().id),
            attention=attention(db, here().id, view),
            noted=runs_with_warnings(db, here().id),
            pools=tuple(line for line in pools_of(db, here().id) if not line.draft),
            batches=waiting_batches(db, here().id),
            agreement=_of_people(db, view),
            unrecorded=unrecorded_count(db, here().id),
            decisions=decision_counts(db, here().id),
            releases=releases_of(db, here().id),
            disk_full=app_context().database.disk_full,
            cut_loads=cut_loads(db, here().id),
        )
        own = own_tasks(db, here().id, viewer().id, here().roles)
    organiser = Role.ORGANISER in here().roles
    todo = (*own_todo(own, here().slug), *(todo_items(state) if organiser else ()))
    # Nothing can be done in an archived campaign.
    todo = () if here().archived_at else todo
    return render_template(
        "overview/index.html",
        made=made,
        scale_words=scale_in_words(made.scale),
        state=state,
        view=view,
        todo=todo,
        following=next((item for item in todo if item.step), None),
    )


def _of_people(db: Session, view: Overview) -> People | None:
    people = [one.name for one in view.by_assessor if not one.machine and one.judgments]
    return agreement_of_people(db, here().id) if len(people) > 1 else None
