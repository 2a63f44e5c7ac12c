"""Graded pairs with a text each, tab-separated: adjudicated decisions, known grades, answers to probes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import partial

from workbench.formats.error_collector import ErrorCollector, shown
from workbench.formats.fields import headed_rows
from workbench.formats.identifiers import check_ids, plain
from workbench.formats.judgments import assessor_bytes
from workbench.formats.qrels import wrong_grade
from workbench.formats.source import Readable
from workbench.frozen import frozen_dataclass

NEEDED = ("topic", "doc", "grade")

_NAMES = {**{name: name for name in NEEDED}, "docno": "doc", "document": "doc"}
_GRADE = re.compile(r"[0-9]{1,9}")


@frozen_dataclass
class GradedPair:
    """One pair of a file with its grade and the words beside it, and the line where it stands."""

    topic: str
    docno: str
    grade: int
    words: str
    line: int


@frozen_dataclass
class PairKind:
    """What a file of graded pairs is about: `one` of them, how its column of words may be called.

    The first of `columns` is how this project calls it; the column is optional. `grade_remedy` says what to
    do about an invalid grade.
    """

    one: str
    columns: tuple[str, ...]
    grade_remedy: str

    @property
    def remedy(self) -> str:
        """How to fix a header."""
        column = self.columns[0]
        needed = ", ".join(NEEDED)
        return f"the first line must name the columns {needed} and optionally {column}, separated by tabs"


def read_graded_pairs(stream: Readable, form: PairKind, *, source: str) -> tuple[GradedPair, ...]:
    """The pairs of a plain or gzip file in file order; columns with other names are not read.

    Raises InvalidInput with every error: a header that is missing, cells that are, a grade that is none, ids
    with white space, and a pair that stands there twice.
    """
    errors = ErrorCollector(source)
    found: dict[tuple[str, str], GradedPair] = {}
    known = {**_NAMES, **dict.fromkeys(form.columns, "words")}
    for line, cells in headed_rows(stream, known, NEEDED, form.remedy, errors):
        topic, docno, given = cells["topic"], cells["doc"], cells["grade"]
        fit = check_ids(line, (topic, docno), errors)
        if not _GRADE.fullmatch(given):
            message = wrong_grade(given)[0] if given else "the grade is missing"
            errors.add(line, "grade", message, form.grade_remedy)
        elif fit and (before := found.get((topic, docno))):
            message = f"document {shown(docno)} of topic {shown(topic)} is already in line {before.line}"
            errors.add(line, "twice", message, f"keep one {form.one} per pair")
        elif fit:
            found[topic, docno] = GradedPair(topic, docno, int(given), cells.get("words", ""), line)
    errors.require(found, f"the file contains no {form.one}", form.remedy)
    return tuple(found.values())


DECISIONS = PairKind("decision", ("reason",), "decide it first, or remove the line")

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]+")


read_decisions = partial(read_graded_pairs, form=DECISIONS)
"""The decisions of a file, the reasons as their words; raises as `read_graded_pairs`."""


def write_decisions(decisions: Iterable[GradedPair]) -> Iterator[bytes]:
    """The header and one line a decision, as `read_decisions` reads them; a reason is one line of text.

    Raises WorkbenchError for topics and docnos with white space.
    """
    yield ("\t".join((*NEEDED, DECISIONS.columns[0])) + "\n").encode()
    for one in decisions:
        reason = _CONTROLS.sub(" ", one.words).strip().encode("utf-8", "replace")
        ids = (plain(one.topic, "topic"), plain(one.docno, "docno"))
        yield b"\t".join((*ids, str(one.grade).encode(), reason)) + b"\n"


KNOWN_GRADES = PairKind(
    "known answer", ("feedback", "reason", "why"), "give the correct grade, or remove the line"
)


read_known_grades = partial(read_graded_pairs, form=KNOWN_GRADES)
"""The known answers of a file, the feedback as their words; raises as `read_graded_pairs`."""


HEADER = (
    "topic", "doc", "assessor", "machine", "purpose", "round", "judged", "first_answer", "first_grade",
    "first_at", "answer", "grade", "at", "known_grade",
)  # fmt: skip
GivenAnswer = tuple[str, int | None, datetime]


@frozen_dataclass
class ProbeLine:
    """One answer to a probe: what was given (answer, grade, moment), what was current before, what is known.

    `first` is what was current just before a second showing; `round` counts training, None for anything else;
    `judged` marks a planted pair that was judged in its pool as every other.
    """

    topic: str
    docno: str
    assessor: str
    machine: bool
    purpose: str
    round: int | None
    judged: bool
    first: GivenAnswer | None
    given: GivenAnswer
    known: int | None


def write_probe_answers(lines: Iterable[ProbeLine]) -> Iterator[bytes]:
    """The header and one line an answer in the order given; what there is not is an empty cell.

    Moments are ISO 8601 in UTC. Raises WorkbenchError for topics and docnos with white space, and assessors
    with tabs or line ends.
    """
    yield ("\t".join(HEADER) + "\n").encode()
    for line in lines:
        ids = (plain(line.topic, "topic"), plain(line.docno, "docno"), assessor_bytes(line.assessor))
        cells = (
            "yes" if line.machine else "no",
            line.purpose,
            _cell(line.round),
            "yes" if line.judged else "no",
            *(("", "", "") if line.first is None else _answer_cells(line.first)),
            *_answer_cells(line.given),
            _cell(line.known),
        )
        yield b"\t".join((*ids, *(cell.encode() for cell in cells))) + b"\n"


def _answer_cells(given: GivenAnswer) -> tuple[str, str, str]:
    answer, grade, when = given
    return answer, _cell(grade), when.isoformat()


def _cell(number: int | None) -> str:
    return "" if number is None else str(number)
