"""The documents of a campaign: listing, loading, reading, originals, and collections of `ir_datasets`.

Nothing in an original runs or loads anything: each is sent with `security.FILE_HEADERS`. Downloads and the
index of a document store may take hours and gigabytes: what a job was killed over is loaded again, and only
what is still missing.
"""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response

from workbench.datasets import DatasetPart, available, catalogue_entry
from workbench.errors import Conflict, WorkbenchError, rejected
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.text_formats import JATS_TYPE, MAIL_TYPE, SMART_TYPE, TSV_TYPE, in_words
from workbench.frozen import frozen_dataclass
from workbench.web.access import here, member, organiser, reader
from workbench.web.context import app_context, read_here, reading_here, writing
from workbench.web.downloads import attachment
from workbench.web.forms import (
    Findings,
    announce,
    announce_notes,
    errors_on,
    findings_of,
    sent_files,
    sent_id,
    sent_text,
    status_of,
)
from workbench.web.jobs import begin
from workbench.web.navigation import next_way
from workbench.web.pages.pools.pools import pools_shown
from workbench.web.pages.topics import loaded_in_words
from workbench.web.requests import Reply, go_to
from workbench.web.security import FILE_HEADERS
from workbench.workflow.adjudication.opinions import shown_document
from workbench.workflow.campaigns import collection
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.campaigns.originals import original_bytes, original_size, shown_file
from workbench.workflow.jobs import Job, cancel, latest
from workbench.workflow.overview.readiness import readiness
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.pooled_topics import missing_count
from workbench.workflow.worker import COLLECTION

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
    with reading_here() as (db, campaign_id):
        count = collection.document_count(db, campaign_id)
        begins = count > MANY and not within
        some = collection.some_documents(
            db, campaign_id, search=search, begins=begins, limit=A_PAGE + 1, after=after
        )
        lacking = missing_count(db, campaign_id)
        missing = collection.missing_documents(db, campaign_id, limit=MOST_MISSING) if lacking else ()
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
    missing = read_here(collection.missing_documents)
    content = "".join(f"{docno}\n" for docno in missing).encode("utf-8", "surrogateescape")
    return attachment(content, f"{here().slug}.without-text.txt", kind="text/plain")


@blueprint.get("/document")
@reader
def document() -> str:
    """One document (`?docno=`) as assessors see it."""
    with reading_here() as (db, campaign_id):
        found = collection.document(db, campaign_id, sent_id("docno"))
        shown = shown_document(db, campaign_id, found.docno)
        kept = original_size(db, campaign_id, found.docno)
    return render_template("documents/document.html", document=shown, original_size=kept)


files = Blueprint("files", __name__, url_prefix="/c/<slug>/files")
EXTENSIONS = {
    JATS_TYPE: "xml",
    MAIL_TYPE: "eml",
    SMART_TYPE: "txt",
    TSV_TYPE: "tsv",
    "text/plain": "txt",
    "image/jpeg": "jpg",
}
"""How the files of media types end whose name does not say it."""
KEPT_SECONDS = 600
"""So long a browser keeps a file, whose address has its hash: the desk shows it again without asking."""


@files.get("/<string(length=64):sha256>")
@member(Role.ORGANISER, Role.ASSESSOR, Role.ADJUDICATOR, Role.VIEWER)
def shown(sha256: str) -> Response:
    """A PDF or an image of the campaign by its SHA-256, which the pages of its documents name."""
    return shown_bytes(sha256)


def shown_bytes(sha256: str) -> Response:
    """The same of a file that is named; raises NotFound where there is none."""
    found = read_here(shown_file, sha256)
    response = Response(found.content, content_type=found.media_type, headers=FILE_HEADERS)
    response.headers["Cache-Control"] = f"private, max-age={KEPT_SECONDS}"
    return response


@files.get("/original")
@reader
def original() -> Response:
    """What a document (`?docno=`) was read from, byte by byte, as a file."""
    return original_file(sent_id("docno"))


def original_file(docno: str) -> Response:
    """The same of a document that is named; raises NotFound where it is not kept."""
    found = read_here(original_bytes, docno)
    extension = EXTENSIONS.get(found.media_type) or found.media_type.partition("/")[2].partition("+")[0]
    response = attachment(found.content, f"{docno}.{extension}", kind=found.media_type)
    response.headers["Content-Type"] = "application/octet-stream"
    response.headers["Content-Security-Policy"] = FILE_HEADERS["Content-Security-Policy"]
    return response


@frozen_dataclass
class AskedCollection:
    """The id of a collection, what to load of it, and whose its judgments become: its id's if empty."""

    dataset: str
    parts: tuple[str, ...]
    assessor: str = ""


def last_load() -> Job | None:
    """The collection that is being loaded into this campaign, or the last one; None where there was none."""
    return read_here(latest, COLLECTION)


def begin_load(asked: AskedCollection) -> None:
    """Have these parts loaded; raises Conflict while others are, WorkbenchError for what cannot be."""
    if not asked.parts:
        raise rejected("Collection", None, "part", "nothing is selected", "select what to load")
    entry = catalogue_entry(asked.dataset)
    lacking = [part for part in asked.parts if part not in entry.parts]
    if lacking:
        raise rejected(
            "Collection",
            None,
            "part",
            f"{entry.id} has no {' and no '.join(lacking)}",
            f"choose from {', '.join(entry.parts)}",
        )
    running = last_load()
    if running is not None and running.active:
        raise Conflict(f"{running.arguments['dataset']} is being loaded", remedy="wait until it is done")
    begin(COLLECTION, asdict(asked))


dataset = Blueprint("dataset", __name__, url_prefix="/c/<slug>/dataset")


@dataset.get("", endpoint="index")
@organiser
def dataset_page(findings: Findings = ()) -> str:
    """The form, and what became of the last collection."""
    state = read_here(readiness)
    last = last_load()
    usual = DatasetPart.DOCUMENTS if state.missing or state.draft else DatasetPart.TOPICS
    return render_template(
        "documents/dataset.html",
        available=available(),
        sent=_asked()
        if findings
        else AskedCollection(last.arguments["dataset"] if last else "", (usual.value,)),
        job=last,
        pooled=bool(state.pools or state.draft),
        findings=findings,
    )


@dataset.post("", endpoint="load")
@organiser
def load_dataset() -> Response:
    """Start loading parts of a collection."""
    with errors_on(dataset_page, "Collection", "dataset"):
        begin_load(_asked())
    return go_to("dataset.index")


@dataset.get("/progress", endpoint="progress")
@organiser
def dataset_progress() -> str:
    """How far it is: the piece of the page that asks for itself while a collection is loaded."""
    return render_template("documents/_fetch.html", job=last_load())


@dataset.post("/end", endpoint="end")
@organiser
def end_dataset() -> Response:
    """End the loading; what is loaded stays."""
    with writing() as db:
        running = latest(db, here().id, COLLECTION)
        if running is not None:
            cancel(db, running.id)
    return go_to("dataset.index")


def _asked() -> AskedCollection:
    return AskedCollection(
        sent_text("dataset").strip(),
        tuple(part.value for part in DatasetPart if part in request.form.getlist("part")),
        sent_text("assessor").strip(),
    )


BLUEPRINTS = (
    blueprint,
    files,
    dataset,
)
