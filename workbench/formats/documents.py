"""Documents in any of the field's formats, streamed: the registry of the formats, and reading any of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from workbench.formats.documents_image import IMAGE
from workbench.formats.documents_jats import JATS
from workbench.formats.documents_lines import JSON_LINES, SMART, TSV
from workbench.formats.documents_mail import MAIL
from workbench.formats.documents_pdf import PDF
from workbench.formats.documents_trec import TREC_SGML
from workbench.formats.documents_warc import WARC
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import check_texts
from workbench.formats.identifiers import check_ids
from workbench.formats.source import Readable, numbered_lines, open_source, with_head
from workbench.formats.text_formats import (
    BinaryDocumentFormat,
    DocumentFormat,
    NumberedDocuments,
    in_words,
    known_format,
)
from workbench.records import Document

DOCUMENT_FORMATS: Mapping[str, DocumentFormat | BinaryDocumentFormat] = MappingProxyType(
    {one.name: one for one in (WARC, PDF, IMAGE, JATS, MAIL, JSON_LINES, TREC_SGML, SMART, TSV)}
)
"""The formats by name, in the order in which they are tried; the last recognises every file of lines."""

HEAD_BYTES = 2**10
"""By so many first bytes a format that is not of lines is recognised."""


def read_documents(
    stream: Readable, *, source: str, format: str | None = None, notes: list[str] | None = None
) -> Iterator[Document]:
    """The documents of a plain or gzip file, one by one; `format` is of `DOCUMENT_FORMATS`, None to look.

    Images that belong to pages (`Original.beside`) come among them and are no documents themselves. Only the
    docnos stay in memory. Documents in error are left out, the rest go on, and at the end
    InvalidInput is raised with all errors: so take what comes inside a transaction. Errors: what cannot be
    parsed, docnos that are missing, repeated or hold white space, text that is no UTF-8. An unknown format
    raises WorkbenchError at once.

    At the end `notes` gets sentences for people: which of several keys was taken for the docno, and which
    hold text that is not shown.
    """
    known_format(DOCUMENT_FORMATS, format)
    return _documents(stream, source, format, notes)


def sniffed_documents(first_line: str) -> str:
    """The name of the format of lines that a file's first line with text looks like."""
    start = first_line.lstrip()
    formats = (one for one in DOCUMENT_FORMATS.values() if isinstance(one, DocumentFormat))
    return next(one.name for one in formats if one.recognises(start))


def recognised_binary(head: bytes) -> BinaryDocumentFormat | None:
    """The format of a file that begins with these plain bytes; None for one of lines of text."""
    formats = (one for one in DOCUMENT_FORMATS.values() if isinstance(one, BinaryDocumentFormat))
    return next((one for one in formats if one.recognises(head)), None)


def _documents(
    stream: Readable, source: str, format: str | None, notes: list[str] | None
) -> Iterator[Document]:
    errors = ErrorCollector(source)
    head, plain = with_head(open_source(stream, source, pdf=True), HEAD_BYTES)
    chosen = DOCUMENT_FORMATS[format] if format else recognised_binary(head)
    if isinstance(chosen, BinaryDocumentFormat):
        unit, numbered = "record", chosen.read(plain, errors)
    else:
        unit, numbered = "line", _of_lines(numbered_lines(plain, source=source, returns=True), chosen, errors)
    first: dict[str, int] = {}
    for number, document in numbered:
        docno = document.docno
        if document.original is not None and document.original.beside:
            yield document
        elif not check_ids(number, (docno,), errors):
            continue
        elif first.setdefault(docno, number) != number:
            message = f"document {shown(docno)} is already in the file, {unit} {first[docno]}"
            errors.add(number, "duplicate", message, "remove one of the two: docnos are unique")
        elif check_texts(number, (document.title, document.text), errors):
            yield document
    if notes is not None:
        notes += errors.notes()
    errors.require(first, "the file contains no documents", "check whether it is in another format")


def _of_lines(
    lines: Iterator[tuple[int, str]], chosen: DocumentFormat | None, errors: ErrorCollector
) -> NumberedDocuments:
    start = next(((number, line) for number, line in lines if line.strip()), None)
    if start is None:
        errors.add(None, "empty", "the file contains no documents", f"formats: {in_words(DOCUMENT_FORMATS)}")
        return
    if chosen is None:
        found = DOCUMENT_FORMATS[sniffed_documents(start[1])]
        chosen = found if isinstance(found, DocumentFormat) else None
    if chosen is not None:
        yield from chosen.read(itertools.chain([start], lines), errors)
