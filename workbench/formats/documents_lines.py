"""Documents on lines of their own: JSON lines, TSV and SMART's format.

JSON lines are BEIR's `_id, title, text`, Anserini's `id, contents`, and their cousins. TSV is docno and text
(MS MARCO's passages), or docno, title and text. SMART is that in which Cranfield, CACM, ADI and others come:
`.I 1`, then `.T .A .B .W`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from html import escape
from typing import Any

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import collapsed, tidied
from workbench.formats.identifiers import trimmed
from workbench.formats.text_formats import (
    JSON_TYPE,
    SMART_TYPE,
    TSV_TYPE,
    DocumentFormat,
    Lines,
    NumberedDocuments,
    Record,
    as_record,
    as_text,
    first_of,
    key_of,
    parsed,
    record_original,
    unknown_keys,
)
from workbench.records import Document

# In MS MARCO's passages `pid` is the passage, `docid` the page that it is of.
_IDS = ("id", "_id", "docno", "pid", "docid", "doc_id")
MOST_NAMED = 10
_TITLES = ("title", "headline")
_TEXTS = ("text", "body", "abstract", "passage", "segment")


def json_documents(lines: Lines, errors: ErrorCollector) -> NumberedDocuments:
    """One document an object and line; the text is kept as it is, the title is put on one line.

    The original is the line.

    Anserini's `contents` begins with the title where it has several lines and there is no key for titles;
    the Washington Post's are an array of typed parts.
    """
    for line, text in lines:
        if not text.strip():
            continue
        if text.lstrip().startswith("["):
            errors.add(line, "json", "this is a JSON array", "write one object per line: jq -c '.[]'")
            return
        record = as_record(line, parsed(line, text, errors), errors)
        document = None if record is None else _document(line, record, errors)
        if document is not None:
            yield line, replace(document, original=record_original(JSON_TYPE, text.removesuffix("\r")))


def _document(line: int, record: Record, errors: ErrorCollector) -> Document | None:
    before = errors.count
    docno = first_of(line, record, _IDS, errors)
    title = first_of(line, record, _TITLES, errors)
    text = first_of(line, record, _TEXTS, errors)
    parts = record.get("contents")
    contents = news_html(parts) if isinstance(parts, list) else first_of(line, record, ("contents",), errors)
    if docno is None:
        keys = unknown_keys(record, (*_TITLES, *_TEXTS, "contents"))
        errors.add(
            line, "id", f"the document has no id (other keys: {keys})", f"add one of {', '.join(_IDS)}"
        )
        return None
    if text is None and contents is None:
        keys = unknown_keys(record, (*_IDS, *_TITLES))
        message = f"the document has no key for its text (other keys: {keys})"
        errors.add(line, "no-text", message, f"add one of {', '.join((*_TEXTS, 'contents'))}")
        return None
    if errors.count > before:
        return None
    if text is None and title is None and not isinstance(parts, list):
        title, _, text = _with_title(contents or "")
    _note(record, errors)
    return Document(trimmed(docno), collapsed(title or ""), text or contents or "")


def _note(record: Record, errors: ErrorCollector) -> None:
    """Note which key was taken for the docno where others could be it, and what is not shown."""
    chosen = key_of(record, _IDS)
    others = [name for name in _IDS if as_text(record.get(name)) and record[name] != record[chosen or name]]
    if others:
        order = ", ".join(_IDS)
        errors.note(
            f"the docno is {shown(chosen or '')}, not {' or '.join(map(shown, others))}: the first of these "
            f"keys counts: {order}"
        )
    read = {key_of(record, _TITLES), key_of(record, _TEXTS) or "contents", *_IDS}
    left = [name for name, value in record.items() if name not in read and as_text(value)]
    if left:
        names = ", ".join(map(shown, left[:MOST_NAMED])) + (", ..." if len(left) > MOST_NAMED else "")
        errors.note(f"not shown to assessors, but kept in the originals: {names}")


def _with_title(contents: str) -> tuple[str, str, str]:
    first, newline, rest = contents.strip("\r\n").partition("\n")
    return (first, newline, rest) if newline else ("", "", contents)


JSON_LINES = DocumentFormat(
    "jsonl",
    "JSON lines (BEIR, Anserini, Washington Post)",
    json_documents,
    lambda line: line.startswith(("{", "[")),
)


# Every other part is a paragraph.
_ABOVE = dict.fromkeys(("kicker", "deck"), ("<p><b>", "</b></p>"))


def news_html(contents: Iterable[object]) -> str:
    """The parts in their order as HTML, which is cleaned when it is shown; pictures are their captions.

    The title has a key of its own in the record, and the date is a number there: both are left out. Parts
    that are null or of an unknown type and without text are left out as well.
    """
    return "\n".join(filter(None, (_part(part) for part in contents if isinstance(part, Mapping)))).strip()


def _part(part: Mapping[str, Any]) -> str:
    kind, content = _word(part, "type"), part.get("content")
    if kind in ("title", "date"):
        return ""
    if kind in ("image", "gallery", "video", "tweet") or "imageURL" in part:
        caption = (
            _word(part, "fullcaption")
            or _word(part, "blurb")
            or (content if isinstance(content, str) else "")
        )
        return f'<p><img alt="{escape(caption or kind)}"></p>'
    if isinstance(content, list):
        return "<ul>" + "".join(f"<li>{one}</li>" for one in content if isinstance(one, str)) + "</ul>"
    if not isinstance(content, str) or not content.strip():
        return ""
    written = content if _word(part, "mime") == "text/html" else escape(content, quote=False)
    if _word(part, "subtype") == "subhead":
        return f"<h2>{written}</h2>"
    before, after = _ABOVE.get(kind, ("<p>", "</p>"))
    return f"{before}{written}{after}"


def _word(part: Mapping[str, Any], key: str) -> str:
    value = part.get(key)
    return value if isinstance(value, str) else ""


_ID_COLUMNS = (*_IDS, "doc", "document")
_TEXT_COLUMNS = (*_TEXTS, "contents")
_ORDERS = {2: ("text",), 3: ("title", "text")}
_REMEDY = "write docno, optionally a title, and text, separated by tabs, with no tabs inside them"


def tsv_documents(lines: Lines, errors: ErrorCollector) -> NumberedDocuments:
    """One document a line; quotes are characters like others. The first line may name the columns.

    The original is the line.
    """
    order: tuple[str, ...] | None = None
    for number, line in lines:
        if not line.strip():
            continue
        cells = line.split("\t")
        if order is None:
            header = _header(cells)
            order = header or _ORDERS.get(len(cells))
            if header:
                others = [cell.strip() for cell, kind in zip(cells[1:], header, strict=True) if not kind]
                if others:
                    names = ", ".join(map(shown, others))
                    errors.note(f"not shown to assessors, but kept in the originals: the columns {names}")
                continue
        if order is None:
            errors.add(number, "columns", f"expected 2 or 3 columns, found {len(cells)}", _REMEDY)
        elif len(cells) != len(order) + 1:
            message = f"expected {len(order) + 1} columns as in the first line, found {len(cells)}"
            errors.add(number, "columns", message, _REMEDY)
        else:
            fields = dict(zip(order, cells[1:], strict=True))
            original = record_original(TSV_TYPE, line.removesuffix("\r"))
            title, text = collapsed(fields.get("title", "")), fields["text"].strip()
            yield number, Document(trimmed(cells[0]), title, text, original)


def _header(cells: list[str]) -> tuple[str, ...] | None:
    """The names of the columns after the docno, "" for unknown ones; None where the line is no header."""
    names = [cell.strip().casefold() for cell in cells]
    kinds = tuple(
        "title" if name in _TITLES else "text" if name in _TEXT_COLUMNS else "" for name in names[1:]
    )
    return kinds if names[0] in _ID_COLUMNS and kinds.count("text") == 1 else None


TSV = DocumentFormat("tsv", "TSV", tsv_documents, lambda _: True)


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
                yield start[0], _item(start[1], fields, record)
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
        yield start[0], _item(start[1], fields, record)


def _item(docno: str, fields: dict[str, list[str]], record: list[str]) -> Document:
    title, author, bibliography = (collapsed("\n".join(fields.get(mark, ()))) for mark in "TAB")
    body = _without_title(tidied("\n".join(fields.get("W", ()))), title)
    origin = " — ".join(part for part in (author, bibliography) if part)
    text = "\n\n".join(part for part in (origin, body) if part)
    return Document(trimmed(docno), title, text, record_original(SMART_TYPE, _joined(record)))


def _joined(record: list[str]) -> str:
    return "\n".join(record).removesuffix("\r")


def _without_title(body: str, title: str) -> str:
    words = len(title.split())
    repeated = re.match(rf"\s*+(?:\S++\s++){{{words - 1}}}\S++", body) if words else None
    if repeated and collapsed(repeated[0]) == title:
        return tidied(body[repeated.end() :].lstrip())
    return body


SMART = DocumentFormat("smart", "SMART", smart_documents, lambda line: bool(re.match(r"\.I\s+\S", line)))
