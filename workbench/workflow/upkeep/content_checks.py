"""Whether texts, runs, lists and releases have the hashes and sizes that are stored with them."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Iterator

from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from workbench.errors import Finding, Severity
from workbench.records import Document, Original
from workbench.storage.releases import read_parts
from workbench.storage.run_files import stored_forms
from workbench.storage.tables import (
    CampaignRow,
    CheckedFileRow,
    CollectionListRow,
    DocumentRow,
    JudgmentEventRow,
    OriginalRow,
    ReleasePartRow,
    ReleaseRow,
    RunRow,
)
from workbench.workflow.runs.packed_store import form_of_file

MOST_ROWS = 200
"""Rows read at once: some documents are long."""
READ = 2**20
RESTORE = "restore it from a backup; `workbench restore` into an empty place leaves this database as it is"


def check_documents(db: Session) -> Iterator[Finding]:
    """Documents whose text does not have its hash."""
    row, original = DocumentRow, OriginalRow
    chosen = select(
        *(row.campaign_id, row.docno, row.title, row.text, row.sha256),
        *(original.media_type, original.sha256.label("original")),
    ).outerjoin(original, (original.campaign_id == row.campaign_id) & (original.docno == row.docno))
    for campaign, docno, title, content, sha256, media_type, bytes_hash in db.execute(
        chosen.execution_options(yield_per=MOST_ROWS)
    ):
        # Where the bytes of a PDF or image are what is shown, their hash is part of the document's.
        file = None if media_type is None else Original(media_type, None, bytes_hash)
        if Document(docno, title, content, file).sha256 != sha256:
            message = "the text is not the one whose hash is stored"
            yield Finding(f"document {campaign}, {docno}", None, "document-hash", message, RESTORE)


def check_originals(db: Session) -> Iterator[Finding]:
    """Bytes that documents were read from, or that pages show, and that do not have their hash."""
    row = OriginalRow
    keys = select(row.campaign_id, row.docno, row.sha256, row.packed).where(row.content.is_not(None))
    for campaign, docno, sha256, packed in db.execute(keys.execution_options(yield_per=MOST_ROWS)):
        content = db.scalars(select(row.content).where(row.campaign_id == campaign, row.docno == docno)).one()
        try:
            whole = zlib.decompress(content or b"") if packed else content or b""
        except zlib.error:
            whole = b""
        if hashlib.sha256(whole).hexdigest() != sha256:
            message = "its bytes are not those whose hash is stored"
            yield Finding(f"original {campaign}, {docno}", None, "original-hash", message, RESTORE)
    # Its hash is checked with the row that has the bytes.
    stored = aliased(row)
    elsewhere = select(stored.docno).where(
        stored.campaign_id == row.campaign_id, stored.sha256 == row.sha256, stored.content.is_not(None)
    )
    lost = select(row.campaign_id, row.docno).where(
        row.size.is_not(None), row.content.is_(None), ~elsewhere.exists()
    )
    lost = lost.order_by(row.campaign_id, row.docno)
    for campaign, docno in db.execute(lost.execution_options(yield_per=MOST_ROWS)):
        message = "its bytes should be stored with another original, which is missing"
        yield Finding(f"original {campaign}, {docno}", None, "original-hash", message, RESTORE)


def check_document_counts(db: Session) -> Iterator[Finding]:
    """Campaigns whose kept number of documents is not the one that is counted."""
    counted = (
        select(func.count()).where(DocumentRow.campaign_id == CampaignRow.id).scalar_subquery().label("rows")
    )
    chosen = select(CampaignRow.id, CampaignRow.documents, counted).order_by(CampaignRow.id)
    for campaign, kept, rows in db.execute(chosen).all():
        if kept != rows:
            message = f"it has {rows:,} documents, but {kept:,} are stored as their number"
            remedy = f"set the column documents of its row in the table campaign to {rows}"
            yield Finding(f"campaign {campaign}", None, "document-count", message, remedy)


def check_shown_texts(db: Session) -> Iterator[Finding]:
    """Judgments of a text that has been replaced since, each with its hash."""
    event, row = JudgmentEventRow, DocumentRow
    chosen = (
        select(event.id, row.docno)
        .join(row, (row.campaign_id == event.campaign_id) & (row.docno == event.docno))
        .where(event.document_sha256.is_not(None), event.document_sha256 != row.sha256)
        .order_by(event.id)
    )
    for number, docno in db.execute(chosen.execution_options(yield_per=MOST_ROWS)):
        yield Finding(
            f"judgment_event {number}",
            None,
            "shown-text",
            f"another text of {docno} was judged than is stored now",
            "nothing to do if the document was replaced; have it judged again if the change matters",
            Severity.WARNING,
        )


def check_runs(db: Session) -> Iterator[Finding]:
    """Run files that cannot be read, or do not have their hash; packed forms of another number of lines."""
    for number, tag in db.execute(select(RunRow.id, RunRow.tag).order_by(RunRow.id)).all():
        place = f"run {number}, {tag}"
        content, sha256, lines = db.execute(
            select(RunRow.content_gzip, RunRow.sha256, RunRow.lines).where(RunRow.id == number)
        ).one()
        problem, _ = _differs(content, sha256)
        if problem:
            yield Finding(place, None, "run-hash", problem, RESTORE)
        for form in stored_forms(db, [number]).values():
            packed = sum(documents for _, documents in form.topics)
            # Fewer on purpose, of long docnos and of topics that the campaign lacks: as it is made again.
            if packed != lines and form.topics != form_of_file(db, number).topics:
                message = f"its packed form has {packed} lines, its file {lines}"
                remedy = "delete its row in packed_run: it is made again from the file"
                yield Finding(place, None, "packed-run", message, remedy)


def check_lists(db: Session) -> Iterator[Finding]:
    """Lists of docnos and checked files that cannot be read, or do not have their hash or number."""
    for campaign in db.scalars(select(CollectionListRow.campaign_id)).all():
        row = db.get_one(CollectionListRow, campaign)
        problem, lines = _differs(row.content_gzip, row.sha256)
        if not problem and lines != row.docnos:
            problem = f"it has {lines} docnos, but {row.docnos} are stored as their number"
        if problem:
            yield Finding(f"collection_list {campaign}", None, "list-hash", problem, RESTORE)
        db.expire(row)
    for number in db.scalars(select(CheckedFileRow.id)).all():
        content, sha256 = db.execute(
            select(CheckedFileRow.content_gzip, CheckedFileRow.sha256).where(CheckedFileRow.id == number)
        ).one()
        if content is not None and sha256 is not None:
            problem, _ = _differs(content, sha256)
            if problem:
                yield Finding(f"checked_file {number}", None, "list-hash", problem, "upload the file again")


def check_releases(db: Session) -> Iterator[Finding]:
    """Releases whose bytes are not complete, or do not have their hash."""
    part = ReleasePartRow
    for number, version, size, sha256 in db.execute(
        select(ReleaseRow.id, ReleaseRow.version, ReleaseRow.size, ReleaseRow.sha256)
        .where(ReleaseRow.campaign_id.is_not(None))  # the others are being stored
        .order_by(ReleaseRow.id)
    ).all():
        found, total = hashlib.sha256(), 0
        for content in read_parts(db, number):
            found.update(content)
            total += len(content)
        parts = db.scalars(select(part.number).where(part.release_id == number).order_by(part.number)).all()
        if (total, found.hexdigest()) != (size, sha256) or list(parts) != list(range(len(parts))):
            message = f"its bytes are not those that were released: {total:,} of {size:,}, or changed"
            yield Finding(f"collection_release {number}, {version}", None, "release-hash", message, RESTORE)


def _differs(compressed: bytes, sha256: str) -> tuple[str, int]:
    """What is wrong with a compressed file, "" if nothing is; and its number of lines."""
    found, lines, last = hashlib.sha256(), 0, b"\n"
    try:
        with gzip.open(io.BytesIO(compressed)) as stream:
            while part := stream.read(READ):
                found.update(part)
                lines += part.count(b"\n")
                last = part[-1:]
    except (OSError, EOFError, zlib.error) as error:
        return f"the file cannot be decompressed: {error}", 0
    wrong = "" if found.hexdigest() == sha256 else "the file is not the one whose hash is stored"
    return wrong, lines + (last != b"\n")
