"""Topics and documents: the lists, one document with its text, and loading them from files of any size."""

from __future__ import annotations

from typing import Annotated, Any, BinaryIO

from flask import Blueprint
from pydantic import Field
from typing_extensions import TypedDict
from werkzeug.wrappers import Response

from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.records import Topic
from workbench.tables import filled
from workbench.web.access import here, member, organiser, reader, takes_uploads
from workbench.web.api.fields import (
    FileName,
    Flag,
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
from workbench.web.context import app_context, read_here, write_here, writing
from workbench.web.pages.documents import original_file, shown_bytes, without_text
from workbench.workflow.campaigns import collection
from workbench.workflow.campaigns.collection import (
    LoadedFiles,
    TopicJson,
    load_topics,
    loaded_json,
    topic_json,
    topics_of,
)
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.people.roles import Role
from workbench.workflow.people.sessions import Scope

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
