"""What the forms need to know of a release, and the names of the files that they share."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.formats.identifiers import is_utf8
from workbench.formats.qrels import write_qrels
from workbench.records import Document, Qrel, Scale, Topic

QRELS = "qrels.txt"
QUERIES = "beir/queries.jsonl"
CORPUS = "beir/corpus.jsonl"
BEIR_QRELS = "beir/qrels/test.tsv"


@dataclass(frozen=True, slots=True)
class Publication:
    """A release as it is published; `documents` is None where the release does not include them.

    `slug` and `version` name it. `released` is a date such as 2026-11-22, or empty; `authors` are names of
    people or groups; `licence` is an SPDX identifier or an address, or empty. `relevant_from` is the lowest
    relevant grade of the qrels.
    """

    slug: str
    version: str
    title: str
    scale: Scale
    topics: tuple[Topic, ...]
    qrels: tuple[Qrel, ...]
    documents: tuple[Document, ...] | None = None
    description: str = ""
    authors: tuple[str, ...] = ()
    citation: str = ""
    homepage: str = ""
    licence: str = ""
    released: str = ""
    relevant_from: int = 1

    @property
    def name(self) -> str:
        """Slug and version, the id of the release in ir_datasets."""
        return f"{self.slug}/{self.version}"

    @property
    def abstract(self) -> str:
        """The description, or the size of the collection where there is none."""
        relevant = sum(qrel.grade >= self.relevant_from for qrel in self.qrels)
        size = f"{len(self.topics):,} topics, {len(self.qrels):,} judged pairs, {relevant:,} of them relevant"
        return self.description.strip() or f"A test collection for information retrieval: {size}."


def qrels_file(publication: Publication) -> bytes:
    """The bytes of `qrels.txt`; raises WorkbenchError as `write_qrels` does."""
    return b"".join(write_qrels(publication.qrels))


def check_text_ids(publication: Publication) -> None:
    """Raise WorkbenchError where an id is bytes that are no UTF-8 text, which JSON and CSV cannot carry."""
    ids = [topic.id for topic in publication.topics] + [qrel.docno for qrel in publication.qrels]
    ids += [document.docno for document in publication.documents or ()]
    wrong = sum(not is_utf8(identifier) for identifier in ids)
    if wrong:
        raise WorkbenchError(
            f"{wrong:,} ids are not UTF-8 text", remedy="use qrels.txt, which has them as they came"
        )
