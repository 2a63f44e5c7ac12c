"""Qrels as arrays: read many times faster than line by line, as far as their lines are in order.

As for runs (`packed_runs`), nothing is read that the plain reader would not, and no errors are told: what is
not understood, wrong or only rare, raises NotUnderstood, and the plain reader decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos, docnos_from, hashes
from workbench.formats.identifiers import all_seen
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
from workbench.formats.qrels import read_qrels_by_line
from workbench.formats.source import Readable, Twice, open_source
from workbench.records import Qrel, id_text

_COLUMNS = 4
_GRADE = re.compile(rb"[+-]?[0-9]{1,7}")


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
    if not all(map(_GRADE.fullmatch, written)):
        raise NotUnderstood
    return np.array(list(map(int, written)), dtype=np.int64)[np.searchsorted(words, first)]
