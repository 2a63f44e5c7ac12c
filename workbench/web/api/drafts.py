"""Drafts of topics: written, taken into the campaign or put aside, and the rules by which they are fit."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Literal

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict

from workbench.json_forms import (
    DevelopmentRulesJson,
    DraftGradeJson,
    DraftJson,
    DraftRecordJson,
    KeptJudgmentsJson,
    PageJson,
    filled,
)
from workbench.storage import Session
from workbench.web.access import here, member, organiser, viewer
from workbench.web.api.cursors import FORBID, ClientId, Flag, PageQuery, Whole, page_of
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.web.pages.topics.draft_rights import (
    draft_to_decide,
    is_organiser,
    require_developer,
    seen_draft,
    seen_drafts,
)
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role
from workbench.workflow.searching.draft_judgments import keep_judgments
from workbench.workflow.searching.fitness import checked_rules
from workbench.workflow.searching.topic_drafts import (
    TopicDraft,
    TopicStatement,
    begin_draft,
    change_statement,
    development_rules,
    draft_grades,
    draft_row,
    own_open_draft,
    save_development_rules,
    set_draft_aside,
    take_draft_up,
    take_into_campaign,
)

blueprint = Blueprint("drafts", __name__, url_prefix="/campaigns/<slug>/topics/drafts")
developer = member(Role.ORGANISER, Role.ASSESSOR)
Revision = Annotated[Whole, Field(ge=0, lt=2**31)]


@dataclass(frozen=True, slots=True)
class SentDraft:
    """What a new draft says, as far as it is known; with the same client id it is begun once."""

    __pydantic_config__ = FORBID
    client_id: ClientId
    title: str = ""
    description: str = ""
    narrative: str = ""


@dataclass(frozen=True, slots=True)
class SentDraftStatement:
    """What a draft says from now on; what is null stays. `revision` is the one that you have seen."""

    __pydantic_config__ = FORBID
    revision: Revision
    title: str | None = None
    description: str | None = None
    narrative: str | None = None


@dataclass(frozen=True, slots=True)
class SentDraftState:
    """Whether a draft is put aside, for a reason, or open again."""

    __pydantic_config__ = FORBID
    state: Literal["aside", "open"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SentTopicId:
    """The id that the topic gets, and the revision that you have read: refused if it has changed."""

    __pydantic_config__ = FORBID
    topic: str
    revision: Revision | None = None


@dataclass(frozen=True, slots=True)
class KeepingPool:
    """The open pool that takes the judgments."""

    __pydantic_config__ = FORBID
    pool: str


class DevelopmentRulesChange(TypedDict, total=False):
    """What is to be changed about the rules; what is not named stays."""

    __pydantic_config__ = FORBID  # type: ignore[misc]  # as pydantic's documentation does
    first: Whole
    least: Whole
    most: Whole
    assessors: Flag


@blueprint.get("")
@developer
@operation(PageJson[DraftJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[DraftJson]:
    """List the drafts of topics, the oldest first; assessors see those of their own."""
    with reading() as db:
        found = sorted(seen_drafts(db), key=lambda one: one.number)
    return page_of(found, query, key=lambda one: one.number, form=draft_json)


@blueprint.post("")
@developer
@operation(DraftJson, scope=Scope.JUDGE, body=SentDraft, status=201)
def begin(body: SentDraft) -> DraftJson:
    """Begin a draft of a topic."""
    statement = TopicStatement(body.title, body.description, body.narrative)
    with writing() as db:
        require_developer(db)
        number = begin_draft(db, here().id, viewer().id, body.client_id)
        if statement != TopicStatement():
            change_statement(db, here().id, number, viewer().id, statement)
        return draft_json(seen_draft(db, number))


@blueprint.get("/<int:number>")
@developer
@operation(DraftRecordJson)
def show(number: int) -> DraftRecordJson:
    """Show a draft with what was judged for it."""
    with reading() as db:
        draft = seen_draft(db, number)
        grades = draft_grades(db, draft.id)
    shown = [filled(DraftGradeJson, one, search=one.search_id) for one in grades]
    return {**draft_json(draft), "grades": shown}


@blueprint.patch("/<int:number>")
@developer
@operation(DraftJson, scope=Scope.JUDGE, body=SentDraftStatement)
def change(number: int, body: SentDraftStatement) -> DraftJson:
    """Change what an own draft says; refused where it was changed since the revision that you have seen."""
    with writing() as db:
        require_developer(db)
        row = own_open_draft(db, here().id, number, viewer().id)
        statement = TopicStatement(
            row.title if body.title is None else body.title,
            row.description if body.description is None else body.description,
            row.narrative if body.narrative is None else body.narrative,
            body.revision,
        )
        change_statement(db, here().id, number, viewer().id, statement)
        return draft_json(seen_draft(db, number))


@blueprint.post("/<int:number>/state")
@developer
@operation(DraftJson, scope=Scope.JUDGE, body=SentDraftState)
def change_state(number: int, body: SentDraftState) -> DraftJson:
    """Put a draft aside for a reason, or take it up again: its author, or an organiser."""
    with writing() as db:
        row = draft_to_decide(db, number)
        if body.state == "aside":
            set_draft_aside(db, row, body.reason, by=viewer().id)
        else:
            take_draft_up(db, row, by=viewer().id)
        return draft_json(seen_draft(db, number))


@blueprint.post("/<int:number>/topic")
@organiser
@operation(DraftJson, scope=Scope.MANAGE, body=SentTopicId)
def take(number: int, body: SentTopicId) -> DraftJson:
    """Make a topic of the campaign of a draft, which stays beside it; the same id again changes nothing."""
    with writing() as db:
        row = draft_row(db, here().id, number, writing=True)
        take_into_campaign(db, row, body.topic.strip(), by=viewer().id, revision=body.revision)
        return draft_json(seen_draft(db, number))


@blueprint.post("/<int:number>/judgments")
@organiser
@operation(KeptJudgmentsJson, scope=Scope.MANAGE, body=KeepingPool)
def keep(number: int, body: KeepingPool) -> KeptJudgmentsJson:
    """Let an open pool take what was judged for a draft, as judgments of its author."""
    with writing() as db:
        row = draft_row(db, here().id, number, writing=True)
        return filled(KeptJudgmentsJson, keep_judgments(db, row, body.pool, by=viewer().id))


@blueprint.get("/rules")
@developer
@operation(DevelopmentRulesJson)
def show_rules() -> DevelopmentRulesJson:
    """Show when a topic is fit, and whether assessors develop topics."""
    with reading() as db:
        return _rules(db)


@blueprint.patch("/rules")
@organiser
@operation(DevelopmentRulesJson, scope=Scope.MANAGE, body=DevelopmentRulesChange)
def change_rules(body: DevelopmentRulesChange) -> DevelopmentRulesJson:
    """Change when a topic is fit, by which every draft is judged, and whether assessors develop topics."""
    with writing() as db:
        now = development_rules(db, here().id)
        numbers = [body.get("first", now.first), body.get("least", now.least), body.get("most", now.most)]
        rules = checked_rules(*numbers, assessors=body.get("assessors", now.assessors))
        save_development_rules(db, here().id, rules)
        return _rules(db)


def draft_json(draft: TopicDraft) -> DraftJson:
    """A draft with its statement and verdict; assessors learn of no pool."""
    return filled(
        DraftJson,
        draft,
        draft=draft.number,
        state=str(draft.state),
        pool=draft.pool if is_organiser() else None,
        verdict=str(draft.progress.fitness),
        **asdict(draft.statement),
        **asdict(draft.progress),
    )


def _rules(db: Session) -> DevelopmentRulesJson:
    return filled(DevelopmentRulesJson, development_rules(db, here().id))
