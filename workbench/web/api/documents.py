"""Documents: the list, one with its text, and loading them from a file of any size."""

from __future__ import annotations

from typing import Annotated, Any, BinaryIO

from flask import Blueprint
from pydantic import Field
from werkzeug.wrappers import Response

from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.json_forms.collecting import DocumentJson, FullDocument, LoadedFiles, PageJson
from workbench.json_forms.filling import filled
from workbench.web.access import here, member, organiser, reader, takes_uploads
from workbench.web.api.cursors import Flag, PageQuery, after, cursor_of, no_cursor, sent
from workbench.web.api.files import FileName, buffered, choice_of
from workbench.web.api.operations import Text, operation
from workbench.web.context import app_context, reading, writing
from workbench.web.pages.documents.documents import without_text
from workbench.web.pages.files import original_file, shown_bytes
from workbench.workflow.campaigns import collection
from workbench.workflow.campaigns.campaign_json import loaded_json
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("documents", __name__, url_prefix="/campaigns/<slug>/documents")
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


@blueprint.get("")
@reader
@operation(PageJson[DocumentJson], query=DocumentsQuery)
def index(query: DocumentsQuery) -> PageJson[DocumentJson]:
    """List the documents by docno."""
    begin = after(query) or ""
    if not isinstance(begin, str):
        raise no_cursor()
    with reading() as db:
        found = collection.some_documents(
            db, here().id, search=query.begins, begins=True, limit=query.limit + 1, after=begin
        )
    shown = found[: query.limit]
    following = cursor_of(shown[-1].docno) if len(found) > query.limit else None
    return {"items": [filled(DocumentJson, one) for one in shown], "next": following}


@blueprint.get("/document")
@reader
@operation(FullDocument, query=DocumentQuery)
def show(query: DocumentQuery) -> FullDocument:
    """Show one document with its text."""
    with reading() as db:
        return filled(FullDocument, collection.document(db, here().id, query.docno))


@blueprint.get("/original")
@reader
@operation(Text("application/octet-stream", "What the document was read from."), query=DocumentQuery)
def original(query: DocumentQuery) -> Response:
    """Download what a document was read from, byte by byte."""
    return original_file(query.docno)


@blueprint.get("/files/<string(length=64):sha256>")
@member(Role.ORGANISER, Role.ASSESSOR, Role.ADJUDICATOR, Role.VIEWER)
@operation(Text("*/*", "The PDF or the image, with its own content type."))
def file(sha256: str) -> Response:
    """Download the PDF or an image of a document by the SHA-256 that the document names."""
    return shown_bytes(sha256)


@blueprint.get("/missing")
@reader
@operation(Text("text/plain; charset=utf-8", "The docnos of pooled documents without text, one per line."))
def missing() -> Response:
    """List the docnos of pooled documents whose text is not loaded."""
    return without_text()


@blueprint.post("")
@takes_uploads
@organiser
@operation(LoadedFiles, scope=Scope.MANAGE, query=DocumentsFile, takes_file=True)
def load(query: DocumentsFile, file: BinaryIO) -> LoadedFiles:
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
