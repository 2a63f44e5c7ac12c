"""Searches by the author of a draft of a topic, and judging what was found.

Blind as the judging page is: nothing here tells of runs, pools or colleagues.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint

from workbench.json_forms import DraftJson, PageJson, SearchJson, SearchLineJson, TaskDocument, filled
from workbench.storage import Session
from workbench.web.access import here, member, viewer
from workbench.web.api.cursors import FORBID, ClientId, GradeValue, PageQuery, page_of
from workbench.web.api.drafts import draft_json
from workbench.web.api.judging import task_document
from workbench.web.api.operations import operation
from workbench.web.api.own_searches import OpenedHit
from workbench.web.api.searches import asked_index, search_json
from workbench.web.context import reading, writing
from workbench.web.pages.search.forms import checked_search
from workbench.web.pages.topics.draft_rights import draft_searcher, seen_draft
from workbench.workflow.adjudication.opinions import shown_document
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role
from workbench.workflow.searching.draft_judgments import DraftAnswer, judge_for_draft, known_of_draft
from workbench.workflow.searching.found import shown_search
from workbench.workflow.searching.searches import (
    Among,
    Searcher,
    earlier_searches,
    like_document,
    own_search,
    record_opened,
    record_search,
    show_more,
)

blueprint = Blueprint(
    "draft_searches", __name__, url_prefix="/campaigns/<slug>/topics/drafts/<int:number>/searches"
)
developer = member(Role.ORGANISER, Role.ASSESSOR)


@dataclass(frozen=True, slots=True)
class SentDraftSearch:
    """Words to search for, or the document that others are to be like.

    `among` all documents, only those judged for the draft (mine) or not (new).
    """

    __pydantic_config__ = FORBID
    query: str = ""
    like: str | None = None
    among: Among = Among.ALL


@dataclass(frozen=True, slots=True)
class DraftJudgment:
    """The grade of a document that the search has shown; with the same client id it is recorded once."""

    __pydantic_config__ = FORBID
    client_id: ClientId
    docno: str
    grade: GradeValue


@blueprint.get("")
@developer
@operation(PageJson[SearchLineJson], query=PageQuery)
def index(number: int, query: PageQuery) -> PageJson[SearchLineJson]:
    """List your latest searches for an own draft, the oldest first."""
    with reading() as db:
        found = earlier_searches(db, _searcher(db, number))
    return page_of(
        sorted(found, key=lambda one: one.id),
        query,
        key=lambda one: one.id,
        form=lambda one: filled(SearchLineJson, one, search=one.id),
    )


@blueprint.post("")
@developer
@operation(SearchJson, scope=Scope.JUDGE, body=SentDraftSearch, status=201)
def search(number: int, body: SentDraftSearch) -> SearchJson:
    """Search the documents for an own draft; the search is recorded with what it shows."""
    asked = checked_search(body.query, body.like, body.among)
    with reading() as db:
        searcher = draft_searcher(db, number, writing=False)
        among = known_of_draft(db, searcher.draft_id or 0).filter(asked.among)
        like = like_document(db, here().id, asked)
    answer = asked_index(asked, among, like)
    with writing() as db:
        searcher = draft_searcher(db, number)
        row = record_search(db, searcher, answer)
    with reading() as db:
        return _search(db, searcher, row.id)


@blueprint.get("/<int:search_id>")
@developer
@operation(SearchJson)
def show(number: int, search_id: int) -> SearchJson:
    """Show an own search with its hits so far, and your grades."""
    with reading() as db:
        return _search(db, _searcher(db, number), search_id)


@blueprint.post("/<int:search_id>/more")
@developer
@operation(SearchJson, scope=Scope.JUDGE)
def more(number: int, search_id: int) -> SearchJson:
    """Show the next hits of an own search, which is recorded."""
    with writing() as db:
        searcher = draft_searcher(db, number)
        show_more(db, own_search(db, searcher, search_id))
    with reading() as db:
        return _search(db, searcher, search_id)


@blueprint.post("/<int:search_id>/opened")
@developer
@operation(TaskDocument, scope=Scope.JUDGE, body=OpenedHit)
def open_document(number: int, search_id: int, body: OpenedHit) -> TaskDocument:
    """Open a document that an own search has shown, which is recorded."""
    with writing() as db:
        record_opened(db, own_search(db, draft_searcher(db, number), search_id), body.docno)
    with reading() as db:
        return task_document(shown_document(db, here().id, body.docno), body.docno)


@blueprint.post("/<int:search_id>/judgments")
@developer
@operation(DraftJson, scope=Scope.JUDGE, body=DraftJudgment)
def judge(number: int, search_id: int, body: DraftJudgment) -> DraftJson:
    """Record the grade of a document for an own draft; a further grade of it counts instead."""
    given = DraftAnswer(body.docno, body.grade, body.client_id)
    with writing() as db:
        judge_for_draft(db, draft_searcher(db, number), number, search_id, given)
        return draft_json(seen_draft(db, number))


def _searcher(db: Session, number: int) -> Searcher:
    """Whose searches are shown, whatever became of the draft; raises NotFound."""
    return Searcher(here().id, "", viewer().id, draft_id=seen_draft(db, number).id)


def _search(db: Session, searcher: Searcher, search_id: int) -> SearchJson:
    row = own_search(db, searcher, search_id)
    return search_json(shown_search(db, row, known_of_draft(db, searcher.draft_id or 0)))
