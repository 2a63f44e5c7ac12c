"""Qrels of a sampled pool, `topic 0 docno stratum grade`: what could be drawn, and what was judged of it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import check_ids
from workbench.formats.qrels import is_grade, wrong_grade
from workbench.formats.source import Readable, byte_lines

_SHAPE = "sampled qrels have the columns topic 0 docno stratum grade, with -1 for what is not judged"


@dataclass(frozen=True, slots=True)
class SampledQrel:
    """A document that could be drawn, its stratum, and its grade; None where it was not drawn or judged."""

    topic: str
    docno: str
    stratum: str
    grade: int | None


def read_sampled_qrels(stream: Readable, *, source: str) -> tuple[SampledQrel, ...]:
    """The lines of NIST's sample_eval.pl, plain or gzip; a negative grade means not judged.

    Raises InvalidInput with every error: number of columns, grades that are no integers, a document twice.
    """
    errors = ErrorCollector(source)
    found: list[SampledQrel] = []
    first: dict[tuple[str, str], int] = {}
    for number, line in byte_lines(stream, source=source):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 5:
            errors.add(number, "columns", f"expected 5 columns, found {len(columns)}", _SHAPE)
            continue
        if not is_grade(columns[4]):
            errors.add(number, "grade", *wrong_grade(columns[4]))
            continue
        topic, docno, stratum = (columns[at].decode("utf-8", "surrogateescape") for at in (0, 2, 3))
        check_ids(number, (topic, docno), errors)
        line_before = first.setdefault((topic, docno), number)
        if line_before != number:
            message = f"document {shown(docno)} was in topic {shown(topic)} already, line {line_before}"
            errors.add(number, "duplicate", message, "a document is in one stratum: keep one of the lines")
        grade = int(columns[4])
        found.append(SampledQrel(topic, docno, stratum, None if grade < 0 else grade))
    if not found and not errors:
        errors.add(None, "empty", "the file holds no line", _SHAPE)
    errors.check()
    return tuple(found)
