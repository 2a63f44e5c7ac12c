"""What every index of a campaign's documents does, here or in a cluster, and the lock of its updates."""

from __future__ import annotations

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from workbench.errors import Conflict
from workbench.records import Document, id_bytes
from workbench.searching.analysis import ANALYSIS
from workbench.searching.engine import SearchEngine, UnwritableIndex

UNFINISHED = -1


@dataclass(frozen=True, slots=True)
class IndexState:
    """What an index has seen: `changes` of the campaign's documents, and how many documents it has."""

    changes: int
    documents: int
    analysis: int = ANALYSIS


class IndexUpdate(Protocol):
    """An index while it is brought up to date: told every document by docno, it says which ones it lacks."""

    def is_new(self, docno: str, sha256: str) -> bool:
        """Whether the index lacks this document, which comes after all before, with this hash."""

    def no_more(self) -> None:
        """Every document was named: others are gone."""

    @property
    def gone(self) -> list[str]:
        """Documents that the index has and nobody named, as far as can be told."""

    def index(self, documents: Iterable[Document]) -> None:
        """Index documents that it lacks, and remove those that are gone; raises DamagedIndex."""

    def complete(self, state: IndexState) -> None:
        """Every document is indexed."""


class CampaignIndex(Protocol):
    """An index of a campaign's documents, which need not be there."""

    @property
    def folder(self) -> Path:
        """What tells it from others on this host, and beside which the lock of its updates stands."""

    def state(self) -> IndexState | None:
        """What it has seen; None where there is none, or one that another version made."""

    def engine(self) -> SearchEngine | None:
        """What answers; None where nothing is indexed yet."""

    def close(self) -> None:
        """Open it anew the next time that this process searches it."""

    def reject(self) -> None:
        """Have it made anew by whoever updates it next: it is damaged."""

    def discard(self) -> None:
        """Delete it."""

    def updating(self, changes: int) -> AbstractContextManager[IndexUpdate]:
        """What writes the index, from documents that have changed so often.

        Raises Conflict where another process of this host writes, and from within it UnwritableIndex.
        """


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


@dataclass(frozen=True, slots=True)
class UpdateFiles:
    """The file beside the folder of an index: the lock of who updates it."""

    folder: Path

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Holds the lock, which ends with the process; raises Conflict, UnwritableIndex."""
        try:
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            with self.folder.with_name(f"{self.folder.name}.lock").open("w") as lock:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    message = "another process is updating this index"
                    raise Conflict(message, remedy="wait until it is done") from error
                yield
        except OSError as error:
            message = f"the folder of the index cannot be written: {error.strerror or error}"
            raise UnwritableIndex(message, remedy="free space on its disk") from error
