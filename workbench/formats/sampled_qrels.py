"""Qrels of a sampled pool, `topic 0 docno stratum grade`: and the prels of statAP."""

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


_PRELS_SHAPE = (
    "prels have the columns topic docno grade method probability; method 0 is MTC, 1 statAP, 2 both"
)
_METHODS = (b"0", b"1", b"2")
_NOT_DRAWN = b"0"


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
    first: dict[tuple[str, str], int] = {}
    lines = 0
    for number, line in byte_lines(stream, source=source):
        columns = line.split()
        if not columns:
            continue
        lines += 1
        if len(columns) != 5:
            errors.add(number, "columns", f"expected 5 columns, found {len(columns)}", _PRELS_SHAPE)
            continue
        if not is_grade(columns[2]):
            errors.add(number, "grade", *wrong_grade(columns[2]))
            continue
        topic, docno = (columns[at].decode("utf-8", "surrogateescape") for at in (0, 1))
        check_ids(number, (topic, docno), errors)
        line_before = first.setdefault((topic, docno), number)
        if line_before != number:
            message = f"document {shown(docno)} was in topic {shown(topic)} already, line {line_before}"
            errors.add(number, "duplicate", message, "keep one of the lines")
        if columns[3] not in _METHODS:
            errors.add(
                number, "method", f"there is no method {shown(columns[3].decode('latin-1'))}", _PRELS_SHAPE
            )
            continue
        if columns[3] == _NOT_DRAWN:
            continue
        probability = _probability(columns[4])
        if probability is None:
            message = f"{shown(columns[4].decode('latin-1'))} is not a probability above 0 and at most 1"
            errors.add(number, "probability", message, _PRELS_SHAPE)
            continue
        grade = int(columns[2])
        if grade >= 0:
            found.append(Prel(topic, docno, grade, probability))
    if not lines and not errors:
        errors.add(None, "empty", "the file holds no line", _PRELS_SHAPE)
    elif not found and not errors:
        errors.add(None, "empty", "no document was drawn for statAP and judged", _PRELS_SHAPE)
    errors.check()
    return tuple(found)


def _probability(text: bytes) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 < value <= 1 else None
