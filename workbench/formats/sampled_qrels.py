"""Qrels of a sampled pool, `topic 0 docno stratum grade`: and the prels of statAP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.identifiers import check_ids
from workbench.formats.qrels import is_grade, wrong_grade
from workbench.formats.source import Readable, byte_lines
from workbench.records import id_text

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
    once = "keep one of the lines: a document is in one stratum"
    for _, (topic, _, docno, stratum, written) in _rows(stream, errors, (2, 4), _SHAPE, once):
        grade = int(written)
        found.append(SampledQrel(topic, docno, stratum, None if grade < 0 else grade))
    errors.require(found, "the file contains no lines", _SHAPE)
    return tuple(found)


def _rows(
    stream: Readable, errors: ErrorCollector, places: tuple[int, int], shape: str, once: str
) -> Iterator[tuple[int, list[str]]]:
    """The rows of five columns, with docno and grade in these places; a document that comes twice is one."""
    first: dict[tuple[str, str], int] = {}
    for number, line in byte_lines(stream, source=errors.source):
        columns = line.split()
        if not columns:
            continue
        if len(columns) != 5:
            errors.add(number, "columns", f"expected 5 columns, found {len(columns)}", shape)
            continue
        if not is_grade(columns[places[1]]):
            errors.add(number, "grade", *wrong_grade(columns[places[1]]))
            continue
        cells = list(map(id_text, columns))
        topic, docno = cells[0], cells[places[0]]
        check_ids(number, (topic, docno), errors)
        before = first.setdefault((topic, docno), number)
        if before != number:
            message = f"document {shown(docno)} is already in topic {shown(topic)}, line {before}"
            errors.add(number, "duplicate", message, once)
        yield number, cells


_PRELS_SHAPE = (
    "prels have the columns topic docno grade method probability; method 0 is MTC, 1 statAP, 2 both"
)
_METHODS = ("0", "1", "2")
_NOT_DRAWN = "0"


@dataclass(frozen=True, slots=True)
class Prel:
    """A document that was drawn for statAP with this `inclusion` probability, and its grade."""

    topic: str
    docno: str
    grade: int
    inclusion: float


def read_prels(stream: Readable, *, source: str) -> tuple[Prel, ...]:
    """The documents that statAP drew, plain or gzip; those of MTC alone and negative grades are left out.

    Raises InvalidInput with every error: number of columns, grades that are no integers, an unknown method,
    a probability that is not above 0 and at most 1, a document twice.
    """
    errors = ErrorCollector(source)
    found: list[Prel] = []
    number = 0
    for number, (topic, docno, grade, method, text) in _rows(
        stream, errors, (1, 2), _PRELS_SHAPE, "keep one of the lines"
    ):
        probability = _probability(text)
        if method not in _METHODS:
            errors.add(number, "method", f"there is no method {shown(method)}", _PRELS_SHAPE)
        elif method == _NOT_DRAWN:
            continue
        elif probability is None:
            message = f"{shown(text)} is not a probability above 0 and at most 1"
            errors.add(number, "probability", message, _PRELS_SHAPE)
        elif int(grade) >= 0:
            found.append(Prel(topic, docno, int(grade), probability))
    nothing = "no document was drawn for statAP and judged" if number else "the file contains no lines"
    errors.require(found, nothing, _PRELS_SHAPE)
    return tuple(found)


def _probability(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value <= 1 else None
