"""Documents on lines, tabs between: docno and text (MS MARCO's passages), or docno, title and text."""

from __future__ import annotations

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import collapsed
from workbench.formats.identifiers import trimmed
from workbench.formats.single_files import TSV_TYPE, record_original
from workbench.formats.text_formats import DocumentFormat, Lines, NumberedDocuments
from workbench.records import Document

_IDS = frozenset(("id", "_id", "docno", "docid", "doc_id", "pid", "doc", "document"))
_TITLES = frozenset(("title", "headline"))
_TEXTS = frozenset(("text", "body", "abstract", "passage", "contents", "segment"))
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
    kinds = tuple("title" if name in _TITLES else "text" if name in _TEXTS else "" for name in names[1:])
    return kinds if names[0] in _IDS and kinds.count("text") == 1 else None


TSV = DocumentFormat("tsv", "TSV", tsv_documents, lambda _: True)
