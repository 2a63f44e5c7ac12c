"""The lines of a run sorted into columns by topic: the one loop that every line passes; scores as doubles."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from workbench.errors import rejected
from workbench.formats.error_collector import ErrorCollector
from workbench.formats.fields import is_header
from workbench.formats.source import Readable, byte_lines

COLUMNS = "a run has the columns topic Q0 docno rank score tag"
MOST_LINES = 20_000_000
"""The most lines that a run may have, so that its arrays fit into memory wherever it is used."""
LINE_BYTES = 2**20
"""The longest line of a run, more than any id."""


# How many lines may be loose as they were cut, which takes ten times the memory of the text.
_LOOSE = 2**17


@dataclass(slots=True)
class TopicColumns:
    """The columns of a run for one topic, as bytes in file order, and the line each came from.

    What was joined is in none of the lists until `split` puts it back.
    """

    docnos: list[bytes] = field(default_factory=list)
    ranks: list[bytes] = field(default_factory=list)
    scores: list[bytes] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    _joined: list[tuple[tuple[bytes, ...], Sequence[int]]] = field(default_factory=list)

    def join(self) -> None:
        """Put the lines so far into little memory."""
        if self.docnos:
            cut = (self.docnos, self.ranks, self.scores)
            first, last = self.lines[0], self.lines[-1]
            in_one = last - first + 1 == len(self.lines)
            lines = range(first, last + 1) if in_one else array("q", self.lines)
            self._joined.append((tuple(map(b" ".join, cut)), lines))
            for column in (*cut, self.lines):
                del column[:]

    def split(self) -> None:
        """Have all lines in the lists again."""
        if self._joined:
            self.join()
            self.docnos, self.ranks, self.scores = (
                b" ".join(columns).split(b" ")
                for columns in zip(*(texts for texts, _ in self._joined), strict=True)
            )
            self.lines = array("q", chain.from_iterable(lines for _, lines in self._joined))
            self._joined.clear()


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


def run_table(stream: Readable, errors: ErrorCollector) -> RunTable:
    """Read a run into columns; lines without six columns go to the errors, blank lines are left out.

    Raises InvalidInput where the stream itself cannot be read, for what begins as a page of HTML or XML, and
    as soon as there are more than `MOST_LINES` that hold something.
    """
    table = RunTable()
    loose: set[bytes] = set()
    pause = min(_LOOSE, MOST_LINES)
    current = only_tag = b""
    columns = TopicColumns()
    # Millions of lines pass through this loop: whatever can be checked by the topic is left for later.
    for number, line in byte_lines(stream, source=errors.source, line_limit=LINE_BYTES):
        row = line.split()
        if len(row) != 6:
            if row:
                if not table.lines:
                    _refuse_others(row, errors.source)
                table.lines += 1
                _refuse(number, row, errors)
            continue
        topic, second, docno, rank, score, tag = row
        table.lines += 1
        if table.lines > pause:
            pause = _pause(table, loose, number, errors.source)
            loose.add(current)
        if topic != current:
            if table.lines == 1 and _is_no_line(number, row, errors):
                continue
            columns = table.topics.setdefault(topic, TopicColumns())
            loose.add(topic)
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


def _refuse_others(row: list[bytes], source: str) -> None:
    """Raise InvalidInput for what begins as another kind of file."""
    if row[0].startswith(b"<"):
        remedy = "download the run itself, not the page that links to it"
        raise rejected(source, None, "markup", "the file is a page of HTML or XML, not a run", remedy)
    if row[0].startswith((b"{", b"[")):
        remedy = f"write one line per document: {COLUMNS}"
        raise rejected(source, None, "json", "the file is JSON, not a run", remedy)


def _is_no_line(number: int, row: list[bytes], errors: ErrorCollector) -> bool:
    """Whether a first line of six columns is a header; raises InvalidInput for JSON that has six."""
    if finite_doubles(row[4:5]) is not None:
        return False
    _refuse_others(row, errors.source)
    if is_header(row):
        _refuse(number, row, errors)
        return True
    return False


def _pause(table: RunTable, loose: set[bytes], line: int, source: str) -> int:
    """Join what is loose; returns after how many lines to do so next. Raises InvalidInput for too many."""
    if table.lines > MOST_LINES:
        remedy = "check that the file has one run, with one line per topic and document"
        raise rejected(source, line, "too-long", f"the file has more than {MOST_LINES:,} lines", remedy)
    for topic in loose:
        table.topics[topic].join()
    loose.clear()
    return min(table.lines + _LOOSE, MOST_LINES)


def _refuse(number: int, row: list[bytes], errors: ErrorCollector) -> None:
    if is_header(row):
        errors.add(number, "header", "the line is a header, which a run does not have", "delete the line")
        return
    if row[0].startswith(b"#"):
        errors.add(number, "comment", "a run has no comments", "delete the line")
    else:
        errors.add(number, "columns", f"expected 6 columns, found {len(row)}", COLUMNS)


Scores = np.ndarray[tuple[int], np.dtype[np.float64]]
Flags = np.ndarray[tuple[int], np.dtype[np.bool_]]

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
