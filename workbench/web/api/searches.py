"""Searches by organisers: recorded, documents added to a pool from them, and anybody's saved as a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from flask import Blueprint
from pydantic import Field

from workbench.errors import InvalidInput, NotFound, Unavailable
from workbench.json_forms import (
    AddedPairs,
    HitJson,
    RunJson,
    SearchJson,
    SearchSessionJson,
    SessionTopicJson,
    filled,
)
from workbench.records import Document
from workbench.searching.engine import DocnoFilter
from workbench.storage import Session
from workbench.web.access import here, organiser, viewer
from workbench.web.api.cursors import FORBID
from workbench.web.api.operations import operation
from workbench.web.context import app_context, reading, writing
from workbench.web.pages.search.forms import UNAVAILABLE, ask_index, checked_search
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.groups import group_named
from workbench.workflow.runs.packed_store import pack_apart
from workbench.workflow.runs.run_checks import run_checker
from workbench.workflow.runs.run_json import run_json
from workbench.workflow.runs.run_metadata import RunKind, read_metadata
from workbench.workflow.runs.run_records import campaign_run
from workbench.workflow.runs.store import store_run
from workbench.workflow.searching.found import ShownSearch, known_to_organiser, shown_search
from workbench.workflow.searching.joining import add_found
from workbench.workflow.searching.searches import (
    Among,
    AnsweredSearch,
    NewSearch,
    Searcher,
    like_document,
    own_search,
    record_search,
    require_search,
    show_more,
)
from workbench.workflow.searching.session_run import (
    SearchSession,
    checked_session_run,
    search_session,
    searcher_by_login,
)

blueprint = Blueprint("searches", __name__, url_prefix="/campaigns/<slug>/searches")


@dataclass(frozen=True, slots=True)
class SentSearch:
    """Words to search for, or the document that others are to be like, for a topic.

    `among` all documents, only those of its pools (pooled), judged by anybody (mine) or by nobody (new).
    """

    __pydantic_config__ = FORBID
    topic: str
    query: str = ""
    like: str | None = None
    among: Among = Among.ALL


@dataclass(frozen=True, slots=True)
class SentHits:
    """Documents that a search has shown, and the pool that they are to join."""

    __pydantic_config__ = FORBID
    pool: str
    docnos: Annotated[list[str], Field(min_length=1, max_length=10_000)]


@dataclass(frozen=True, slots=True)
class SentSession:
    """How the run is called, how it was made, and of which group it is."""

    __pydantic_config__ = FORBID
    tag: str
    description: str = ""
    group: str | None = None


@blueprint.post("")
@organiser
@operation(SearchJson, scope=Scope.MANAGE, body=SentSearch, status=201)
def search(body: SentSearch) -> SearchJson:
    """Search the documents for a topic; the search is recorded with what it shows."""
    asked, searcher = checked_search(body.query, body.like, body.among), _searcher(body.topic)
    with reading() as db:
        require_search(db, here().id)
        if body.topic not in topic_titles(db, here().id):
            raise NotFound("there is no such topic in this campaign", remedy="see the list of topics")
        among = known_to_organiser(db, searcher).filter(asked.among)
        like = like_document(db, here().id, asked)
    answer = asked_index(asked, among, like)
    with writing() as db:
        require_search(db, here().id)
        row = record_search(db, searcher, answer)
    with reading() as db:
        return _search(db, row.id)


@blueprint.get("/<int:search_id>")
@organiser
@operation(SearchJson)
def show(search_id: int) -> SearchJson:
    """Show an own search with its hits so far."""
    with reading() as db:
        return _search(db, search_id)


@blueprint.post("/<int:search_id>/more")
@organiser
@operation(SearchJson, scope=Scope.MANAGE)
def more(search_id: int) -> SearchJson:
    """Show the next hits of an own search, which is recorded."""
    with writing() as db:
        require_search(db, here().id)
        show_more(db, own_search(db, _searcher(""), search_id))
    with reading() as db:
        return _search(db, search_id)


@blueprint.post("/<int:search_id>/added")
@organiser
@operation(AddedPairs, scope=Scope.MANAGE, body=SentHits)
def add(search_id: int, body: SentHits) -> AddedPairs:
    """Add documents that an own search has shown to a pool, with the search as their reason; all, or none."""
    with writing() as db:
        done = add_found(db, _searcher(""), search_id, body.pool, body.docnos)
    return filled(AddedPairs, done, passed=[one.docno for one in done.passed])


@blueprint.get("/people/<login>")
@organiser
@operation(SearchSessionJson)
def session(login: str) -> SearchSessionJson:
    """Show what a person's searches give as a run, topic by topic."""
    with reading() as db:
        return _session_json(_session(db, login))


@blueprint.post("/people/<login>/run")
@organiser
@operation(RunJson, scope=Scope.RUNS, body=SentSession, status=201)
def save(login: str, body: SentSession) -> RunJson:
    """Save a person's searches as a manual run, which is checked as any other."""
    with reading() as db:
        group_id = None if body.group is None else group_named(db, here().id, body.group)
        metadata = read_metadata({"kind": RunKind.MANUAL, "description": body.description}, group_id=group_id)
        upload = checked_session_run(run_checker(db, here().id), _session(db, login), body.tag.strip())
    with writing() as db:
        tag = store_run(db, here().id, upload, metadata)
    pack_apart(app_context().database, here().id)
    with reading() as db:
        return run_json(campaign_run(db, here().id, tag))


def asked_index(asked: NewSearch, among: DocnoFilter, like: Document | None) -> AnsweredSearch:
    """What the index answers; raises Unavailable where the engine does not, else as `ask_index`."""
    try:
        return ask_index(asked, among, like)
    except InvalidInput as error:
        if any(finding.code == UNAVAILABLE for finding in error.findings):
            raise Unavailable("the search engine does not answer") from error
        raise


def search_json(found: ShownSearch) -> SearchJson:
    """A search with its hits so far."""
    return filled(SearchJson, found, search=found.id, hits=_hits(found))


def _session(db: Session, login: str) -> SearchSession:
    return search_session(db, here().id, searcher_by_login(db, here().id, login))


def _session_json(found: SearchSession) -> SearchSessionJson:
    return {
        "login": found.by.login,
        "searches": found.by.searches,
        "suggested_tag": found.suggested_tag,
        "suggested_description": found.suggested_description,
        "topics": [filled(SessionTopicJson, one) for one in found.topics],
    }


def _searcher(topic: str) -> Searcher:
    return Searcher(here().id, topic, viewer().id)


def _search(db: Session, search_id: int) -> SearchJson:
    row = own_search(db, _searcher(""), search_id)
    found = shown_search(db, row, known_to_organiser(db, _searcher(row.topic)))
    return search_json(found)


def _hits(found: ShownSearch) -> list[HitJson]:
    return [
        filled(
            HitJson,
            hit,
            rank=rank,
            title="".join(piece.text for piece in hit.title),
            fragments=[str(one) for one in hit.fragments],
            answer=None if hit.answer is None else hit.answer.answer,
            grade=None if hit.answer is None else hit.answer.grade,
        )
        for rank, hit in enumerate(found.hits, start=1)
    ]
