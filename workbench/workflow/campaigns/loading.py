"""Files of documents, loaded while people save: read before any transaction, then written in portions.

Images that pages show come among the documents: they wait until it is known which pages are loaded, and those
that none of these names are left out.

All files are read, and compared with what the campaign has, before the first document is written: a refused
file leaves nothing. A process that is killed leaves the portions that it wrote, and a row for each file that
says so (`cut_loads`); loading the files again adds the rest.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import IO

from sqlalchemy import Delete, delete, insert, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput
from workbench.formats.identifiers import storable
from workbench.records import Document
from workbench.storage import locks
from workbench.storage.engine import Database, Writing
from workbench.storage.tables import DocumentLoadRow
from workbench.workflow.campaigns.collection import (
    BATCH_LENGTH,
    Loaded,
    batches,
    compare,
    count_further,
    docnos_to_load,
    is_beside,
    judged_docnos,
    missing_documents,
    original_length,
    with_text,
)
from workbench.workflow.campaigns.originals import named_images, original_row, write_originals
from workbench.workflow.clock import shared_now

CUT_AFTER = timedelta(seconds=30)
"""After so long without a portion the process that wrote them has ended."""
PAUSE = 1
"""Between two portions the database is left to others for so many times as long."""

Files = Iterable[tuple[str, Iterable[Document]]]


@dataclass(slots=True)
class _Read:
    """The documents of a file, in a temporary one: there may be more than fit into memory."""

    source: str
    stored: IO[bytes]
    images: IO[bytes]
    portions: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    named: set[str] = field(default_factory=set)
    """The addresses of images that the pages name."""
    waiting: int = 0
    """How many images wait."""

    def store(self, documents: Iterable[Document], only: set[str] | None) -> None:
        for batch in batches(self._without_images(documents, only), self.counts, only):
            pickle.dump(batch, self.stored, pickle.HIGHEST_PROTOCOL)
            self.portions += 1
            self.named |= named_images(batch)

    def _without_images(self, documents: Iterable[Document], only: set[str] | None) -> Iterator[Document]:
        for one in documents:
            if is_beside(one, only):
                pickle.dump(one, self.images, pickle.HIGHEST_PROTOCOL)
                self.waiting += 1
            else:
                yield one

    def named_images(self, named: set[str]) -> Iterator[list[Document]]:
        """The images that pages name, some at a time."""
        self.images.seek(0)
        some: list[Document] = []
        for _ in range(self.waiting):
            one: Document = pickle.load(self.images)  # noqa: S301 - this process wrote it
            if one.docno in named:
                some.append(one)
            if sum(map(original_length, some)) >= BATCH_LENGTH:
                yield some
                some = []
        if some:
            yield some

    def __iter__(self) -> Iterator[list[Document]]:
        self.stored.seek(0)
        for _ in range(self.portions):
            yield pickle.load(self.stored)  # noqa: S301 - this process wrote it


def load_in_portions(
    database: Database,
    campaign_id: int,
    files: Files,
    *,
    pooled: bool = False,
    writing: Writing | None = None,
) -> list[tuple[str, Loaded]]:
    """Load documents as `collection.load_documents` does, all of the files or none, while others write.

    `writing` opens the transaction of the first portion, so that the trail has the load with it. Raises
    InvalidInput with the errors of all files, when nothing was written; and Conflict where a document whose
    text would change was judged after the first portion, with how many documents are stored.
    """
    with database.reading() as db:
        only = docnos_to_load(db, campaign_id, pooled=pooled)
        judged = judged_docnos(db, campaign_id)
    with ExitStack() as stack:
        read: list[_Read] = []
        findings: list[Finding] = []
        for source, documents in files:
            stored, images = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            read.append(_Read(source, stored, images))
            try:
                read[-1].store(documents, only)
            except InvalidInput as error:
                findings.extend(error.findings)
        with database.reading() as db:
            for file in read:
                for batch in file:
                    findings += compare(db, campaign_id, batch, judged, file.source).findings
        if findings:
            raise InvalidInput(findings)
        named = set[str]().union(*(file.named for file in read))
        _write(database, campaign_id, read, database.writing if writing is None else writing)
        for file in read:
            for some in file.named_images(named):
                _write_images(database, campaign_id, some)
        _forget(database, campaign_id, [file.source for file in read if file.waiting])
    with database.reading() as db:
        missing = missing_documents(db, campaign_id)
    return [(file.source, Loaded.of(file.counts, missing)) for file in read]


def cut_loads(db: Session, campaign_id: int) -> tuple[tuple[str, int, int], ...]:
    """The files whose load was cut: name, documents stored, and documents in all."""
    row = DocumentLoadRow
    cut = (row.campaign_id == campaign_id) & (row.moved_at < shared_now(db) - CUT_AFTER)
    found = db.execute(select(row.source, row.loaded, row.documents).where(cut).order_by(row.id))
    return tuple((source, loaded, documents) for source, loaded, documents in found)


@contextmanager
def _leaving_room() -> Iterator[None]:
    """Leave the database to others after a portion."""
    begun = time.monotonic()
    yield
    time.sleep(PAUSE * (time.monotonic() - begun))


def _write(database: Database, campaign_id: int, files: Sequence[_Read], begin: Writing) -> None:
    """Write all portions; the first says in the same transaction what is to come."""
    row = DocumentLoadRow
    numbers: dict[int, int] = {}
    for at, file in enumerate(files):
        for number, batch in enumerate(file, 1):
            with _leaving_room(), (database.writing if numbers else begin)() as db:
                locks.change(db, campaign_id)
                # By the connection: the trail has the load as such.
                connection = db.connection()
                if not numbers:
                    numbers = {
                        place: _announced(db, campaign_id, one)
                        for place, one in enumerate(files)
                        if one.portions
                    }
                try:
                    file.counts += _compared_and_written(db, campaign_id, batch, file.source)
                except InvalidInput as error:
                    if not at and number == 1:
                        raise
                    raise _stopped(error.findings[0], files) from None
                own = row.id == numbers[at]
                connection.execute(update(row).where(own).values(loaded=row.loaded + len(batch)))
                moved = update(row).where(row.id.in_(numbers.values()))
                connection.execute(moved.values(moved_at=shared_now(db)))
                if number == file.portions and not file.waiting:
                    connection.execute(_load_of(campaign_id, [file.source]))


def _stopped(finding: Finding, files: Sequence[_Read]) -> Conflict:
    stored = sum(file.counts[how] for file in files for how in ("added", "changed", "unchanged"))
    documents = sum(file.counts["read"] - file.counts["passed_over"] for file in files)
    message = f"the load stopped: {finding.message}; {stored:,} of {documents:,} documents are stored"
    return Conflict(message, remedy="remove that document from the file and load it again")


def _announced(db: Session, campaign_id: int, file: _Read) -> int:
    documents = file.counts["read"] - file.counts["passed_over"]
    values = {
        "campaign_id": campaign_id,
        "source": storable(file.source)[:200],
        "documents": documents,
        "loaded": 0,
        "moved_at": shared_now(db),
    }
    made = insert(DocumentLoadRow).values(values).returning(DocumentLoadRow.id)
    return int(db.connection().execute(made).scalar_one())


def _load_of(campaign_id: int, sources: Iterable[str]) -> Delete:
    """Forget the loads of these files: also those that were cut before, which are complete now."""
    row = DocumentLoadRow
    named = [storable(source)[:200] for source in sources]
    return delete(row).where(row.campaign_id == campaign_id, row.source.in_(named))


def _forget(database: Database, campaign_id: int, sources: Sequence[str]) -> None:
    if sources:
        with database.writing() as db:
            db.connection().execute(_load_of(campaign_id, sources))


def _write_images(database: Database, campaign_id: int, images: Sequence[Document]) -> None:
    with _leaving_room(), database.writing() as db:
        locks.change(db, campaign_id)
        count_further(db, campaign_id, 0)
        loaded = with_text(db, campaign_id, {one.docno for one in images})
        rows = {one.docno: original_row(campaign_id, one) for one in images if one.docno not in loaded}
        write_originals(db, campaign_id, [row for row in rows.values() if row is not None])


def write_portion(
    database: Database, campaign_id: int, batch: Sequence[Document], source: str
) -> Counter[str]:
    """Write some documents in one transaction; gives how many were `added`, `changed` and `unchanged`.

    Raises InvalidInput, and writes none of them, where the text of a judged document would change.
    """
    with _leaving_room(), database.writing() as db:
        locks.change(db, campaign_id)
        return _compared_and_written(db, campaign_id, batch, source)


def _compared_and_written(
    db: Session, campaign_id: int, batch: Sequence[Document], source: str
) -> Counter[str]:
    compared = compare(db, campaign_id, batch, set(), source)
    if compared.changed:
        changed = [row["docno"] for row in compared.changed]
        judged = judged_docnos(db, campaign_id, changed)
        compared = compare(db, campaign_id, batch, judged, source)
    if compared.findings:
        raise InvalidInput(compared.findings)
    compared.write(db)
    return compared.counts
