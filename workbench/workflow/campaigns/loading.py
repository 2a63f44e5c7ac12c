"""Files of documents, loaded while people save: read before any transaction, then written in portions.

Images that pages show come among the documents: they wait until it is known which pages are loaded, and those
that none of these names are left out.

All files are read, and compared with what the campaign has, before the first document is written: a refused
file leaves nothing. A process that is killed leaves the portions that it wrote; loading the files again adds
the rest.
"""

from __future__ import annotations

import pickle
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO

from workbench.errors import Finding, InvalidInput
from workbench.records import Document
from workbench.storage import locks
from workbench.storage.engine import Database
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
)
from workbench.workflow.campaigns.originals import named_images, original_row, unloaded, write_originals

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
    database: Database, campaign_id: int, files: Files, *, pooled: bool = False
) -> list[tuple[str, Loaded]]:
    """Load documents as `collection.load_documents` does, all of the files or none, while others write.

    Raises InvalidInput with the errors of all files; nothing was written then, unless a document whose text
    would change was judged in the meantime.
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
        for file in read:
            _write(database, campaign_id, file)
        for file in read:
            for some in file.named_images(named):
                _write_images(database, campaign_id, some)
    with database.reading() as db:
        missing = missing_documents(db, campaign_id)
    return [(file.source, Loaded.of(file.counts, missing)) for file in read]


def _write(database: Database, campaign_id: int, file: _Read) -> None:
    for batch in file:
        file.counts += write_portion(database, campaign_id, batch, file.source)


def _write_images(database: Database, campaign_id: int, images: Sequence[Document]) -> None:
    begun = time.monotonic()
    with database.writing() as db:
        locks.change(db, campaign_id)
        count_further(db, campaign_id, 0)
        free = unloaded(db, campaign_id, {one.docno for one in images})
        rows = {one.docno: original_row(campaign_id, one) for one in images if one.docno in free}
        write_originals(db, campaign_id, [row for row in rows.values() if row is not None])
    time.sleep(PAUSE * (time.monotonic() - begun))


def write_portion(
    database: Database, campaign_id: int, batch: Sequence[Document], source: str
) -> Counter[str]:
    """Write some documents in one transaction; gives how many were `added`, `changed` and `unchanged`.

    Raises InvalidInput, and writes none of them, where the text of a judged document would change.
    """
    begun = time.monotonic()
    with database.writing() as db:
        locks.change(db, campaign_id)
        compared = compare(db, campaign_id, batch, set(), source)
        if compared.changed:
            changed = [row["docno"] for row in compared.changed]
            judged = judged_docnos(db, campaign_id, changed)
            compared = compare(db, campaign_id, batch, judged, source)
        if compared.findings:
            raise InvalidInput(compared.findings)
        compared.write(db)
    time.sleep(PAUSE * (time.monotonic() - begun))
    return compared.counts
