"""An index in a folder of this host: what it has seen, the documents that it has, and who may write it."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from workbench.records import Document
from workbench.searching.analysis import ANALYSIS
from workbench.searching.engine import DamagedIndex
from workbench.searching.tantivy_engine import TantivyEngine
from workbench.workflow.searching.updating import (
    UNFINISHED,
    IndexState,
    IndexUpdate,
    ListedDocuments,
    update_lock,
)

ENGINE, LISTED, STATE = "engine", "documents.tsv", "state.json"

MOST_OPEN = 16
_OPEN: dict[Path, TantivyEngine] = {}
_OPENING = threading.Lock()


class HostIndex:
    """The index in `folder`, which need not be there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def state(self) -> IndexState | None:
        """What it has seen; None where there is none, or one that another version made."""
        try:
            written = json.loads((self.folder / STATE).read_text(encoding="utf-8"))
            found = IndexState(**written)
        except (OSError, ValueError, TypeError):
            return None
        return found if found.analysis == ANALYSIS and (self.folder / ENGINE).is_dir() else None

    def engine(self) -> TantivyEngine | None:
        """What answers, which stays open in this process; None where nothing is indexed yet.

        Raises DamagedIndex.
        """
        with _OPENING:
            # Only who writes makes an index: two that made it at once would disturb each other.
            if not (self.folder / ENGINE / "meta.json").exists():
                _OPEN.pop(self.folder, None)
                return None
            engine = _OPEN.get(self.folder)
            if engine is None:
                if len(_OPEN) >= MOST_OPEN:
                    _OPEN.pop(next(iter(_OPEN)))
                engine = _OPEN[self.folder] = TantivyEngine(self.folder / ENGINE)
            return engine

    def close(self) -> None:
        """Open it anew the next time that this process searches it."""
        with _OPENING:
            _OPEN.pop(self.folder, None)

    def reject(self) -> None:
        """Have it made anew by whoever updates it next: it is damaged."""
        self.close()
        with suppress(OSError):
            (self.folder / STATE).unlink()

    def discard(self) -> None:
        """Delete it."""
        self.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextmanager
    def updating(self, changes: int) -> Iterator[HostUpdate]:
        """What writes the index; the lock of the folder is held meanwhile, which ends with the process.

        One that is damaged is deleted first. Raises Conflict where somebody else writes, and from within it
        UnwritableIndex.
        """
        with update_lock(self.folder), HostUpdate(self.folder, self._whole()) as update:
            yield update

    def _whole(self) -> TantivyEngine:
        if self.state() is not None:
            with suppress(DamagedIndex):
                return self.engine() or TantivyEngine(self.folder / ENGINE)
        self.discard()
        return TantivyEngine(self.folder / ENGINE)


class HostUpdate(IndexUpdate):
    """An index while it is brought up to date: told every document by docno, it says which ones it lacks.

    What it has stands in a file with the hashes, by docno, which is read and written in step, and replaced
    after the index was committed. Where a process is killed between the two, documents that are not listed
    are indexed again, in place of themselves.
    """

    def __init__(self, folder: Path, engine: TantivyEngine) -> None:
        self._folder, self._engine = folder, engine
        self._path, self._new_path = folder / LISTED, folder / f"{LISTED}.new"
        folder.mkdir(parents=True, exist_ok=True)
        self._old: TextIO | None = None

    def __enter__(self) -> HostUpdate:
        # Whoever continues after this was killed knows by it how the terms were made.
        self.complete(IndexState(UNFINISHED, 0))
        self._old = self._path.open(encoding="utf-8") if self._path.exists() else None
        self._new = self._new_path.open("w", encoding="utf-8")
        self._compared = ListedDocuments(self._lines())
        return self

    def __exit__(self, *_: object) -> None:
        for one in (self._old, self._new):
            if one is not None:
                one.close()
        self._new_path.unlink(missing_ok=True)

    def is_new(self, docno: str, sha256: str) -> bool:
        """Whether the index lacks this document, which comes after all before, with this hash."""
        self._new.write(f"{docno}\t{sha256}\n")
        return super().is_new(docno, sha256)

    def index(self, documents: Iterable[Document]) -> None:
        """Index documents that it lacks, and remove those that are gone; raises DamagedIndex."""
        self._engine.index(documents, removed=self.gone)
        # What was indexed is listed from now on; what comes after it stays listed as it was.
        self._new.flush()
        copy = self._path.with_suffix(".kept")
        shutil.copyfile(self._new_path, copy)
        if self._compared.waiting is not None and self._old is not None:
            at = self._old.tell()
            with copy.open("a", encoding="utf-8") as file:
                file.write("\t".join(self._compared.waiting) + "\n")
                shutil.copyfileobj(self._old, file)
            self._old.seek(at)
        copy.replace(self._path)
        self._compared.gone = []

    def complete(self, state: IndexState) -> None:
        """Write what the index has seen: all documents, unless it says that it is unfinished."""
        new = self._folder / f"{STATE}.new"
        new.write_text(json.dumps(asdict(state)), encoding="utf-8")
        new.replace(self._folder / STATE)

    def _lines(self) -> Iterator[tuple[str, str]]:
        # Line by line, so that it is known how far the file was read.
        while self._old is not None and (line := self._old.readline()):
            docno, separator, sha256 = line.rstrip("\n").rpartition("\t")
            if not separator:
                return
            yield docno, sha256
