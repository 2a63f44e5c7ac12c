"""Tables of run metadata: a header with `tag` and more, separated by tabs, commas or semicolons.

Cells with separators, quotes or line ends are in double quotes, as spreadsheets write them (RFC 4180).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import check_texts
from workbench.formats.source import Readable, whole_bytes

COLUMNS = ("tag", "group", "kind", "description", "priority", "seconds_per_query", "index_bytes")

_REMEDY = f"the first line must name the columns: tag and some of {', '.join(COLUMNS[1:])}"
_LARGEST_CELL = 1 << 20


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """A row of the table: its first line, the run, and the cells by column."""

    line: int
    tag: str
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MetadataTable:
    """A table that was read: `columns` are those that it sets, `ignored` are not read."""

    columns: tuple[str, ...]
    ignored: tuple[str, ...]
    rows: tuple[MetadataRow, ...]


def read_metadata_table(stream: Readable, *, source: str) -> MetadataTable:
    """Read a table of metadata, plain or gzip; its first line shows the separator.

    Raises InvalidInput with every error: a header without tag, rows that do not fit it, tags that repeat.
    """
    errors = ErrorCollector(source)
    text = whole_bytes(stream, source=source).decode("utf-8", "surrogateescape")
    header_line = text.partition("\n")[0]
    # Spreadsheets write semicolons where the comma is in numbers.
    separator = next((one for one in "\t;" if one in header_line), ",")
    csv.field_size_limit(_LARGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    numbered: list[tuple[int, list[str]]] = []
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                numbered.append((begins, cells))
            begins = reader.line_num + 1
    except csv.Error as error:
        errors.add(
            begins, "quotes", f"the quotes are not balanced: {error}", "write a quote inside quotes twice"
        )
    if not numbered and not errors:
        errors.add(None, "empty", "the file holds no row", _REMEDY)
    errors.check()
    header = [cell.strip().casefold() for cell in numbered[0][1]]
    _check_header(numbered[0][0], header, errors)
    errors.check()
    rows = _rows(header, numbered[1:], errors)
    if not rows and not errors:
        errors.add(None, "empty", "the file has a header and no row", "one row a run")
    errors.check()
    known = [name for name in header if name in COLUMNS]
    ignored = tuple(name for name in header if name and name not in COLUMNS)
    return MetadataTable(tuple(name for name in known if name != "tag"), ignored, rows)


def _check_header(line: int, header: Sequence[str], errors: ErrorCollector) -> None:
    for name in COLUMNS:
        if header.count(name) > 1:
            errors.add(line, "header", f"the header names two columns {name}", _REMEDY)
    if "tag" not in header:
        errors.add(line, "header", "there is no column tag in the header", _REMEDY)
    elif not set(header) & set(COLUMNS[1:]):
        errors.add(line, "header", "the header names no metadata", _REMEDY)


def _rows(
    header: Sequence[str], numbered: Sequence[tuple[int, list[str]]], errors: ErrorCollector
) -> tuple[MetadataRow, ...]:
    rows: list[MetadataRow] = []
    first: dict[str, int] = {}
    for line, cells in numbered:
        if len(cells) != len(header):
            message = f"expected {len(header)} cells as in the header, found {len(cells)}"
            errors.add(line, "columns", message, "put a cell that holds a separator into double quotes")
            continue
        given = {name: cell for name, cell in zip(header, cells, strict=True) if name in COLUMNS}
        tag = given.pop("tag").strip()
        if not check_texts(line, (tag, *given.values()), errors):
            continue
        if not tag:
            errors.add(line, "tag", "the tag is missing", "a row belongs to a run")
        elif tag in first:
            message = f"run {shown(tag)} has a row already, line {first[tag]}"
            errors.add(line, "repeated", message, "one row a run")
        else:
            first[tag] = line
            rows.append(MetadataRow(line, tag, given))
    return tuple(rows)
