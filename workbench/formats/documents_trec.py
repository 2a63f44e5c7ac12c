"""TREC's documents: `<DOC> <DOCNO> ... </DOCNO> ... </DOC>`, one after another; cut here, read in sgml.py."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.record_bytes import SGML_TYPE, record_original
from workbench.formats.sgml import sgml_document
from workbench.formats.source import LINE_LIMIT
from workbench.formats.text_formats import DocumentFormat
from workbench.records import Document

_DOC = re.compile(r"<(/?)doc((?:\s[^<>]*+)?)>", re.IGNORECASE)
# Some files wrap their documents in a root element.
_ANY_TAG = re.compile(r"<[^<>]*+>")
_ID = re.compile(r"\bid\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|(\S+))", re.IGNORECASE)


@dataclass(slots=True)
class _OpenDocument:
    """A document that is being read: where it starts, its tag with an id, its text so far and its length."""

    line: int
    tag: str
    id: str
    parts: list[str] = field(default_factory=list)
    size: int = 0


def trec_documents(
    lines: Iterable[tuple[int, str]], errors: ErrorCollector
) -> Iterator[tuple[int, Document]]:
    """The documents between `<DOC>` and `</DOC>`, tags in any case and anywhere on a line.

    The docno is that of `<DOCNO>`, or where there is none (as in Gigaword) the id of `<DOC id="...">`. The
    original begins and ends with the two tags.
    """
    document: _OpenDocument | None = None
    outside = False
    for number, line in lines:
        at = 0
        for tag in _DOC.finditer(line) if "<" in line else ():
            if document:
                _take(document, line[at : tag.start()], errors)
            at = tag.end()
            if tag[1]:
                if document:
                    yield document.line, _read(document, tag[0])
                document = None
                continue
            if document:
                message = f"the document of line {document.line} is not closed"
                errors.add(document.line, "unclosed", message, "end every document with </DOC>")
            document = _OpenDocument(number, tag[0], _given_id(tag[2]))
        if document:
            _take(document, line[at:] + "\n", errors)
        elif not outside and (left := _ANY_TAG.sub("", line[at:]).strip()):
            outside = True
            message = f"text outside <DOC>: {shown(left)}"
            errors.add(number, "outside", message, "a file of TREC documents holds nothing else")
    if document:
        message = "the last document is not closed: the file may have been cut"
        errors.add(document.line, "unclosed", message, "end every document with </DOC>")


def _read(document: _OpenDocument, end: str) -> Document:
    inside = "".join(document.parts)
    original = record_original(SGML_TYPE, f"{document.tag}{inside}{end}")
    return replace(sgml_document(inside.replace("\r\n", "\n"), document.id), original=original)


def _take(document: _OpenDocument, text: str, errors: ErrorCollector) -> None:
    before = document.size
    document.size += len(text)
    if document.size <= LINE_LIMIT:
        document.parts.append(text)
    elif before <= LINE_LIMIT:
        message = f"the document is longer than {LINE_LIMIT // 2**20} MiB"
        errors.add(document.line, "too-large", message, "is </DOC> missing?")


def _given_id(attributes: str) -> str:
    found = _ID.search(attributes)
    return next((group for group in found.groups() if group is not None), "") if found else ""


def _recognised(line: str) -> bool:
    return line.startswith("<")


TREC_SGML = DocumentFormat("trec", "TREC SGML", trec_documents, _recognised)
