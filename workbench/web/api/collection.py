"""Topics and documents: lists, one document with its text, loading from files of any size, and searches.

Searches are recorded, and documents are added to a pool from them.
"""

from __future__ import annotations

from typing import Annotated, Any, BinaryIO

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict
from werkzeug.wrappers import Response

from workbench.errors import NotFound, Unavailable
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.frozen import filled
from workbench.records import Topic
from workbench.storage import Session
from workbench.web.access import here, member, organiser, reader, takes_uploads, viewer
from workbench.web.api.fields import (
    FileName,
    Flag,
    ManyNames,
    PageJson,
    PageQuery,
    after,
    buffered,
    choice_of,
    cursor_of,
    no_cursor,
    page_of,
    sent,
)
from workbench.web.api.operations import Text, operation
from workbench.web.context import app_context, read_here, reading, reading_here, write_here, writing
from workbench.web.forms import NotNow
from workbench.web.jobs import index_now
from workbench.web.pages.documents import original_file, shown_bytes, without_text
from workbench.web.pages.search import ask_index, checked_search
from workbench.workflow.campaigns import collection
from workbench.workflow.campaigns.collection import (
    LoadedFiles,
    TopicJson,
    load_topics,
    loaded_json,
    topic_json,
    topic_titles,
    topics_of,
)
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.people.membership import Role
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

topics = Blueprint("topics", __name__, url_prefix="/campaigns/<slug>/topics")
looker = member(Role.ORGANISER, Role.ADJUDICATOR, Role.VIEWER, Role.PARTICIPANT)


class DocumentJson(TypedDict):
    """A document in a list."""

    docno: str
    title: str


class FullDocument(DocumentJson):
    """A document with its text, plain or HTML."""

    text: str


@sent
class TopicsFile:
    """A file of topics; its format is recognised by the content unless it is named."""

    name: FileName = "topics"
    format: Annotated[str, Field(json_schema_extra={"enum": ["", *TOPIC_FORMATS]})] = ""


@topics.get("", endpoint="index")
@looker
@operation(PageJson[TopicJson], query=PageQuery)
def topic_list(query: PageQuery) -> PageJson[TopicJson]:
    """List the topics in their order; participants see their statements without subtopics."""
    topics = enumerate(read_here(topics_of))
    form = _statement if here().roles == {Role.PARTICIPANT} else topic_json
    return page_of(topics, query, key=lambda one: one[0], form=lambda one: form(one[1]))


@topics.post("", endpoint="load")
@takes_uploads
@organiser
@operation(LoadedFiles, scope=Scope.MANAGE, query=TopicsFile, takes_file=True)
def load_topic_file(query: TopicsFile, file: BinaryIO) -> LoadedFiles:
    """Load topics from the body, plain or gzip; all of them, or none."""
    form = choice_of(query.format, TOPIC_FORMATS, "format")
    # Read before the database is locked: who saves meanwhile must not wait for a long file.
    topics = read_topics(file, source=query.name, format=form)
    done = write_here(load_topics, topics, source=query.name)
    return loaded_json([(query.name, done)])


def _statement(topic: Topic) -> TopicJson:
    """What the page of the task shows of a topic."""
    return {**topic_json(topic), "subtopics": []}


documents = Blueprint("documents", __name__, url_prefix="/campaigns/<slug>/documents")
LONGEST_SEARCH = 500


@sent
class DocumentsQuery(PageQuery):
    """Which documents; `begins` is how their docnos begin."""

    begins: Annotated[str, Field(max_length=LONGEST_SEARCH)] = ""


@sent
class DocumentQuery:
    """Which document."""

    docno: Annotated[str, Field(min_length=1)]


@sent
class DocumentsFile:
    """A file of documents; `pooled` loads only those that are in a pool."""

    name: FileName = "documents"
    format: Annotated[str, Field(json_schema_extra={"enum": ["", *DOCUMENT_FORMATS]})] = ""
    pooled: Flag = False


@documents.get("", endpoint="index")
@reader
@operation(PageJson[DocumentJson], query=DocumentsQuery)
def document_list(query: DocumentsQuery) -> PageJson[DocumentJson]:
    """List the documents by docno."""
    begin = after(query) or ""
    if not isinstance(begin, str):
        raise no_cursor()
    found = read_here(
        collection.some_documents, search=query.begins, begins=True, limit=query.limit + 1, after=begin
    )
    shown = found[: query.limit]
    following = cursor_of(shown[-1].docno) if len(found) > query.limit else None
    return {"items": [filled(DocumentJson, one) for one in shown], "next": following}


@documents.get("/document", endpoint="show")
@reader
@operation(FullDocument, query=DocumentQuery)
def show_document(query: DocumentQuery) -> FullDocument:
    """Show one document with its text."""
    return filled(FullDocument, read_here(collection.document, query.docno))


@documents.get("/original")
@reader
@operation(Text("application/octet-stream", "What the document was read from."), query=DocumentQuery)
def original(query: DocumentQuery) -> Response:
    """Download what a document was read from, byte by byte."""
    return original_file(query.docno)


@documents.get("/files/<string(length=64):sha256>")
@member(Role.ORGANISER, Role.ASSESSOR, Role.ADJUDICATOR, Role.VIEWER)
@operation(Text("*/*", "The PDF or the image, with its own content type."))
def file(sha256: str) -> Response:
    """Download the PDF or an image of a document by the SHA-256 that the document names."""
    return shown_bytes(sha256)


@documents.get("/missing")
@reader
@operation(Text("text/plain; charset=utf-8", "The docnos of pooled documents without text, one per line."))
def missing() -> Response:
    """List the docnos of pooled documents whose text is not loaded."""
    return without_text()


@documents.post("", endpoint="load")
@takes_uploads
@organiser
@operation(LoadedFiles, scope=Scope.MANAGE, query=DocumentsFile, takes_file=True)
def load_document_file(query: DocumentsFile, file: BinaryIO) -> LoadedFiles:
    """Load documents from the body, plain or gzip, in portions.

    A file with an error is refused, and nothing of it is stored. Where the server is stopped meanwhile, some
    portions are stored: load the file again, which adds the rest.
    """
    form = choice_of(query.format, DOCUMENT_FORMATS, "format")
    source: Any = read_documents(buffered(file), source=query.name, format=form)
    done = load_in_portions(
        app_context().database, here().id, [(query.name, source)], pooled=query.pooled, writing=writing
    )
    return loaded_json(done)


searches = Blueprint("searches", __name__, url_prefix="/campaigns/<slug>/searches")


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


@searches.post("")
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


@searches.get("/<int:search_id>")
@organiser
@operation(SearchJson)
def show(search_id: int) -> SearchJson:
    """Show an own search with its hits so far."""
    with reading() as db:
        return _search(db, search_id)


@searches.post("/<int:search_id>/more")
@organiser
@operation(SearchJson, scope=Scope.MANAGE)
def more(search_id: int) -> SearchJson:
    """Show the next hits of an own search, which is recorded."""
    with writing() as db:
        require_search(db, here().id)
        show_more(db, own_search(db, _searcher(""), search_id))
    with reading() as db:
        return _search(db, search_id)


@searches.post("/<int:search_id>/added")
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
