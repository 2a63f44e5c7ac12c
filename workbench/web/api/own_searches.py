"""Searches by assessors for an assignment of their own, and judging what was found.

Blind as the judging page is: nothing here tells of runs, of colleagues, or of what they judged.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from flask import Blueprint

from workbench.json_forms import PageJson, ReceiptJson, SearchJson, SearchLineJson, TaskDocument, filled
from workbench.records import Answer
from workbench.storage import Session
from workbench.web.access import here, member, viewer
from workbench.web.api.cursors import FORBID, ClientId, GradeValue, PageQuery, page_of
from workbench.web.api.judging import task_document
from workbench.web.api.operations import operation
from workbench.web.api.searches import asked_index, search_json
from workbench.web.context import reading, writing
from workbench.web.pages.search.forms import checked_search
from workbench.workflow.adjudication.opinions import shown_document
from workbench.workflow.judging.submission import SubmissionKind, read_submission
from workbench.workflow.judging.task import Task
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role
from workbench.workflow.searching.found import known_of_task, shown_search
from workbench.workflow.searching.joining import judge_found, searching_task
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
    "own_searches", __name__, url_prefix="/campaigns/<slug>/judging/<int:assignment_id>/searches"
)
assessor = member(Role.ASSESSOR)


@dataclass(frozen=True, slots=True)
class SentOwnSearch:
    """Words to search for, or the document that others are to be like.

    `among` all documents, only those of your assignment (pooled), judged by you (mine) or not (new).
    """

    __pydantic_config__ = FORBID
    query: str = ""
    like: str | None = None
    among: Among = Among.ALL


@dataclass(frozen=True, slots=True)
class OpenedHit:
    """A document that the search has shown."""

    __pydantic_config__ = FORBID
    docno: str


@dataclass(frozen=True, slots=True)
class FoundJudgment:
    """An answer about a document that the search has shown; with the same client id it is recorded once."""

    __pydantic_config__ = FORBID
    client_id: ClientId
    docno: str
    answer: Answer
    grade: GradeValue | None = None
    reason: str = ""
    comment: str = ""


@blueprint.get("")
@assessor
@operation(PageJson[SearchLineJson], query=PageQuery)
def index(assignment_id: int, query: PageQuery) -> PageJson[SearchLineJson]:
    """List your latest searches for an own assignment, the oldest first."""
    with reading() as db:
        found = earlier_searches(db, _searcher(_task(db, assignment_id, closed_too=True)))
    return page_of(
        sorted(found, key=lambda one: one.id),
        query,
        key=lambda one: one.id,
        form=lambda one: filled(SearchLineJson, one, search=one.id),
    )


@blueprint.post("")
@assessor
@operation(SearchJson, scope=Scope.JUDGE, body=SentOwnSearch, status=201)
def search(assignment_id: int, body: SentOwnSearch) -> SearchJson:
    """Search the documents for an own assignment; the search is recorded with what it shows."""
    asked = checked_search(body.query, body.like, body.among)
    with reading() as db:
        among = known_of_task(_task(db, assignment_id)).filter(asked.among)
        like = like_document(db, here().id, asked)
    answer = asked_index(asked, among, like)
    with writing() as db:
        row = record_search(db, _searcher(_task(db, assignment_id)), answer)
    with reading() as db:
        return _search(db, _task(db, assignment_id), row.id)


@blueprint.get("/<int:search_id>")
@assessor
@operation(SearchJson)
def show(assignment_id: int, search_id: int) -> SearchJson:
    """Show an own search with its hits so far, and your answers."""
    with reading() as db:
        return _search(db, _task(db, assignment_id, closed_too=True), search_id)


@blueprint.post("/<int:search_id>/more")
@assessor
@operation(SearchJson, scope=Scope.JUDGE)
def more(assignment_id: int, search_id: int) -> SearchJson:
    """Show the next hits of an own search, which is recorded."""
    with writing() as db:
        task = _task(db, assignment_id)
        show_more(db, own_search(db, _searcher(task), search_id))
    with reading() as db:
        return _search(db, _task(db, assignment_id), search_id)


@blueprint.post("/<int:search_id>/opened")
@assessor
@operation(TaskDocument, scope=Scope.JUDGE, body=OpenedHit)
def open_document(assignment_id: int, search_id: int, body: OpenedHit) -> TaskDocument:
    """Open a document that an own search has shown, which is recorded."""
    with writing() as db:
        task = _task(db, assignment_id)
        record_opened(db, own_search(db, _searcher(task), search_id), body.docno)
    with reading() as db:
        return task_document(shown_document(db, task.campaign.id, body.docno), body.docno)


@blueprint.post("/<int:search_id>/judgments")
@assessor
@operation(ReceiptJson, scope=Scope.JUDGE, body=FoundJudgment)
def judge(assignment_id: int, search_id: int, body: FoundJudgment) -> ReceiptJson:
    """Record a judgment of a document that an own search has shown; it joins the pool if it is new."""
    submission = read_submission({"kind": SubmissionKind.ANSWER, **asdict(body)})
    with writing() as db:
        task = _task(db, assignment_id)
        receipt = judge_found(db, _searcher(task), task, search_id, submission)
    return filled(ReceiptJson, receipt)


def _task(db: Session, assignment_id: int, *, closed_too: bool = False) -> Task:
    return searching_task(db, Searcher(here().id, "", viewer().id, assignment_id), closed_too=closed_too)


def _searcher(task: Task) -> Searcher:
    return Searcher(task.campaign.id, task.assignment.topic, viewer().id, task.assignment.id)


def _search(db: Session, task: Task, search_id: int) -> SearchJson:
    row = own_search(db, _searcher(task), search_id)
    return search_json(shown_search(db, row, known_of_task(task)))
