"""Indexes of a campaign's documents: in a folder of this host, or in a search cluster that all hosts share.

Both are updated in one way: what an index has seen, the documents that it has and those that it lacks. One in
a folder is written by one process at a time.

In a cluster its name is an alias of the index that answers; that one is numbered. In its mapping stands what
it has seen. One that was made in another way, or from a later state of the database than is there now, as
after a restore, answers until another is whole. Hosts that update it at once do the same work twice, and no
harm: what one of them read later stays.
"""

from __future__ import annotations

import fcntl
import json
import shutil
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from workbench.errors import Conflict
from workbench.frozen import frozen_dataclass
from workbench.records import Document, SearchCluster, id_bytes
from workbench.searching.analysis import ANALYSIS
from workbench.searching.engine import DamagedIndex, UnwritableIndex
from workbench.searching.opensearch_engine import (
    WORK_SECONDS,
    IndexedDocument,
    OpenSearchEngine,
    asking,
    client_of,
)
from workbench.searching.tantivy_engine import TantivyEngine

ENGINE, LISTED, STATE = "engine", "documents.tsv", "state.json"

UNFINISHED = -1


@frozen_dataclass
class IndexState:
    """What an index has seen: `changes` of the campaign's documents, and how many documents it has."""

    changes: int
    documents: int
    analysis: int = ANALYSIS


class IndexUpdate(ABC):
    """An index while it is brought up to date: told every document by docno, it says which ones it lacks."""

    _compared: ListedDocuments

    def is_new(self, docno: str, sha256: str) -> bool:
        """Whether the index lacks this document, which comes after all before, with this hash."""
        return self._compared.is_new(docno, sha256)

    def no_more(self) -> None:
        """Every document was named: others are gone."""
        self._compared.drop_before(None)

    @property
    def gone(self) -> list[str]:
        """Documents that the index has and nobody named, as far as can be told."""
        return self._compared.gone

    @abstractmethod
    def index(self, documents: Iterable[Document]) -> None:
        """Index documents that it lacks, and remove those that are gone; raises DamagedIndex."""

    @abstractmethod
    def complete(self, state: IndexState) -> None:
        """Every document is indexed."""


class ListedDocuments:
    """The documents that an index has, by docno with their hashes, compared with those that there are."""

    def __init__(self, listed: Iterator[tuple[str, str]]) -> None:
        self._listed = listed
        self.waiting = next(listed, None)
        self.gone: list[str] = []

    def is_new(self, docno: str, sha256: str) -> bool:
        """Whether this document, which comes after all before, is not among them with this hash."""
        self.drop_before(docno)
        known = self.waiting if self.waiting is not None and self.waiting[0] == docno else None
        if known is not None:
            self.waiting = next(self._listed, None)
        return known is None or known[1] != sha256

    def drop_before(self, docno: str | None) -> None:
        """What comes before this document, or all that is left, was not named and is gone."""
        while self.waiting is not None and (docno is None or id_bytes(self.waiting[0]) < id_bytes(docno)):
            self.gone.append(self.waiting[0])
            self.waiting = next(self._listed, None)


@contextmanager
def update_lock(folder: Path) -> Iterator[None]:
    """Holds the lock of who updates the index in a folder, which ends with the process.

    It is a file beside the folder. Raises Conflict, UnwritableIndex.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with folder.with_name(f"{folder.name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise Conflict(
                    "another process is updating this index", remedy="wait until it is done"
                ) from error
            yield
    except OSError as error:
        raise UnwritableIndex(
            f"the folder of the index cannot be written: {error.strerror or error}",
            remedy="free space on its disk",
        ) from error


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


_NEWEST = "newest"


class ClusterIndex:
    """The index behind the alias `name`; `folder` is of this host, for the files of its updates.

    Whatever asks the cluster raises EngineUnavailable where that does not answer.
    """

    def __init__(self, cluster: SearchCluster, name: str, folder: Path) -> None:
        self.cluster, self.name, self.folder = cluster, name, folder

    def state(self) -> IndexState | None:
        """What it has seen; None where there is none, or one that another version made."""
        try:
            with asking(self.cluster):
                found = client_of(self.cluster).indices.get_mapping(index=self.name)
        except DamagedIndex:
            return None
        metas = [one["mappings"].get("_meta", {}) for one in found.values()]
        meta = metas[0] if metas else {}
        if meta.get("analysis") != ANALYSIS:
            return None
        return IndexState(int(meta["changes"]), int(meta["documents"]))

    def engine(self) -> OpenSearchEngine:
        """What answers; it raises DamagedIndex where nothing is indexed yet."""
        return OpenSearchEngine(self.cluster, self.name)

    def close(self) -> None:
        """Nothing is open."""

    def reject(self) -> None:
        """There is none behind the alias, so that the next update makes it."""

    def discard(self) -> None:
        """Delete it, with what was begun."""
        for name in _numbered(self.cluster, self.name):
            OpenSearchEngine(self.cluster, name).delete()

    @contextmanager
    def updating(self, changes: int) -> Iterator[ClusterUpdate]:
        """What writes the index, from documents that have changed so often.

        Raises Conflict where another process of this host writes, and from within it UnwritableIndex.
        """
        with update_lock(self.folder):
            yield ClusterUpdate(self, changes)


class ClusterUpdate(IndexUpdate):
    """An index in a cluster while it is brought up to date; it says which documents it lacks.

    What was begun and not finished is continued. The first index answers at once with what it has.
    """

    def __init__(self, index: ClusterIndex, changes: int) -> None:
        self._index, self._changes = index, changes
        self._client = client_of(index.cluster)
        there = _numbered(index.cluster, index.name)
        usable = [name for name, about in there.items() if _is_usable(about["mappings"], changes)]
        answering = [name for name, about in there.items() if index.name in about["aliases"]]
        self._name = next((name for name in usable if name in answering), max(usable, default=""))
        if not self._name:
            last = max((int(name.rpartition(".")[2]) for name in there), default=0)
            # Names are compared as texts.
            self._name = f"{index.name}.{last + 1:06}"
        self._engine = OpenSearchEngine(index.cluster, self._name)
        meta = there.get(self._name, {}).get("mappings", {}).get("_meta")
        self._engine.make()
        self._write_meta(meta or asdict(IndexState(UNFINISHED, 0)))
        if not answering:
            self._answer()
        self._hashes: dict[str, str] = {}
        with asking(index.cluster):
            # Of what was written last, some may not be seen yet.
            self._client.indices.refresh(index=self._name, request_timeout=WORK_SECONDS)
        self._compared = ListedDocuments(self._engine.listed())

    def is_new(self, docno: str, sha256: str) -> bool:
        """Whether the index lacks this document, which comes after all before, with this hash."""
        if not super().is_new(docno, sha256):
            return False
        self._hashes[docno] = sha256
        return True

    def index(self, documents: Iterable[Document]) -> None:
        """Index documents that it lacks, and remove those that are gone."""
        hashed = (IndexedDocument(one, self._hashes[one.docno]) for one in documents)
        self._engine.write(hashed, removed=self.gone, changes=self._changes)
        self._hashes, self._compared.gone = {}, []

    def complete(self, state: IndexState) -> None:
        """Every document is indexed: this index answers from now on, and others are deleted."""
        self._write_meta(asdict(state))
        for name in self._answer():
            OpenSearchEngine(self._index.cluster, name).delete()

    def _write_meta(self, meta: dict[str, Any]) -> None:
        with asking(self._index.cluster):
            body = {"_meta": meta | {_NEWEST: self._changes}}
            self._client.indices.put_mapping(index=self._name, body=body, request_timeout=WORK_SECONDS)

    def _answer(self) -> dict[str, Any]:
        """Let the alias name this index alone; returns the others."""
        alias = self._index.name
        others = _numbered(self._index.cluster, alias)
        others.pop(self._name, None)
        actions: list[dict[str, Any]] = [
            {"remove": {"index": name, "alias": alias}}
            for name, about in others.items()
            if alias in about["aliases"]
        ]
        actions.append({"add": {"index": self._name, "alias": alias}})
        with asking(self._index.cluster):
            self._client.indices.update_aliases(body={"actions": actions}, request_timeout=WORK_SECONDS)
        return others


def remove_cluster_indexes(cluster: SearchCluster, names: str, known: set[str]) -> None:
    """Delete the indexes whose aliases begin with `names` and are not known."""
    for name in _numbered(cluster, f"{names}*"):
        if name.rpartition(".")[0] not in known:
            OpenSearchEngine(cluster, name).delete()


def _numbered(cluster: SearchCluster, alias: str) -> dict[str, Any]:
    """The numbered indexes of an alias, or of those that a pattern stands for, with mappings and aliases."""
    try:
        with asking(cluster):
            return dict(client_of(cluster).indices.get(index=f"{alias}.*", request_timeout=WORK_SECONDS))
    except DamagedIndex:
        return {}


def _is_usable(mappings: dict[str, Any], changes: int) -> bool:
    """Whether an index is made in this way, of documents as they are now or were before."""
    meta = mappings.get("_meta", {})
    return meta.get("analysis") == ANALYSIS and int(meta.get(_NEWEST, changes + 1)) <= changes
