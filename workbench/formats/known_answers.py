"""Pairs with a known answer: tab-separated, with a header `topic doc grade feedback` in any order.

The feedback, a word on why the grade is right, may lack.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.formats.identifiers import check_ids, trimmed
from workbench.formats.refusals import Refusals, shown
from workbench.formats.source import Readable, numbered_lines

HEADER = ("topic", "doc", "grade", "feedback")
NEEDED = HEADER[:3]

_NAMES = {
    **dict.fromkeys(("doc", "docno", "document"), "doc"),
    **dict.fromkeys(("feedback", "reason", "why"), "feedback"),
    **{name: name for name in ("topic", "grade")},
}
_GRADE = re.compile(r"[0-9]{1,9}")
_REMEDY = f"the first line must name the columns {', '.join(NEEDED)} and, if you like, feedback, by tabs"


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """One pair of a file with its right grade and why, and the line where it stands."""

    topic: str
    docno: str
    grade: int
    feedback: str
    line: int


def read_known_answers(stream: Readable, *, source: str) -> tuple[KnownAnswer, ...]:
    """The known answers of a plain or gzip file in file order; columns with other names are not read.

    Raises InvalidInput with every error: a header that is missing, cells that are, a grade that is none, ids
    with white space, and a pair that stands there twice.
    """
    refusals = Refusals(source)
    found: dict[tuple[str, str], KnownAnswer] = {}
    header: Sequence[str] | None = None
    for number, line in numbered_lines(stream, source=source):
        if not line.strip():
            continue
        cells = [trimmed(cell) for cell in line.split("\t")]
        if header is None:
            header = _header(number, cells, refusals)
            refusals.check()
        elif len(cells) != len(header):
            message = f"expected {len(header)} columns as in the header, found {len(cells)}"
            refusals.add(number, "columns", message, "separate the columns by tabs")
        else:
            _take(number, dict(zip(header, cells, strict=True)), found, refusals)
    if not found and not refusals:
        refusals.add(None, "empty", "the file holds no known answer", _REMEDY)
    refusals.check()
    return tuple(found.values())


def _header(line: int, cells: Sequence[str], refusals: Refusals) -> list[str]:
    names = [_NAMES.get(cell.casefold(), "") for cell in cells]
    for name in HEADER:
        if names.count(name) > 1:
            refusals.add(line, "header", f"the header names two columns {shown(name)}", _REMEDY)
    missing = [name for name in NEEDED if name not in names]
    if missing:
        refusals.add(line, "header", f"there is no column {', '.join(missing)} in the header", _REMEDY)
    return names


def _take(
    line: int, cells: Mapping[str, str], found: dict[tuple[str, str], KnownAnswer], refusals: Refusals
) -> None:
    topic, docno, given = cells["topic"], cells["doc"], cells["grade"]
    fit = check_ids(line, (topic, docno), refusals)
    if not _GRADE.fullmatch(given):
        message = f"{shown(given)} is no grade" if given else "the grade is missing"
        refusals.add(line, "grade", message, "give the grade that is right, or take the line out")
        return
    if not fit:
        return
    before = found.get((topic, docno))
    if before is not None:
        message = f"document {shown(docno)} of topic {shown(topic)} stands in line {before.line} already"
        refusals.add(line, "twice", message, "one known answer a pair")
        return
    found[topic, docno] = KnownAnswer(topic, docno, int(given), cells.get("feedback", ""), line)
