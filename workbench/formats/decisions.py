"""Adjudicated grades: tab-separated, with a header `topic doc grade reason` in any order; reason may lack."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from workbench.formats.identifiers import check_ids, plain, trimmed
from workbench.formats.refusals import Refusals, shown
from workbench.formats.source import Readable, numbered_lines

HEADER = ("topic", "doc", "grade", "reason")
NEEDED = HEADER[:3]

_NAMES = {
    **dict.fromkeys(("doc", "docno", "document"), "doc"),
    **{name: name for name in ("topic", "grade", "reason")},
}
_GRADE = re.compile(r"[0-9]{1,9}")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")
_REMEDY = f"the first line must name the columns {', '.join(NEEDED)} and, if you like, reason, by tabs"


@dataclass(frozen=True, slots=True)
class GradeDecision:
    """One decided pair of a file, and the line where it stands."""

    topic: str
    docno: str
    grade: int
    reason: str
    line: int


def read_decisions(stream: Readable, *, source: str) -> tuple[GradeDecision, ...]:
    """The decisions of a plain or gzip file in file order; columns with other names are not read.

    Raises InvalidInput with every error: a header that is missing, cells that are, a grade that is none, ids
    with white space, and a pair that stands there twice.
    """
    refusals = Refusals(source)
    found: dict[tuple[str, str], GradeDecision] = {}
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
        refusals.add(None, "empty", "the file holds no decision", _REMEDY)
    refusals.check()
    return tuple(found.values())


def write_decisions(decisions: Iterable[GradeDecision]) -> Iterator[bytes]:
    """The header and one line a decision, as `read_decisions` reads them; a reason is one line of text.

    Raises WorkbenchError for topics and docnos with white space.
    """
    yield ("\t".join(HEADER) + "\n").encode()
    for one in decisions:
        reason = _CONTROLS.sub(" ", one.reason).strip().encode("utf-8", "replace")
        ids = (plain(one.topic, "topic"), plain(one.docno, "docno"))
        yield b"\t".join((*ids, str(one.grade).encode(), reason)) + b"\n"


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
    line: int,
    cells: Mapping[str, str],
    found: dict[tuple[str, str], GradeDecision],
    refusals: Refusals,
) -> None:
    topic, docno, given = cells["topic"], cells["doc"], cells["grade"]
    fit = check_ids(line, (topic, docno), refusals)
    if not _GRADE.fullmatch(given):
        remedy = "decide it first, or take the line out"
        refusals.add(
            line, "grade", f"{shown(given)} is no grade" if given else "the grade is missing", remedy
        )
        return
    if not fit:
        return
    before = found.get((topic, docno))
    if before is not None:
        message = f"document {shown(docno)} of topic {shown(topic)} is decided in line {before.line} already"
        refusals.add(line, "twice", message, "one decision a pair")
        return
    found[topic, docno] = GradeDecision(topic, docno, int(given), cells.get("reason", ""), line)
