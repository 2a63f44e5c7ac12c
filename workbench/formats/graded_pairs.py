"""Graded pairs with a word on each: tab-separated, with a header `topic doc grade` and a column of words."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.formats.error_collector import Refusals, shown
from workbench.formats.identifiers import check_ids, trimmed
from workbench.formats.source import Readable, numbered_lines

NEEDED = ("topic", "doc", "grade")

_NAMES = {
    **dict.fromkeys(("doc", "docno", "document"), "doc"),
    **{name: name for name in ("topic", "grade")},
}
_GRADE = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class GradedPair:
    """One pair of a file with its grade and the words beside it, and the line where it stands."""

    topic: str
    docno: str
    grade: int
    words: str
    line: int


@dataclass(frozen=True, slots=True)
class Form:
    """What a file of graded pairs is about: `one` of them, how its column of words may be called.

    The first of `columns` is how this project calls it; the column may lack. `mend` says what to do about a
    grade that is none.
    """

    one: str
    columns: tuple[str, ...]
    mend: str

    @property
    def remedy(self) -> str:
        """How a header is mended."""
        column = self.columns[0]
        return f"the first line must name the columns {', '.join(NEEDED)} and, if you like, {column}, by tabs"


def read_graded_pairs(stream: Readable, form: Form, *, source: str) -> tuple[GradedPair, ...]:
    """The pairs of a plain or gzip file in file order; columns with other names are not read.

    Raises InvalidInput with every error: a header that is missing, cells that are, a grade that is none, ids
    with white space, and a pair that stands there twice.
    """
    refusals = Refusals(source)
    found: dict[tuple[str, str], GradedPair] = {}
    header: Sequence[str] | None = None
    for number, line in numbered_lines(stream, source=source):
        if not line.strip():
            continue
        cells = [trimmed(cell) for cell in line.split("\t")]
        if header is None:
            header = _header(number, cells, form, refusals)
            refusals.check()
        elif len(cells) != len(header):
            message = f"expected {len(header)} columns as in the header, found {len(cells)}"
            refusals.add(number, "columns", message, "separate the columns by tabs")
        else:
            _take(number, dict(zip(header, cells, strict=True)), form, found, refusals)
    if not found and not refusals:
        refusals.add(None, "empty", f"the file holds no {form.one}", form.remedy)
    refusals.check()
    return tuple(found.values())


def _header(line: int, cells: Sequence[str], form: Form, refusals: Refusals) -> list[str]:
    known = {**_NAMES, **dict.fromkeys(form.columns, "words")}
    names = [known.get(cell.casefold(), "") for cell in cells]
    for name, called in (*((name, name) for name in NEEDED), ("words", form.columns[0])):
        if names.count(name) > 1:
            refusals.add(line, "header", f"the header names two columns {shown(called)}", form.remedy)
    missing = [name for name in NEEDED if name not in names]
    if missing:
        message = f"there is no column {', '.join(missing)} in the header"
        refusals.add(line, "header", message, form.remedy)
    return names


def _take(
    line: int,
    cells: Mapping[str, str],
    form: Form,
    found: dict[tuple[str, str], GradedPair],
    refusals: Refusals,
) -> None:
    topic, docno, given = cells["topic"], cells["doc"], cells["grade"]
    fit = check_ids(line, (topic, docno), refusals)
    if not _GRADE.fullmatch(given):
        message = f"{shown(given)} is no grade" if given else "the grade is missing"
        refusals.add(line, "grade", message, form.mend)
        return
    if not fit:
        return
    before = found.get((topic, docno))
    if before is not None:
        message = f"document {shown(docno)} of topic {shown(topic)} stands in line {before.line} already"
        refusals.add(line, "twice", message, f"one {form.one} a pair")
        return
    found[topic, docno] = GradedPair(topic, docno, int(given), cells.get("words", ""), line)
