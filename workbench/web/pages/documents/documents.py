"""The documents of a campaign: listing, loading and reading them, and which pooled ones lack text."""

from __future__ import annotations

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.errors import Conflict, WorkbenchError
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.text_formats import in_words
from workbench.web.access import here, organiser, reader
from workbench.web.context import app_context, reading, writing
from workbench.web.downloads import attachment
from workbench.web.forms import (
    Findings,
    announce,
    announce_notes,
    findings_of,
    sent_files,
    sent_id,
    sent_text,
    status_of,
)
from workbench.web.pages.overview.steps import next_way
from workbench.web.pages.pools.pool_choice import pools_shown
from workbench.web.pages.topics.topics import loaded_in_words
from workbench.web.requests import Reply, go_to
from workbench.workflow.adjudication.opinions import shown_document
from workbench.workflow.campaigns import collection
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.campaigns.originals import original_size
from workbench.workflow.pools.pooled_topics import missing_count

blueprint = Blueprint("documents", __name__, url_prefix="/c/<slug>/documents")
A_PAGE = 30
MOST_MISSING = 30
MANY = 100_000
"""Of more documents those are found at once whose docno begins as asked; looking into all takes seconds."""


@blueprint.get("")
@reader
def index(findings: Findings = ()) -> str:
    """Documents by docno; `?search=` filters, `?after=` continues after a docno.

    Of many documents `?within=1` looks into all docnos and titles.
    """
    search, after = sent_text("search").strip(), sent_id("after")
    within = bool(request.args.get("within"))
    with reading() as db:
        count = collection.document_count(db, here().id)
        begins = count > MANY and not within
        some = collection.some_documents(
            db, here().id, search=search, begins=begins, limit=A_PAGE + 1, after=after
        )
        lacking = missing_count(db, here().id)
        missing = collection.missing_documents(db, here().id, limit=MOST_MISSING) if lacking else ()
        pools = pools_shown(db)
    return render_template(
        "documents/index.html",
        documents=some[:A_PAGE],
        more=len(some) > A_PAGE,
        count=count,
        search=search,
        begins=begins,
        within=within,
        after=after,
        missing=missing,
        lacking=lacking,
        pools=pools,
        pooled="pooled" in request.form,
        formats=in_words(DOCUMENT_FORMATS),
        findings=findings,
    )


@blueprint.post("")
@organiser
def load() -> Reply:
    """Load documents from files: all of the files, or none if one has errors."""
    pooled = "pooled" in request.form
    notes: list[str] = []
    try:
        files = [(name, read_documents(stream, source=name, notes=notes)) for name, stream in sent_files()]
        done = load_in_portions(app_context().database, here().id, files, pooled=pooled, writing=writing)
    except Conflict:
        raise  # some documents are stored, which the form of a refused file would deny
    except WorkbenchError as error:
        return index(findings_of(error, "Documents")), status_of(error)
    announce_notes(notes)
    announce([(name, loaded_in_words(loaded, "document")) for name, loaded in done], next_way())
    return go_to("documents.index")


@blueprint.get("/without-text.txt")
@reader
def without_text() -> Response:
    """The docnos of pooled documents without text, one a line, for whatever fetches the texts."""
    with reading() as db:
        missing = collection.missing_documents(db, here().id)
    content = "".join(f"{docno}\n" for docno in missing).encode("utf-8", "surrogateescape")
    return attachment(content, f"{here().slug}.without-text.txt", kind="text/plain")


@blueprint.get("/document")
@reader
def document() -> str:
    """One document (`?docno=`) as assessors see it."""
    with reading() as db:
        found = collection.document(db, here().id, sent_id("docno"))
        shown = shown_document(db, here().id, found.docno)
        kept = original_size(db, here().id, found.docno)
    return render_template("documents/document.html", document=shown, original_size=kept)
