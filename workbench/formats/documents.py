"""Documents in any of the field's formats, streamed: the one list of them, and how they are told apart."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from workbench.errors import WorkbenchError
from workbench.formats.documents_json import json_documents
from workbench.formats.documents_smart import smart_documents
from workbench.formats.documents_trec import trec_documents
from workbench.formats.documents_tsv import tsv_documents
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import check_texts
from workbench.formats.identifiers import check_ids
from workbench.formats.source import Readable, numbered_lines
from workbench.records import Document

Lines = Iterable[tuple[int, str]]
DocumentReader = Callable[[Lines, ErrorCollector], Iterator[tuple[int, Document]]]
"""From numbered lines and the place for their errors to documents, each with the line where it starts."""

DOCUMENT_FORMATS: Mapping[str, DocumentReader] = MappingProxyType(
    {"jsonl": json_documents, "trec": trec_documents, "smart": smart_documents, "tsv": tsv_documents}
)

_SMART = re.compile(r"\.I\s+\S")


def read_documents(stream: Readable, *, source: str, format: str | None = None) -> Iterator[Document]:
    """The documents of a plain or gzip file, one by one; `format` is of `DOCUMENT_FORMATS`, None to look.

    Only the docnos stay in memory. Documents in error are left out, the rest go on, and at the end
    InvalidInput is raised with all errors: so take what comes inside a transaction. Errors: what cannot be
    parsed, docnos that are missing, repeated or hold white space, text that is no UTF-8. An unknown format
    raises WorkbenchError at once.
    """
    if format is not None and format not in DOCUMENT_FORMATS:
        raise WorkbenchError(
            f"{shown(format)} is no format of documents", remedy=f"one of {', '.join(DOCUMENT_FORMATS)}"
        )
    return _documents(stream, source, format)


def sniffed_documents(first_line: str) -> str:
    """The name of the format that a file's first line with text looks like; else tab-separated."""
    start = first_line.lstrip()
    if start[:1] in ("{", "["):
        return "jsonl"
    if start[:1] == "<":
        return "trec"
    return "smart" if _SMART.match(start) else "tsv"


def _documents(stream: Readable, source: str, format: str | None) -> Iterator[Document]:
    errors = ErrorCollector(source)
    lines = numbered_lines(stream, source=source)
    start = next(((number, line) for number, line in lines if line.strip()), None)
    if start is None:
        errors.add(None, "empty", "the file holds no document", f"formats: {', '.join(DOCUMENT_FORMATS)}")
    else:
        reader = DOCUMENT_FORMATS[format or sniffed_documents(start[1])]
        first: dict[str, int] = {}
        for line, document in reader(itertools.chain([start], lines), errors):
            if _accepted(line, document, first, errors):
                yield document
        if not first and not errors:
            errors.add(None, "empty", "the file holds no document", "is it in another format?")
    errors.check()


def _accepted(line: int, document: Document, first: dict[str, int], errors: ErrorCollector) -> bool:
    if not check_ids(line, (document.docno,), errors):
        return False
    if first.setdefault(document.docno, line) != line:
        message = f"document {shown(document.docno)} was there already, line {first[document.docno]}"
        errors.add(line, "duplicate", message, "docnos are unique: leave one of the two out")
        return False
    return check_texts(line, (document.title, document.text), errors)
