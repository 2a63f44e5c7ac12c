"""Drafts of topics: the list, the rules by which they are judged fit, and what becomes of each."""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response

from workbench.counts import counted
from workbench.errors import Finding, NotFound, WorkbenchError
from workbench.web import notices
from workbench.web.access import here, member, organiser, viewer
from workbench.web.context import reading, writing
from workbench.web.forms import findings_of, sent_text, status_of, whole_number
from workbench.web.meanwhile import marks, merged
from workbench.web.pages.pools.pool_choice import pool_line
from workbench.web.pages.topics.draft_desk import draft_page
from workbench.web.pages.topics.draft_rights import (
    develops,
    draft_to_decide,
    require_developer,
    seen_drafts,
)
from workbench.web.requests import see_other
from workbench.web.results import TABLE_ONLY, CampaignResult, MadeResult, result
from workbench.workflow.judging.desk_rules import allows_search_of
from workbench.workflow.people.roles import Role
from workbench.workflow.searching.draft_judgments import keep_judgments
from workbench.workflow.searching.draft_lines import drafts_export
from workbench.workflow.searching.fitness import checked_rules
from workbench.workflow.searching.topic_drafts import (
    begin_draft,
    development_rules,
    draft_row,
    save_development_rules,
    set_draft_aside,
    take_draft_up,
    take_into_campaign,
)

blueprint = Blueprint("drafts", __name__, url_prefix="/c/<slug>/topics/drafts")
Answer = Response | tuple[str, int]
developer = member(Role.ORGANISER, Role.ASSESSOR)


@blueprint.get("")
@developer
def index() -> str:
    """The drafts: an organiser sees all, an assessor those of her own."""
    return _page()


@blueprint.post("")
@developer
def begin() -> Response:
    """Begin a draft and open it; sent twice it begins one."""
    with writing() as db:
        require_developer(db)
        number = begin_draft(db, here().id, viewer().id, request.form.get("client_id", ""))
    return see_other(url_for("draft_desk.index", number=number))


@blueprint.post("/rules")
@organiser
def change_rules() -> Answer:
    """Set when a topic is fit, and whether assessors develop topics."""
    numbers = [whole_number(request.form.get(name, "")) for name in ("first", "least", "most")]
    try:
        rules = checked_rules(*numbers, assessors="assessors" in request.form)
        with writing() as db:
            found = merged(asdict(rules), asdict(development_rules(db, here().id)))
            save_development_rules(db, here().id, checked_rules(**found))
    except WorkbenchError as error:
        return _page(findings_of(error, "Rules")), status_of(error)
    notices.add("The rules were saved. They judge every draft.")
    return see_other(url_for("drafts.index"))


@blueprint.get("/table.<any(csv, json):kind>")
@developer
@result(CampaignResult("topics.drafts", "Topics that are developed", "a draft", formats=TABLE_ONLY))
def table_file() -> MadeResult:
    """The drafts that the list shows, with statement, state and verdict."""
    with reading() as db:
        return MadeResult("topic-drafts", drafts_export(seen_drafts(db)))


@blueprint.post("/<int:number>/aside")
@developer
def put_aside(number: int) -> Answer:
    """Put a draft aside for a reason."""
    try:
        with writing() as db:
            set_draft_aside(db, draft_to_decide(db, number), sent_text("reason"), by=viewer().id)
    except WorkbenchError as error:
        return _refused(number, error, "reason")
    notices.add(f"Draft {number} was put aside. It stays in the list.")
    return see_other(url_for("drafts.index"))


@blueprint.post("/<int:number>/up")
@developer
def take_up(number: int) -> Answer:
    """Go on with a draft that was put aside."""
    try:
        with writing() as db:
            take_draft_up(db, draft_to_decide(db, number), by=viewer().id)
    except WorkbenchError as error:
        return _refused(number, error, "state")
    return see_other(url_for("draft_desk.index", number=number))


@blueprint.post("/<int:number>/take")
@organiser
def take(number: int) -> Answer:
    """Make a topic of the campaign of a draft."""
    topic, revision = sent_text("topic").strip(), whole_number(request.form.get("seen", ""))
    try:
        with writing() as db:
            row = draft_row(db, here().id, number, writing=True)
            take_into_campaign(db, row, topic, by=viewer().id, revision=revision)
    except WorkbenchError as error:
        return _refused(number, error, "topic")
    notices.add(f"Draft {number} is topic {topic} of the campaign now.")
    return see_other(url_for("draft_desk.index", number=number))


@blueprint.post("/<int:number>/keep")
@organiser
def keep(number: int) -> Answer:
    """Let a pool take what was judged for a draft, as judgments of its author."""
    try:
        with writing() as db:
            pool = pool_line(db, here().id, whole_number(request.form.get("pool", ""))).name
            row = draft_row(db, here().id, number, writing=True)
            kept = keep_judgments(db, row, pool, by=viewer().id)
    except WorkbenchError as error:
        return _refused(number, error, "pool")
    joined = counted(kept.added, "document")
    notices.add(f"{counted(kept.judgments, 'judgment')} kept; {joined} joined pool {pool}.")
    return see_other(url_for("draft_desk.index", number=number))


def _refused(number: int, error: WorkbenchError, code: str) -> tuple[str, int]:
    if isinstance(error, NotFound):
        raise error
    return draft_page(number, findings=findings_of(error, "Draft", code)), status_of(error)


def _page(findings: tuple[Finding, ...] = ()) -> str:
    with reading() as db:
        rules = development_rules(db, here().id)
        return render_template(
            "topics/drafts.html",
            drafts=seen_drafts(db),
            rules=rules,
            was=marks(asdict(rules)),
            may_begin=develops(db),
            searchable=allows_search_of(db, here().id),
            typed=request.form,
            findings=findings,
        )
