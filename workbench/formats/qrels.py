"""Qrels: `topic iteration docno grade`, as trec_eval reads them, BEIR's three columns, and sampled qrels.

Qrels of diversity tasks have the same four columns, the second of which is a subtopic. No header tells the
two apart, and the column alone does not: some collections put rounds of judging there. Only in qrels with
subtopics is a document judged in one topic under two values of the column, so that is what decides.

As arrays they are read many times faster than line by line, as far as their lines are in order. Nothing that
the plain reader would refuse is read so, and no errors are told: what is not understood, wrong or only rare,
raises NotUnderstood, and the plain reader decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos, docnos_from, hashes
from workbench.errors import WorkbenchError
from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import is_header
from workbench.formats.identifiers import LONGEST_ID, all_fit, all_seen, check_ids, plain
from workbench.formats.packed_lines import (
    Field,
    Lines,
    NotUnderstood,
    Positions,
    Words,
    any_twice,
    blocks,
    fingerprints,
    packed_lines,
)
from workbench.formats.packed_runs import BLOCK
from workbench.formats.source import BOM, LINE_LIMIT, Readable, Twice, byte_lines, open_source
from workbench.frozen import frozen_dataclass
from workbench.records import Qrel, id_bytes, id_text, without_collections

BEIR_HEADER = (b"query-id", b"corpus-id", b"score")

_GRADE = re.compile(rb"[+-]?[0-9]{1,18}")
_COLUMNS = 4
_GAPS = b" \t\n\r\v\f"
_NO_GAPS = bytes(octet for octet in range(256) if octet not in _GAPS)


def read_qrels(stream: Readable, *, source: str, subtopics: bool = False) -> tuple[Qrel, ...]:
    """The lines of a qrels file, plain or gzip, in file order; negative grades are kept as they are.

    With `subtopics` a document may have a grade for each of several subtopics; without, such a file is
    refused, because whoever reads it expects one grade a pair. A first line `query-id corpus-id score` means
    BEIR's three columns.
    Raises InvalidInput with every error: number of columns, grades that are no integers, duplicates.
    """
    twice = Twice(stream, source)
    try:
        with without_collections():
            regular = _regular(twice, source)
        if regular is not None:
            return regular
        twice.rewind()
        return read_qrels_by_line(twice, source=source, subtopics=subtopics)
    finally:
        twice.close()


def _regular(stream: Readable, source: str) -> tuple[Qrel, ...] | None:
    """Qrels whose lines are all alike and without error, in half the time; None where lines must be read."""
    content = open_source(stream, source).read(LINE_LIMIT + 1).removeprefix(BOM).replace(b"\r\n", b"\n")
    if content[-1:] != b"\n":
        content += b"\n"
    gaps = content.translate(None, _NO_GAPS)
    count, columns = len(gaps) // _COLUMNS, content.split()
    gap = gaps[:1]
    if len(content) > LINE_LIMIT or len(columns) != _COLUMNS * count or gap not in (b" ", b"\t"):
        return None
    if gaps != (gap * (_COLUMNS - 1) + b"\n") * count or not all_fit(b"\n".join(columns)):
        return None
    if max(map(len, columns)) > LONGEST_ID or not all(map(_GRADE.fullmatch, set(columns[3::_COLUMNS]))):
        return None
    texts = id_text(b"\n".join(columns)).split("\n")
    topics, iterations, docnos = (texts[column::_COLUMNS] for column in range(_COLUMNS - 1))
    if len(set(zip(topics, docnos, strict=True))) < count:
        return None
    return tuple(map(Qrel, topics, docnos, map(int, columns[3::_COLUMNS]), iterations))


def read_qrels_by_line(stream: Readable, *, source: str, subtopics: bool = False) -> tuple[Qrel, ...]:
    """What `read_qrels` gives, however the lines look; raises as that does."""
    errors = ErrorCollector(source)
    qrels: list[Qrel] = []
    lines: list[int] = []
    beir = False
    for number, line in byte_lines(stream, source=source):
        columns = line.split()
        if not columns:
            continue
        if not qrels and not errors and not beir and tuple(columns) == BEIR_HEADER:
            beir = True
            continue
        qrel = _qrel(number, columns, beir, errors)
        if qrel is not None:
            qrels.append(qrel)
            lines.append(number)
    if len({(qrel.topic, qrel.docno) for qrel in qrels}) < len(qrels):
        _check_repeated(qrels, lines, subtopics, errors)
    errors.require(qrels, "the file contains no qrels lines", _shape(beir))
    return tuple(qrels)


def _check_repeated(
    qrels: Sequence[Qrel], lines: Sequence[int], subtopics: bool, errors: ErrorCollector
) -> None:
    """Note lines that repeat a pair with its second column, and subtopics where none are expected."""
    first: dict[tuple[str, str, str], int] = {}
    # The iteration under which a pair came first.
    iterations: dict[tuple[str, str], str] = {}
    divided: list[tuple[int, Qrel]] = []
    for line, qrel in zip(lines, qrels, strict=True):
        before = first.setdefault((qrel.topic, qrel.docno, qrel.iteration), line)
        if before != line:
            message = f"document {shown(qrel.docno)} is already in topic {shown(qrel.topic)}, line {before}"
            errors.add(line, "duplicate", message, "keep one of the lines: qrels have one grade per pair")
        elif iterations.setdefault((qrel.topic, qrel.docno), qrel.iteration) != qrel.iteration:
            divided.append((line, qrel))
    if divided and subtopics:
        named = {qrel.iteration: line for line, qrel in zip(lines[::-1], qrels[::-1], strict=True)}
        for subtopic, line in named.items():
            check_ids(line, (subtopic,), errors)
    elif divided:
        # One finding, since in a file with subtopics it is nearly every line.
        line, qrel = divided[0]
        other = shown(iterations[qrel.topic, qrel.docno])
        message = (
            f"document {shown(qrel.docno)} of topic {shown(qrel.topic)} has a second grade, under "
            f"{shown(qrel.iteration)} instead of {other} in the second column, as in qrels with subtopics "
            f"({len(divided):,} such {'line' if len(divided) == 1 else 'lines'} in all)"
        )
        remedy = (
            "subtopics are read by workbench score alone, for diversity measures such as alpha_nDCG@20; "
            "otherwise keep one grade for each document"
        )
        errors.add(line, "subtopics", message, remedy)


def write_qrels(qrels: Iterable[Qrel]) -> Iterator[bytes]:
    """Lines `topic 0 docno grade`, sorted by topic, then docno (bytes); nothing else is ever written.

    Raises WorkbenchError for a pair with two grades and for ids that would not survive (empty, white space).
    """
    before: tuple[str, str] | None = None
    listed = list(qrels)
    # ASCII strings have the order of their bytes; encoding them would take most of the time.
    if all(qrel.topic.isascii() and qrel.docno.isascii() for qrel in listed):
        listed.sort(key=attrgetter("topic", "docno"))
    else:
        listed.sort(key=lambda qrel: (id_bytes(qrel.topic), id_bytes(qrel.docno)))
    for qrel in listed:
        if before == (pair := (qrel.topic, qrel.docno)):
            raise WorkbenchError(
                f"document {shown(qrel.docno)} has two grades for topic {shown(qrel.topic)}",
                remedy="make one grade of them by a consensus rule first",
            )
        before = pair
        yield b"%b 0 %b %d\n" % (plain(qrel.topic, "topic"), plain(qrel.docno, "docno"), qrel.grade)


def topic_lines(topic: str, docnos: Sequence[bytes], grades: Sequence[int]) -> bytes:
    """The lines of one topic as `write_qrels` writes them, of docnos that are sorted, and raising as that."""
    if not docnos:
        return b""
    if b"" in docnos or not all_fit(b"\n".join(docnos)):
        pairs = zip(map(id_text, docnos), grades, strict=True)
        return b"".join(write_qrels(Qrel(topic, docno, grade) for docno, grade in pairs))
    start = b"%b 0 " % plain(topic, "topic")
    # After each docno its grade, and what the next line begins with.
    ends = {grade: b" %d\n%b" % (grade, start) for grade in set(grades)}
    parts = [b""] * (2 * len(docnos))
    parts[::2], parts[1::2] = docnos, map(ends.__getitem__, grades)
    return start + b"".join(parts)[: -len(start)]


def _qrel(number: int, columns: list[bytes], beir: bool, errors: ErrorCollector) -> Qrel | None:
    expected = 3 if beir else 4
    whole = len(columns) == expected and is_grade(columns[-1])
    if not whole and is_header(columns):
        errors.add(number, "header", "the line is a header, which qrels do not have", "delete the line")
        return None
    if columns[0].startswith(b"#") and not whole:
        errors.add(number, "comment", "qrels have no comments", "delete the line: scorers cannot read it")
        return None
    if len(columns) != expected:
        errors.add(number, "columns", f"expected {expected} columns, found {len(columns)}", _shape(beir))
        return None
    if not whole:
        errors.add(number, "grade", *wrong_grade(columns[-1]))
        return None
    topic, docno = (columns[at].decode("utf-8", "surrogateescape") for at in (0, expected - 2))
    check_ids(number, (topic, docno), errors)
    iteration = "0" if beir else columns[1].decode("utf-8", "surrogateescape")
    return Qrel(topic, docno, int(columns[-1]), iteration)


def is_grade(given: bytes) -> bool:
    """Whether a column is a grade: an integer of 18 digits or fewer, negative or not."""
    return _GRADE.fullmatch(given) is not None


def wrong_grade(given: bytes | str) -> tuple[str, str]:
    """What is wrong with a grade that is no integer of 18 digits or fewer, and the remedy."""
    digits = (given if isinstance(given, str) else id_text(given)).lstrip("+-")
    if digits.isascii() and digits.isdecimal():
        return f"the grade has {len(digits):,} digits", "grades are small whole numbers such as 0, 1, 2"
    return f"the grade {shown(given)} is not an integer", "grades are whole numbers such as 0, 1, 2"


def _shape(beir: bool) -> str:
    return (
        "BEIR qrels have query-id corpus-id score" if beir else "qrels have the columns topic 0 docno grade"
    )


def write_subtopic_qrels(lines: Iterable[tuple[str, str, str, int]]) -> Iterator[bytes]:
    """Lines `topic subtopic docno judgment` as TREC's diversity tasks have them, sorted as bytes.

    `ndeval` takes them where topics and subtopics are whole numbers. Raises WorkbenchError for ids that would
    not survive (empty, white space).
    """
    for topic, subtopic, docno, judgment in sorted(lines, key=lambda line: tuple(map(id_bytes, line[:3]))):
        ids = (plain(topic, "topic"), plain(subtopic, "subtopic"), plain(docno, "docno"))
        yield b"%b %b %b %d\n" % (*ids, judgment)


_SHAPE = "sampled qrels have the columns topic 0 docno stratum grade, with -1 for what is not judged"


@frozen_dataclass
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


@frozen_dataclass
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


_SHORT_GRADE = re.compile(rb"[+-]?[0-9]{1,7}")


@dataclass(frozen=True, slots=True, eq=False)
class PackedQrels:
    """Qrels as arrays, in file order: of each pair the number of its topic, its docno and its grade.

    `topics` are in the order in which they first come; the arrays have shape (pairs,).
    """

    topics: tuple[str, ...]
    numbers: Positions
    docnos: Docnos
    grades: NDArray[np.int64]


def read_qrels_arrays(stream: Readable, *, source: str) -> PackedQrels | tuple[Qrel, ...]:
    """The lines of a qrels file as arrays or, where they cannot be, as `qrels.read_qrels` has them.

    Raises InvalidInput as that does.
    """
    twice = Twice(stream, source)
    try:
        return read_packed_qrels(twice, source=source)
    except NotUnderstood:
        twice.rewind()
        return read_qrels_by_line(twice, source=source)
    finally:
        twice.close()


def read_packed_qrels(stream: Readable, *, source: str) -> PackedQrels:
    """Read qrels of four columns, plain or gzip, with one grade a pair.

    Raises NotUnderstood for qrels that may be wrong or have subtopics, and InvalidInput for a stream that
    cannot be read.
    """
    topics: dict[bytes, int] = {}
    numbers: list[Positions] = []
    prints: list[Words] = []
    docnos: list[Docnos] = []
    grades: list[NDArray[np.int64]] = []
    for text in blocks(open_source(stream, source), BLOCK):
        if not all_seen(text):
            raise NotUnderstood
        lines = packed_lines(text, _COLUMNS)
        if not len(lines):
            continue
        topic, _, docno, grade = lines.columns
        words = lines.id_words(docno)
        numbers.append(_numbered(lines, topic, topics))
        prints.append(fingerprints(hashes(words), numbers[-1].view(np.uint64)))
        docnos.append(docnos_from(words))
        grades.append(_grades(lines, grade))
    if not topics or any_twice(np.concatenate(prints)):
        raise NotUnderstood
    names = id_text(b"\n".join(topics)).split("\n")
    return PackedQrels(tuple(names), np.concatenate(numbers), np.concatenate(docnos), np.concatenate(grades))


def _numbered(lines: Lines, topic: Field, known: dict[bytes, int]) -> Positions:
    """The number of each line's topic; topics that are new are numbered on."""
    differ = np.zeros(len(lines) - 1, dtype=np.bool_)
    for word in lines.id_words(topic):
        differ |= word[1:] != word[:-1]
    starts = np.append(0, np.flatnonzero(differ) + 1)
    names = lines.values(topic.at(starts))
    sizes = np.diff(np.append(starts, len(lines)))
    return np.repeat([known.setdefault(name, len(known)) for name in names], sizes)


def _grades(lines: Lines, field: Field) -> NDArray[np.int64]:
    """The grades of a field; raises NotUnderstood where one is no integer, or a large one."""
    # Grades are few, so that each is read once: the word that it makes says which it is.
    first, *more = lines.id_words(field)
    if more:
        raise NotUnderstood
    # By hand, since np.unique imports the arrays with gaps, which takes as long as reading all the qrels.
    words = np.sort(first)
    words = words[np.append(True, words[1:] != words[:-1])]
    written = [word.tobytes().rstrip(b"\0") for word in words.astype("<u8")]
    if not all(map(_SHORT_GRADE.fullmatch, written)):
        raise NotUnderstood
    return np.array(list(map(int, written)), dtype=np.int64)[np.searchsorted(words, first)]
