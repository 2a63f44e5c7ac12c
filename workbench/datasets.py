"""Collections by their id in `ir_datasets`, the field's catalogue: topics, documents, qrels, a run.

The library is the extra `datasets`, imported at the first use: it registers some 800 collections, and no
other command needs it. It downloads files into `$IR_DATASETS_HOME` (by default `~/.ir_datasets`). Of the
documents only those that are asked for are looked up, in the document store that it makes of them.
"""

from __future__ import annotations

import json
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from enum import StrEnum
from typing import Any

from workbench.errors import NotFound, WorkbenchError
from workbench.formats.documents_trec import sgml_document
from workbench.formats.fields import collapsed
from workbench.formats.text_formats import JSON_TYPE, SGML_TYPE, record_original, sha256_of
from workbench.formats.web_pages import PAGE_TYPES, web_page
from workbench.frozen import frozen_dataclass
from workbench.records import Document, Original, Qrel, Ranking, Run, Topic

INSTALL = "pip install 'ir-workbench[datasets]'"


class DatasetPart(StrEnum):
    """What a collection of the catalogue may have."""

    TOPICS = "topics"
    DOCUMENTS = "documents"
    QRELS = "qrels"
    RUNS = "runs"


# The names of the parts in `ir_datasets`.
_HANDLERS = {
    DatasetPart.TOPICS: "queries",
    DatasetPart.DOCUMENTS: "docs",
    DatasetPart.QRELS: "qrels",
    DatasetPart.RUNS: "scoreddocs",
}
_TITLES = ("title", "headline", "ht_title")
_TEXTS = ("abstract", "text", "body", "contents", "summary", "detailed_description")
_STATEMENTS = ("title", "query", "text", "keywords")
# What the library raises where a file cannot be downloaded, is absent or is not what it should be: requests'
# errors are OSError, a missing password ends in EOFError, a missing package in ImportError.
_FAILURES = (OSError, RuntimeError, EOFError, ImportError, ValueError, KeyError, AssertionError)
_LONGEST_REASON = 300
_CHARSET = re.compile(rb"(?im)^content-type:[^\r\n]*charset=[\"']?([A-Za-z0-9_-]+)")
_TAG_CHARACTERS = re.compile(r"[^A-Za-z0-9_.-]+")


@frozen_dataclass
class CatalogueEntry:
    """A collection of `ir_datasets`; `documents` counts all that it has, None where that is not known."""

    id: str
    parts: tuple[DatasetPart, ...]
    documents: int | None
    dataset: Any

    def topics(self) -> tuple[Topic, ...]:
        """The topics in their order; raises WorkbenchError where the files cannot be had."""
        with self._reaching(DatasetPart.TOPICS):
            return tuple(_topic(one) for one in self.dataset.queries_iter())

    def qrels(self) -> tuple[Qrel, ...]:
        """The qrels in their order; raises WorkbenchError for absent files and for grades of subtopics."""
        with self._reaching(DatasetPart.QRELS):
            if "subtopic_id" in self.dataset.qrels_cls()._fields:
                raise WorkbenchError(
                    f"the qrels of {self.id} grade subtopics, not documents",
                    remedy="choose a data set whose qrels have one grade for a topic and a document",
                )
            return tuple(
                Qrel(str(one.query_id), str(one.doc_id), int(one.relevance))
                for one in self.dataset.qrels_iter()
            )

    def run(self) -> Run:
        """The ranking that comes with the collection, for example to be reranked; its tag is from the id."""
        found: dict[str, tuple[list[str], list[float]]] = {}
        with self._reaching(DatasetPart.RUNS):
            for one in self.dataset.scoreddocs_iter():
                docnos, scores = found.setdefault(str(one.query_id), ([], []))
                docnos.append(str(one.doc_id))
                scores.append(float(one.score))
        tag = _TAG_CHARACTERS.sub("-", self.id)
        return Run(tag, {topic: Ranking(tuple(d), tuple(s)) for topic, (d, s) in found.items()})

    def documents_of(self, docnos: Sequence[str]) -> Iterator[Document]:
        """Those of these documents that the collection has, in the order of its document store."""
        with self._reaching(DatasetPart.DOCUMENTS):
            for one in self.dataset.docs_store().get_many_iter(docnos):
                yield shown_document(one)

    @contextmanager
    def _reaching(self, part: DatasetPart) -> Iterator[None]:
        if part not in self.parts:
            raise WorkbenchError(
                f"{self.id} has no {part}", remedy=f"it has {', '.join(self.parts) or 'nothing to load'}"
            )
        with _heard() as messages:
            try:
                yield
            except _FAILURES as error:
                raise _unreachable(self.id, part, error, messages) from error


def catalogue_entry(dataset_id: str) -> CatalogueEntry:
    """The collection with this id; nothing is downloaded.

    Raises NotFound for an unknown id, WorkbenchError where the library is not installed.
    """
    library = _library()
    try:
        found = library.load(dataset_id)
    except KeyError:
        raise NotFound(
            f"ir_datasets has no collection {dataset_id!r}", remedy=_similar(library, dataset_id)
        ) from None
    parts = tuple(part for part, handler in _HANDLERS.items() if found.has(handler))
    return CatalogueEntry(dataset_id, parts, _document_count(found), found)


def available() -> bool:
    """Whether `ir_datasets` is installed; it is not imported."""
    from importlib.util import find_spec

    return find_spec("ir_datasets") is not None


def shown_document(record: Any) -> Document:
    """A record of a document store as assessors see it.

    The marked-up form of TREC's collections is read as `formats.documents_trec` reads their files, and a page
    of the web is its HTML. Otherwise the text is the abstract, text or body, and where there is none of
    these, what the library gives to search engines. The original is the page or the marked-up form; of a
    record that the library takes apart, its fields as JSON.
    """
    docno, fields = str(record.doc_id), set(record._fields)
    if "marked_up_doc" in fields and (marked_up := _plain(record.marked_up_doc)).strip():
        read = sgml_document(marked_up)
        whole = record.marked_up_doc
        return Document(docno, collapsed(read.title), read.text, record_original(SGML_TYPE, whole))
    title = collapsed(_first(record, fields, _TITLES))
    if "body_content_type" in fields:
        return _with_original(record, fields)
    original = record_original(JSON_TYPE, json.dumps(record._asdict(), ensure_ascii=False, default=_plain))
    if "body_paras_html" in fields:
        paragraphs = "".join(f"<p>{paragraph}</p>\n" for paragraph in record.body_paras_html)
        return Document(docno, title, paragraphs or record.body, original)
    texts = [getattr(record, name) for name in _TEXTS if name in fields]
    written = [one.strip() for one in texts if isinstance(one, str) and one.strip()]
    if not written and hasattr(record, "default_text"):
        written = [record.default_text().removeprefix(_first(record, fields, _TITLES)).strip()]
    return Document(docno, title, "\n\n".join(written), original)


def _with_original(record: Any, fields: set[str]) -> Document:
    """A page of the web, with its bytes as they were crawled."""
    charset = _header_charset(record.http_headers)
    kind = str(record.body_content_type or "").partition(";")[0].strip().lower() or "text/html"
    original = Original(
        kind if kind in PAGE_TYPES else "text/html",
        record.body,
        sha256_of(record.body),
        str(record.url) if "url" in fields else "",
        charset or "",
    )
    return replace(web_page(str(record.doc_id), record.body, charset), original=original)


def _library() -> Any:
    # Without this the library names the place of a file only where it is larger than 5 MB.
    os.environ.setdefault("IR_DATASETS_SMALL_FILE_SIZE", "0")
    try:
        import ir_datasets
    except ImportError:
        raise WorkbenchError(
            "collections by id need ir_datasets, which is not installed", remedy=INSTALL
        ) from None
    return ir_datasets


def _topic(record: Any) -> Topic:
    fields = set(record._fields)
    title = _first(record, fields, _STATEMENTS) or record.default_text()
    subtopics = getattr(record, "subtopics", None) or ()
    return Topic(
        str(record.query_id),
        collapsed(title),
        _first(record, fields, ("description", "desc", "question")).strip(),
        _first(record, fields, ("narrative", "narr")).strip(),
        tuple((str(one.number), collapsed(one.text)) for one in subtopics if hasattr(one, "number")),
    )


def _first(record: Any, fields: set[str], names: Sequence[str]) -> str:
    """The text of the first of these fields that has one."""
    values = (getattr(record, name) for name in names if name in fields)
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def _header_charset(headers: bytes) -> str | None:
    found = _CHARSET.search(headers)
    return found[1].decode("ascii") if found else None


def _plain(value: object) -> str:
    """What JSON has no form for: bytes as text, anything else as Python writes it."""
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _document_count(dataset: Any) -> int | None:
    with suppress(*_FAILURES, AttributeError, TypeError):
        metadata: Mapping[str, Any] = dataset.docs_metadata()
        return int(metadata["count"])
    return None


def _similar(library: Any, dataset_id: str) -> str:
    from difflib import get_close_matches

    close = get_close_matches(dataset_id, list(library.registry), n=3)
    return f"similar ids: {', '.join(close)}" if close else "https://ir-datasets.com lists the ids"


class _Listener(logging.Handler):
    """Keeps what the library says of where a file must lie: it says it in its log, not in its errors."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if "/" in message and not message.startswith(("[", "Download failed", "download error")):
            self.messages.append(" ".join(message.split()))


@contextmanager
def _heard() -> Iterator[list[str]]:
    listener, log = _Listener(), logging.getLogger("ir_datasets")
    log.addHandler(listener)
    try:
        yield listener.messages
    finally:
        log.removeHandler(listener)


def _unreachable(dataset_id: str, part: DatasetPart, error: Exception, messages: list[str]) -> WorkbenchError:
    reason = " ".join(str(error).split()) or type(error).__name__
    if len(reason) > _LONGEST_REASON:
        reason = f"{reason[:_LONGEST_REASON]}…"
    home = os.environ.get("IR_DATASETS_HOME", "~/.ir_datasets")
    where = " ".join(dict.fromkeys(messages)) or (
        f"ir_datasets keeps its files in {home}: connect this machine, or copy that folder from another one"
    )
    return WorkbenchError(f"the {part} of {dataset_id} cannot be read: {reason}", remedy=where)
