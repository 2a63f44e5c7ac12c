"""Answers to repeats, planted pairs and training: tab-separated, one a line, to be analysed elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from workbench.formats.identifiers import plain
from workbench.formats.judgments import assessor_bytes

HEADER = (
    "topic", "doc", "assessor", "machine", "purpose", "round", "judged", "first_answer", "first_grade",
    "first_at", "answer", "grade", "at", "known_grade",
)  # fmt: skip
GivenAnswer = tuple[str, int | None, datetime]


@dataclass(frozen=True, slots=True)
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
