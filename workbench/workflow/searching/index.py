"""The index of a campaign's documents on this host, which is made and repaired from the documents."""

from __future__ import annotations

import fcntl
import hashlib
import json
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.records import Document
from workbench.searching.analysis import ANALYSIS
from workbench.searching.engine import DamagedIndex
from workbench.searching.tantivy_engine import TantivyEngine
from workbench.storage.chunks import CHUNK, chunks
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow, DocumentRow

FOLDER = "search"
ENGINE, LISTED, STATE = "engine", "documents.tsv", "state.json"
COMMIT_EVERY = 50_000
"""Documents after which what is indexed can be searched, and need not be indexed again if this is killed."""
READ_AT_ONCE = 5_000
"""Hashes of documents that are compared in one short transaction."""

UNFINISHED = -1
MOST_OPEN = 16
_OPEN: dict[Path, TantivyEngine] = {}
_OPENING = threading.Lock()

Progress = Callable[[int], None]
"""Called with how many documents have been compared so far."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an index has seen: `changes` of the campaign's documents, and how many documents it has."""

    changes: int
    documents: int
    analysis: int = ANALYSIS


def index_folder(db: Session, instance: Path, campaign_id: int) -> Path:
    """Where this host's index of a campaign is; a campaign of the same number elsewhere has another."""
    row = db.get(CampaignRow, campaign_id)
    if row is None:
        raise NotFound("there is no such campaign")
    about = f"{db.get_bind().engine.url.render_as_string(hide_password=True)} {row.created_at.isoformat()}"
    return instance / FOLDER / f"{campaign_id}-{hashlib.sha256(about.encode()).hexdigest()[:16]}"


def index_state(folder: Path) -> IndexState | None:
    """What an index has seen; None where there is none, or one that another version made."""
    try:
        written = json.loads((folder / STATE).read_text(encoding="utf-8"))
        found = IndexState(**written)
    except (OSError, ValueError, TypeError):
        return None
    return found if found.analysis == ANALYSIS and (folder / ENGINE).is_dir() else None


def document_changes(db: Session, campaign_id: int) -> int:
    """How often documents of a campaign were written so far."""
    return db.scalar(select(CampaignRow.document_changes).where(CampaignRow.id == campaign_id)) or 0


def is_current(db: Session, folder: Path, campaign_id: int) -> bool:
    """Whether an index has seen every change of the documents."""
    state = index_state(folder)
    return state is not None and state.changes == document_changes(db, campaign_id)


def open_engine(folder: Path) -> TantivyEngine:
    """The engine of an index, which stays open in this process; raises DamagedIndex."""
    with _OPENING:
        engine = _OPEN.get(folder)
        if engine is None or not (folder / ENGINE).is_dir():
            if len(_OPEN) >= MOST_OPEN:
                _OPEN.pop(next(iter(_OPEN)))
            engine = _OPEN[folder] = TantivyEngine(folder / ENGINE)
        return engine


def refresh_index(
    database: Database, instance: Path, campaign_id: int, progress: Progress = lambda _: None
) -> IndexState:
    """Bring an index up to date with the documents; one that is damaged is made anew.

    Reads in short transactions, so that nobody who writes waits. Raises Conflict while another process does
    the same, NotFound for a campaign that is gone.
    """
    with database.reading() as db:
        folder = index_folder(db, instance, campaign_id)
    with _only_writer(folder):
        if folder.exists() and index_state(folder) is None:
            _discard(folder)
        try:
            return _refresh(database, folder, campaign_id, progress)
        except DamagedIndex:
            _discard(folder)
            return _refresh(database, folder, campaign_id, progress)


def _discard(folder: Path) -> None:
    with _OPENING:
        _OPEN.pop(folder, None)
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """Holds the lock of an index, which ends with the process; raises Conflict where somebody has it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = "another process is updating this index"
            raise Conflict(message, remedy="wait until it is done") from error
        yield


def remove_old_indexes(database: Database, instance: Path) -> None:
    """Delete the indexes of campaigns that are gone."""
    with database.reading() as db:
        known = {index_folder(db, instance, one).name for one in db.scalars(select(CampaignRow.id))}
    for folder in (instance / FOLDER).glob("*-*/"):
        if folder.name not in known:
            _discard(folder)


def _refresh(database: Database, folder: Path, campaign_id: int, progress: Progress) -> IndexState:
    with database.reading() as db:
        changes = document_changes(db, campaign_id)
    engine = open_engine(folder)
    before = index_state(folder)
    # Whoever continues after this was killed knows by it how the terms were made.
    _write_state(folder, IndexState(UNFINISHED, before.documents if before else 0))
    with _Listing(folder) as listing:
        compared = 0
        changed: list[str] = []
        for docno, sha256 in _hashes(database, campaign_id):
            compared += 1
            if listing.is_new(docno, sha256):
                changed.append(docno)
            if len(changed) == COMMIT_EVERY:
                _index(database, engine, campaign_id, changed, listing)
                changed = []
            if compared % READ_AT_ONCE == 0:
                progress(compared)
        listing.finish()
        _index(database, engine, campaign_id, changed, listing)
        progress(compared)
    state = IndexState(changes, compared)
    _write_state(folder, state)
    return state


def _write_state(folder: Path, state: IndexState) -> None:
    new = folder / f"{STATE}.new"
    new.write_text(json.dumps(asdict(state)), encoding="utf-8")
    new.replace(folder / STATE)


def _index(
    database: Database, engine: TantivyEngine, campaign_id: int, changed: list[str], listing: _Listing
) -> None:
    if changed or listing.gone:
        engine.index(_documents(database, campaign_id, changed), removed=listing.gone)
    listing.keep()


def _hashes(database: Database, campaign_id: int) -> Iterator[tuple[str, str]]:
    """Every document's docno and hash, by docno."""
    last = ""
    while True:
        with database.reading() as db:
            rows = db.execute(
                select(DocumentRow.docno, DocumentRow.sha256)
                .where(DocumentRow.campaign_id == campaign_id, DocumentRow.docno > last)
                .order_by(DocumentRow.docno)
                .limit(READ_AT_ONCE)
            ).all()
        yield from ((docno, sha256) for docno, sha256 in rows)
        if len(rows) < READ_AT_ONCE:
            return
        last = rows[-1][0]


def _documents(database: Database, campaign_id: int, docnos: list[str]) -> Iterator[Document]:
    for some in chunks(docnos, CHUNK):
        with database.reading() as db:
            rows = db.execute(
                select(DocumentRow.docno, DocumentRow.title, DocumentRow.text).where(
                    DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(some)
                )
            ).all()
        yield from (Document(docno, title, text) for docno, title, text in sorted(rows))


class _Listing:
    """The documents of an index with their hashes, in a file by docno, which is read and written in step.

    The file is replaced after the index was committed. Where a process is killed between the two, documents
    that are not listed are indexed again, in place of themselves.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LISTED
        self._new_path = folder / f"{LISTED}.new"
        folder.mkdir(parents=True, exist_ok=True)
        self.gone: list[str] = []
        self._old: TextIO | None = None
        self._waiting: tuple[str, str] | None = None

    def __enter__(self) -> _Listing:
        self._old = self._path.open(encoding="utf-8") if self._path.exists() else None
        self._new = self._new_path.open("w", encoding="utf-8")
        self._advance()
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._old, self._new):
            if one is not None:
                one.close()
        self._new_path.unlink(missing_ok=True)

    def is_new(self, docno: str, sha256: str) -> bool:
        """Whether this document, which comes after all before, is not listed with this hash."""
        self._drop_before(docno)
        known = self._waiting if self._waiting is not None and self._waiting[0] == docno else None
        if known is not None:
            self._advance()
        self._new.write(f"{docno}\t{sha256}\n")
        return known is None or known[1] != sha256

    def finish(self) -> None:
        """What is listed after the last document is gone."""
        self._drop_before(None)

    def keep(self) -> None:
        """What was indexed is listed from now on; what comes after it stays listed as it was."""
        self._new.flush()
        copy = self._path.with_suffix(".kept")
        shutil.copyfile(self._new_path, copy)
        if self._waiting is not None and self._old is not None:
            at = self._old.tell()
            with copy.open("a", encoding="utf-8") as file:
                file.write("\t".join(self._waiting) + "\n")
                shutil.copyfileobj(self._old, file)
            self._old.seek(at)
        copy.replace(self._path)
        self.gone = []

    def _drop_before(self, docno: str | None) -> None:
        while self._waiting is not None and (docno is None or _before(self._waiting[0], docno)):
            self.gone.append(self._waiting[0])
            self._advance()

    def _advance(self) -> None:
        line = self._old.readline() if self._old is not None else ""
        docno, separator, sha256 = line.rstrip("\n").rpartition("\t")
        self._waiting = (docno, sha256) if separator else None


def _before(docno: str, other: str) -> bool:
    """Whether a docno comes first as databases order ids: by the bytes of their UTF-8."""
    return docno.encode() < other.encode()


def read_texts(db: Session, campaign_id: int, docnos: Iterable[str]) -> dict[str, Document]:
    """Documents by docno; those without text are missing."""
    found: dict[str, Document] = {}
    for some in chunks(list(dict.fromkeys(docnos))):
        rows = db.execute(
            select(DocumentRow.docno, DocumentRow.title, DocumentRow.text).where(
                DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(some)
            )
        )
        found |= {docno: Document(docno, title, text) for docno, title, text in rows}
    return found
