"""The lines of a run sorted into columns by topic: the one loop that every line passes; scores as doubles."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from workbench.errors import Finding, InvalidInput
from workbench.formats.error_collector import ErrorCollector
from workbench.formats.source import Readable, byte_lines

COLUMNS = "a run has the columns topic Q0 docno rank score tag"
BLANK = 2
"""How many times as many lines a file may have as hold something, at most."""
LINE_BYTES = 2**20
"""The longest line of a run, more than any id."""


@dataclass(slots=True)
class TopicColumns:
    """The columns of a run for one topic, as bytes in file order, and the line each came from."""

    docnos: list[bytes] = field(default_factory=list)
    ranks: list[bytes] = field(default_factory=list)
    scores: list[bytes] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))


@dataclass(slots=True)
class RunTable:
    """A run as it stands in its file: columns by topic, the first line of every tag, the number of lines.

    `not_q0` counts the lines whose second column is something else, `first_not_q0` is the first of them.
    """

    topics: dict[bytes, TopicColumns] = field(default_factory=dict)
    tags: dict[bytes, int] = field(default_factory=dict)
    lines: int = 0
    not_q0: int = 0
    first_not_q0: int = 0


def run_table(stream: Readable, errors: ErrorCollector, *, max_lines: int | None = None) -> RunTable:
    """Read a run into columns; lines without six columns go to the errors, blank lines are left out.

    Raises InvalidInput where the stream itself cannot be read, for what begins as a page of HTML or XML, and
    as soon as there are more than `max_lines`.
    """
    most = sys.maxsize if max_lines is None else max_lines
    table = RunTable()
    current = only_tag = b""
    columns = TopicColumns()
    # Millions of lines pass through this loop: whatever can be checked by the topic is left for later.
    for number, line in byte_lines(stream, source=errors.source, line_limit=LINE_BYTES):
        row = line.split()
        if len(row) != 6:
            if row:
                _refuse_markup(row, table, errors.source)
                table.lines += 1
                _refuse(number, row, errors)
            elif number > BLANK * most:
                raise _too_long(errors.source, number, BLANK * most)
            continue
        topic, second, docno, rank, score, tag = row
        table.lines += 1
        if table.lines > most:
            raise _too_long(errors.source, number, most)
        if topic != current:
            columns = table.topics.setdefault(topic, TopicColumns())
            current = topic
        if tag != only_tag:
            table.tags.setdefault(tag, number)
            only_tag = tag
        if second != b"Q0":
            table.not_q0 += 1
            table.first_not_q0 = table.first_not_q0 or number
        columns.docnos.append(docno)
        columns.ranks.append(rank)
        columns.scores.append(score)
        columns.lines.append(number)
    return table


def _refuse_markup(row: list[bytes], table: RunTable, source: str) -> None:
    if not table.lines and row[0].startswith(b"<"):
        message = "the file is a page of HTML or XML, not a run"
        remedy = "was a page saved instead of the file? Download the run itself"
        raise InvalidInput([Finding(source, None, "markup", message, remedy)])


def _too_long(source: str, line: int, most: int) -> InvalidInput:
    remedy = "is this one run? A topic has a line for each of its documents"
    return InvalidInput([Finding(source, line, "too-long", f"the file has more than {most:,} lines", remedy)])


def _refuse(number: int, row: list[bytes], errors: ErrorCollector) -> None:
    if row[0].startswith(b"#"):
        errors.add(number, "comment", "a run has no comments", "delete the line")
    else:
        errors.add(number, "columns", f"expected 6 columns, found {len(row)}", COLUMNS)


Scores = np.ndarray[tuple[int], np.dtype[np.float64]]

# What is left of plain decimal numbers when these bytes are taken away is nothing; float() takes far more.
_SCORE_BYTES = b"0123456789+-.eE "


def finite_doubles(fields: Sequence[bytes]) -> Scores | None:
    """These fields as doubles, or None where one of them is not a finite decimal number."""
    if b" ".join(fields).translate(None, _SCORE_BYTES):
        return None
    try:
        values = np.array(list(map(float, fields)), dtype=np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
