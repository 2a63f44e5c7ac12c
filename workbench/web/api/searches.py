"""Searches by organisers: recorded, and documents added to a pool from them."""

from __future__ import annotations

from flask import Blueprint
from typing_extensions import TypedDict

from workbench.errors import NotFound, Unavailable
from workbench.storage import Session
from workbench.tables import filled
from workbench.web.access import here, organiser, viewer
from workbench.web.api.fields import ManyNames, sent
from workbench.web.api.operations import operation
from workbench.web.context import reading, reading_here, writing
from workbench.web.forms import NotNow
from workbench.web.jobs import index_now
from workbench.web.pages.search import ask_index, checked_search
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.people.sessions import Scope
from workbench.workflow.pools.additions import AddedPairs
from workbench.workflow.searching.found import ShownSearch, add_found, known_to_organiser, shown_search
from workbench.workflow.searching.searches import (
    Among,
    Searcher,
    like_document,
    own_search,
    record_search,
    require_search,
    show_more,
)

blueprint = Blueprint("searches", __name__, url_prefix="/campaigns/<slug>/searches")


class HitJson(TypedDict):
    """A document that a search has shown, with the sentences that match; your own answer where there is one.

    `pooled` if it is in a pool of the topic already.
    """

    rank: int
    docno: str
    title: str
    fragments: list[str]
    answer: str | None
    grade: int | None
    pooled: bool


class SearchJson(TypedDict):
    """A search: what was typed and how it was understood, and the hits shown so far, of `found` in all.

    `documents` were searched. With `more` there are further hits to show.
    """

    search: int
    topic: str
    typed: str
    like: str | None
    understood: str
    among: str
    found: int
    documents: int
    more: bool
    hits: list[HitJson]


@sent
class SentSearch:
    """Words to search for, or the document that others are to be like, for a topic.

    `among` all documents, only those of its pools (pooled), judged by anybody (mine) or by nobody (new).
    """

    topic: str
    query: str = ""
    like: str | None = None
    among: Among = Among.ALL


@sent
class SentHits:
    """Documents that a search has shown, and the pool that they are to join."""

    pool: str
    docnos: ManyNames


@blueprint.post("")
@organiser
@operation(SearchJson, scope=Scope.MANAGE, body=SentSearch, status=201)
def search(body: SentSearch) -> SearchJson:
    """Search the documents for a topic; the search is recorded with what it shows."""
    asked, searcher = checked_search(body.query, body.like, body.among), _searcher(body.topic)
    with reading_here() as (db, campaign_id):
        require_search(db, campaign_id)
        if body.topic not in topic_titles(db, campaign_id):
            raise NotFound("there is no such topic in this campaign", remedy="see the list of topics")
        among = known_to_organiser(db, searcher).filter(asked.among)
        like = like_document(db, campaign_id, asked)
    try:
        answer = ask_index(asked, among, like, index_now())
    except NotNow as error:
        raise Unavailable("the search engine does not answer") from error
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


def _searcher(topic: str) -> Searcher:
    return Searcher(here().id, topic, viewer().id)


def _search(db: Session, search_id: int) -> SearchJson:
    row = own_search(db, _searcher(""), search_id)
    found = shown_search(db, row, known_to_organiser(db, _searcher(row.topic)))
    return filled(SearchJson, found, search=found.id, hits=_hits(found))


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
