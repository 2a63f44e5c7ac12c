"""Documents in SMART's format, in which Cranfield, CACM, ADI and others come: `.I 1`, then `.T .A .B .W`."""

from __future__ import annotations

import re

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import collapsed, tidied
from workbench.formats.identifiers import trimmed
from workbench.formats.single_files import SMART_TYPE, record_original
from workbench.formats.text_formats import DocumentFormat, Lines, NumberedDocuments
from workbench.records import Document

_ITEM = re.compile(r"\.I(?:\s+(.*))?$")
_MARK = re.compile(r"\.([A-Z])\s*$")


def smart_documents(lines: Lines, errors: ErrorCollector) -> NumberedDocuments:
    """One document from `.I` to the next; marks stand alone on their lines, others than TABW are left out.

    Author and bibliography become the first paragraph of the text. A `.W` that repeats the title, as
    Cranfield's do, loses the repetition. The original is the lines of the document.
    """
    start: tuple[int, str] | None = None
    record: list[str] = []
    fields: dict[str, list[str]] = {}
    current: list[str] = []
    for number, line in lines:
        if item := _ITEM.match(line):
            if start:
                yield start[0], _document(start[1], fields, record)
            start = number, item[1] or ""
            fields, current, record = {}, [], []
        elif mark := _MARK.match(line):
            current = fields.setdefault(mark[1], [])
        elif start is None or (not fields and line.strip()):
            if line.strip():
                message = f"text outside a document or field: {shown(line)}"
                errors.add(number, "outside", message, "begin documents with .I and fields with .T or .W")
        else:
            current.append(line)
        record.append(line)
    if start:
        yield start[0], _document(start[1], fields, record)


def _document(docno: str, fields: dict[str, list[str]], record: list[str]) -> Document:
    title, author, bibliography = (collapsed("\n".join(fields.get(mark, ()))) for mark in "TAB")
    body = _without_title(tidied("\n".join(fields.get("W", ()))), title)
    origin = " — ".join(part for part in (author, bibliography) if part)
    text = "\n\n".join(part for part in (origin, body) if part)
    return Document(trimmed(docno), title, text, record_original(SMART_TYPE, _lines(record)))


def _lines(record: list[str]) -> str:
    return "\n".join(record).removesuffix("\r")


def _without_title(body: str, title: str) -> str:
    words = len(title.split())
    repeated = re.match(rf"\s*+(?:\S++\s++){{{words - 1}}}\S++", body) if words else None
    if repeated and collapsed(repeated[0]) == title:
        return tidied(body[repeated.end() :].lstrip())
    return body


SMART = DocumentFormat("smart", "SMART", smart_documents, lambda line: bool(re.match(r"\.I\s+\S", line)))
