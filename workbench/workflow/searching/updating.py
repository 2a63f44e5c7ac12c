"""How every index of a campaign's documents is updated, here or in a cluster, and the lock of its updates."""

from __future__ import annotations

import fcntl
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import Conflict
from workbench.frozen import frozen_dataclass
from workbench.records import Document, id_bytes
from workbench.searching.analysis import ANALYSIS
from workbench.searching.engine import UnwritableIndex

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
