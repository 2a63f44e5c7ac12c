"""Collections registered with the real `ir_datasets` for a test: nothing of them is on any network."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
from ir_datasets.formats import BaseDocs
from ir_datasets.indices import Docstore

VAST = 10**8
_NUMBERS = itertools.count(1)


def registered(dataset: Any) -> str:
    """Register a data set under an id of its own, which is returned; the library has no way to remove it."""
    dataset_id = f"workbench-test/{next(_NUMBERS)}"
    ir_datasets.registry.register(dataset_id, dataset)
    return dataset_id


def small_collection(folder: Path) -> str:
    """The id of a collection of four documents, two topics and five qrels in files of this folder.

    Its document store is the library's own, built at the first look-up.
    """
    (folder / "docs.tsv").write_text(
        "".join(f"{one}\tThe text of {one}\n" for one in ("d1", "d2", "d/4", "x"))
    )
    (folder / "queries.tsv").write_text("T1\ttides\nT2\tnets\n")
    (folder / "qrels.txt").write_text("T1 0 d1 1\nT1 0 d2 0\nT1 0 x -1\nT2 0 d/4 1\nT2 0 d1 0\n")
    return registered(
        ir_datasets.create_dataset(
            docs_tsv=str(folder / "docs.tsv"),
            queries_tsv=str(folder / "queries.tsv"),
            qrels_trec=str(folder / "qrels.txt"),
        )
    )


class VastDoc(NamedTuple):
    """A document of a collection that nobody could load whole."""

    doc_id: str
    title: str
    body: str


class VastStore(Docstore):  # type: ignore[misc]  # the library has no types
    """A document store of 100 million documents; it keeps what it was asked, and may fail at one of them."""

    def __init__(self, known: Callable[[str], bool], fails_at: Callable[[str], bool]) -> None:
        super().__init__(VastDoc)
        self.asked: list[str] = []
        self.known = known
        self.fails_at = fails_at

    def get_many_iter(self, doc_ids: Iterable[str]) -> Iterator[VastDoc]:
        """Those documents that are there."""
        for docno in doc_ids:
            if self.fails_at(docno):
                raise ConnectionError(f"the network was lost at {docno}")
            self.asked.append(docno)
            if self.known(docno):
                yield VastDoc(docno, f"Title of {docno}", f"Body of {docno}")


class VastDocs(BaseDocs):  # type: ignore[misc]  # the library has no types
    """100 million documents that can be looked up, and are never listed."""

    def __init__(self, store: VastStore) -> None:
        self.store = store

    def docs_iter(self) -> Iterator[VastDoc]:
        """Nobody may go through all of them."""
        raise AssertionError("every document of the collection was asked for")

    def docs_count(self) -> int:
        """As many as there are."""
        return VAST

    def docs_cls(self) -> type[VastDoc]:
        """The type of a document."""
        return VastDoc

    def docs_store(self) -> VastStore:
        """The store."""
        return self.store


def vast_collection(
    known: Callable[[str], bool] = lambda _: True, fails_at: Callable[[str], bool] = lambda _: False
) -> tuple[str, VastStore]:
    """The id of a collection of 100 million documents, and its store."""
    store = VastStore(known, fails_at)
    return registered(ir_datasets.Dataset(VastDocs(store))), store
