"""This release as a data set of ir_datasets: importing this file registers it.

From the unzipped folder, with it as the current folder, or from the zip as it is:

    import sys
    sys.path.insert(0, "the-release.zip")
    import ir_datasets_definition
    dataset = ir_datasets_definition.dataset

It reads the files that lie beside it. Documents, where the release includes them, are indexed once in the
folder of ir_datasets.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import ir_datasets

# What follows is filled in for each release.
DATASET_ID = ""
GRADES: dict[int, str] = {}
HAS_DOCUMENTS = False
# End of what is filled in.

BESIDE = Path(__file__).parent


def open_member(name: str) -> IO[bytes]:
    """A file of the release, from its folder or from the zip in which this file lies."""
    for place in (BESIDE, *BESIDE.parents):
        if place.is_dir():
            return (place / BESIDE.relative_to(place) / name).open("rb")
        if place.is_file():
            inside = (BESIDE.relative_to(place) / name).as_posix()
            return zipfile.ZipFile(place).open(inside)
    raise FileNotFoundError(name)


def lines_of(name: str) -> Iterator[bytes]:
    """The lines of a file of the release."""
    with open_member(name) as stream:
        yield from stream


class ZippedDocument(NamedTuple):
    """A document of the release."""

    doc_id: str
    title: str
    text: str

    def default_text(self) -> str:
        """Title and text."""
        return f"{self.title} {self.text}".strip()


class ZippedQueries(ir_datasets.formats.BaseQueries):  # type: ignore[misc]
    """The topics, in their order."""

    def queries_iter(self) -> Iterator[Any]:
        """Title, description and narrative of each topic."""
        for line in lines_of("beir/queries.jsonl"):
            found = json.loads(line)
            more = found["metadata"]
            yield ir_datasets.formats.TrecQuery(
                found["_id"], found["text"], more["description"], more["narrative"]
            )

    def queries_cls(self) -> type[Any]:
        """The class of a topic."""
        return ir_datasets.formats.TrecQuery  # type: ignore[no-any-return]

    def queries_namespace(self) -> str:
        """Where the ids of topics are unique."""
        return DATASET_ID

    def queries_lang(self) -> None:
        """Unknown."""
        return


class ZippedQrels(ir_datasets.formats.BaseQrels):  # type: ignore[misc]
    """The qrels."""

    def qrels_iter(self) -> Iterator[Any]:
        """Each judged pair with its grade."""
        for line in lines_of("qrels.txt"):
            topic, iteration, docno, grade = line.split()
            yield ir_datasets.formats.TrecQrel(topic.decode(), docno.decode(), int(grade), iteration.decode())

    def qrels_cls(self) -> type[Any]:
        """The class of a line of qrels."""
        return ir_datasets.formats.TrecQrel  # type: ignore[no-any-return]

    def qrels_defs(self) -> dict[int, str]:
        """What each grade means."""
        return GRADES


class ZippedDocuments(ir_datasets.formats.BaseDocs):  # type: ignore[misc]
    """The documents, ordered by id."""

    def docs_iter(self) -> Any:
        """Each document, with slices as in every data set of ir_datasets."""
        return iter(self.docs_store())

    def docs_cls(self) -> type[ZippedDocument]:
        """The class of a document."""
        return ZippedDocument

    def docs_store(
        self, field: str = "doc_id", options: Any = ir_datasets.indices.DEFAULT_DOCSTORE_OPTIONS
    ) -> Any:
        """The documents by id, kept under the hash of their file: no other release is read instead."""
        with open_member("beir/corpus.jsonl") as stream:
            digest = hashlib.sha256()
            while part := stream.read(1 << 20):
                digest.update(part)
        return ir_datasets.indices.PickleLz4FullStore(
            path=str(ir_datasets.util.home_path() / "releases" / digest.hexdigest() / "docs.pklz4"),
            init_iter_fn=self._read,
            data_cls=ZippedDocument,
            lookup_field=field,
            index_fields=["doc_id"],
            options=options,
        )

    def docs_count(self) -> int:
        """How many documents there are."""
        return int(self.docs_store().count())

    def docs_namespace(self) -> str:
        """Where the ids of documents are unique."""
        return DATASET_ID

    def docs_lang(self) -> None:
        """Unknown."""
        return

    def _read(self) -> Iterator[ZippedDocument]:
        for line in lines_of("beir/corpus.jsonl"):
            found = json.loads(line)
            yield ZippedDocument(found["_id"], found["title"], found["text"])


def register() -> Any:
    """The data set, registered under DATASET_ID unless it already is."""
    if DATASET_ID not in set(ir_datasets.registry):
        documents = ZippedDocuments() if HAS_DOCUMENTS else None
        made = ir_datasets.datasets.base.Dataset(documents, ZippedQueries(), ZippedQrels())
        ir_datasets.registry.register(DATASET_ID, made)
    return ir_datasets.load(DATASET_ID)


dataset = register()
