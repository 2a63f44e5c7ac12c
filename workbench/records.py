"""The records of the field: topic, document, run, pool entry, scale, judgment, qrel.

Ids are strings and preserved to the byte; bytes that are not UTF-8 are lone surrogates (`surrogateescape`).
"""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field
from enum import StrEnum
from operator import attrgetter
from typing import Protocol, TypeVar

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.tables import ResultRows, ResultTable


@frozen_dataclass
class Topic:
    """The statement of an information need; `subtopics` are (id, label) pairs of its aspects."""

    id: str
    title: str
    description: str = ""
    narrative: str = ""
    subtopics: tuple[tuple[str, str], ...] = ()


PDF_TYPE = "application/pdf"
IMAGE_TYPES = "image/"


@frozen_dataclass
class Original:
    """The bytes that a document was read from: a PDF, an image, a page as it was crawled, a record of a file.

    `content` is None where only the SHA-256 of the bytes is known. `address` is what pages call it, `charset`
    that of a text. `shown` is the form that a browser gets, where that is not `content` itself. Sizes are in
    pixels. `beside` marks an image of other documents, which is none by itself.
    """

    media_type: str
    content: bytes | None
    sha256: str
    address: str = ""
    charset: str = ""
    shown: bytes | None = None
    width: int | None = None
    height: int | None = None
    beside: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the text of the document is all that is shown of it."""
        return not (self.media_type == PDF_TYPE or self.media_type.startswith(IMAGE_TYPES))


@frozen_dataclass
class Document:
    """A document as shown to assessors; `text` is plain text or HTML, `original` what it was read from.

    Two are equal if they have the same docno, title and text.
    """

    docno: str
    title: str = ""
    text: str = ""
    original: Original | None = field(default=None, compare=False)

    @property
    def sha256(self) -> str:
        """The SHA-256 that is stored with every judgment: of the title, a NUL and the text, in UTF-8.

        Where the bytes are what is shown, as of a PDF, another NUL and their SHA-256 follow.
        """
        shown = f"{self.title}\0{self.text}"
        if self.original is not None and not self.original.is_text:
            shown = f"{shown}\0{self.original.sha256}"
        return hashlib.sha256(shown.encode()).hexdigest()


@frozen_dataclass
class Ranking:
    """The documents that a run retrieved for one topic, in file order, with their scores."""

    docnos: tuple[str, ...]
    scores: tuple[float, ...]

    def __len__(self) -> int:
        return len(self.docnos)


@frozen_dataclass
class Run(ResultTable):
    """One system's answer to the topics: rankings by topic id, in the order of the file."""

    tag: str
    rankings: Mapping[str, Ranking]

    def table(self) -> ResultRows:
        """A row for each document, in the order of the file."""
        rows = (
            (topic, docno, score)
            for topic, ranking in self.rankings.items()
            for docno, score in zip(ranking.docnos, ranking.scores, strict=True)
        )
        count = sum(map(len, self.rankings.values()))
        caption = f"Run {self.tag}: {counted(count, 'line')} in {counted(len(self.rankings), 'topic')}"
        return ResultRows(caption, ("topic", "docno", "score"), rows, count)


class TieRule(StrEnum):
    """The order of documents with equal scores."""

    TREC_EVAL = "trec_eval"
    DOCNO_ASCENDING = "docno-ascending"
    FILE = "file"


@frozen_dataclass
class Contribution:
    """A run that contributed a document to a pool, and the rank (from 1) of the document in it."""

    tag: str
    rank: int


@frozen_dataclass
class PoolEntry:
    """A (topic, document) pair to be judged; `contributions` are sorted by rank, then tag."""

    topic: str
    docno: str
    contributions: tuple[Contribution, ...]


@frozen_dataclass
class Grade:
    """A grade of a scale: `value` in the qrels, `key` on the desk; `weight`, 0 to 3, its colour."""

    value: int
    label: str
    key: str
    definition: str = ""
    weight: int = 0


@frozen_dataclass
class Scale:
    """The ordered grades of a campaign and the lowest value that counts as relevant.

    Raises WorkbenchError if values, labels or keys are not unique, a key is not allowed, or `relevant_from`
    is not a value above the lowest.
    """

    grades: tuple[Grade, ...]
    relevant_from: int

    def __post_init__(self) -> None:
        values = [grade.value for grade in self.grades]
        if len(values) < 2:
            raise WorkbenchError("a scale needs at least two grades")
        if values != sorted(set(values)):
            raise WorkbenchError(
                "the grades of a scale must ascend", remedy="list each value once, in ascending order"
            )
        if values[0] < 0:
            raise WorkbenchError(
                f"grade {values[0]} is negative",
                remedy="use 0 or more: scorers read negative grades as unjudged",
            )
        for what, seen in (
            ("label", [grade.label.strip().casefold() for grade in self.grades]),
            ("key", [grade.key.casefold() for grade in self.grades]),
        ):
            if "" in seen:
                raise WorkbenchError(f"a grade has no {what}")
            if len(set(seen)) != len(seen):
                raise WorkbenchError(f"two grades share one {what}")
        reserved = FIXED_KEYS & {grade.key.casefold() for grade in self.grades}
        if reserved or any(len(grade.key) != 1 for grade in self.grades):
            raise WorkbenchError(
                "a grade's key must be one character that the judging desk does not use",
                remedy=f"not {' '.join(sorted(RESERVED_KEYS - {' '}))}",
            )
        if any(not 0 <= grade.weight <= 3 for grade in self.grades):
            raise WorkbenchError("a colour weight must be 0, 1, 2 or 3")
        if self.relevant_from not in values[1:]:
            raise WorkbenchError(
                f"{self.relevant_from} cannot be the lowest relevant grade",
                remedy=f"choose one of {', '.join(map(str, values[1:]))}",
            )

    def grade(self, value: int) -> Grade:
        """The grade with this value; raises WorkbenchError if the scale has none."""
        for grade in self.grades:
            if grade.value == value:
                return grade
        raise WorkbenchError(
            f"{value} is not a grade of this scale",
            remedy=f"use one of {', '.join(str(g.value) for g in self.grades)}",
        )


# FIXED_KEYS were always reserved for commands of the judging desk. The other RESERVED_KEYS became commands
# later: older scales may still use them for grades.
FIXED_KEYS = frozenset("uxz?/[] ")
RESERVED_KEYS = FIXED_KEYS | frozenset("scnphalgtvf")

BINARY = Scale(
    (
        Grade(0, "Not relevant", "0", "Nothing here answers the topic", 0),
        Grade(1, "Relevant", "1", "Something here answers the topic", 3),
    ),
    relevant_from=1,
)
THREE_GRADES = Scale(
    (
        Grade(0, "Not relevant", "0", "Nothing here answers the topic", 0),
        Grade(1, "Partially relevant", "1", "Answers the topic in part or in passing", 2),
        Grade(2, "Highly relevant", "2", "The answer is what the document is about", 3),
    ),
    relevant_from=1,
)
FOUR_GRADES = Scale(
    (
        Grade(0, "Not relevant", "0", "Not on the topic", 0),
        Grade(1, "Related", "1", "On the topic, but does not answer it", 1),
        Grade(2, "Relevant", "2", "Answers the topic in part or in passing", 2),
        Grade(3, "Highly relevant", "3", "The answer is what the document is about", 3),
    ),
    relevant_from=2,
)
SCALES: Mapping[str, Scale] = {
    "binary": BINARY,
    "three-grades": THREE_GRADES,
    "four-grades": FOUR_GRADES,
}


class Answer(StrEnum):
    """The kind of an assessor's answer: a grade, or one of the two answers without a grade."""

    GRADE = "grade"
    UNSURE = "unsure"
    CANNOT_JUDGE = "cannot_judge"


@frozen_dataclass
class Judgment:
    """An assessor's answer about a (topic, document) pair; `grade` is None unless the answer is a grade."""

    assessor: str
    topic: str
    docno: str
    grade: int | None
    answer: Answer = Answer.GRADE


@frozen_dataclass
class Preference:
    """The document that an assessor prefers: `choice` is "first", "second", "tie" or "both_bad"."""

    assessor: str
    topic: str
    first: str
    second: str
    choice: str


@frozen_dataclass
class Qrel:
    """One line of a qrels file; `iteration` is its second column, in qrels with subtopics the subtopic."""

    topic: str
    docno: str
    grade: int
    iteration: str = "0"


Name = TypeVar("Name", bound=Hashable)


def id_bytes(identifier: str) -> bytes:
    """The bytes of a topic id or docno as in its file; ids are ordered by them."""
    return identifier.encode("utf-8", "surrogateescape")


def id_text(octets: bytes) -> str:
    """Ids, or text with ids in it, as they stand in a file; `id_bytes` gives the bytes back."""
    return octets.decode("utf-8", "surrogateescape")


def sorted_ids(identifiers: Iterable[str]) -> list[str]:
    """Ids sorted as bytes."""
    ids = list(identifiers)
    # ASCII strings have the order of their bytes; encoding them would take most of the time.
    return sorted(ids) if all(map(str.isascii, ids)) else sorted(ids, key=id_bytes)


class OfPair(Protocol):
    """What is of a topic and a document."""

    @property
    def topic(self) -> str: ...
    @property
    def docno(self) -> str: ...


pair_of: Callable[[OfPair], tuple[str, str]] = attrgetter("topic", "docno")
"""The topic and the docno of a record."""


def places_of(names: Iterable[Name]) -> dict[Name, int]:
    """The place of each name among these, from 0."""
    return {name: place for place, name in enumerate(names)}


def grades_of(qrels: Iterable[Qrel]) -> dict[tuple[str, str], int]:
    """The grades by topic and docno."""
    return {pair_of(one): one.grade for one in qrels}


def sorted_pairs(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of topic and docno sorted as bytes."""
    found = list(pairs)
    if all(topic.isascii() and docno.isascii() for topic, docno in found):
        return sorted(found)
    return sorted(found, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1])))


class Verdict(StrEnum):
    """The organiser's verdict on a run; `RECEIVED` if it was not reviewed yet."""

    RECEIVED = "received"
    ACCEPTED = "accepted"
    SET_ASIDE = "set_aside"

    @property
    def words(self) -> str:
        """The verdict in words."""
        return self.value.replace("_", " ")


CLUSTER_PREFIX = "workbench"


@frozen_dataclass
class SearchCluster:
    """An OpenSearch cluster: the addresses of its nodes, and the first part of the names of its indexes.

    Without a `login` it asks for none. `authorities` is a file of certificates that its own is checked
    against; if it is empty, the well-known ones are.
    """

    nodes: tuple[str, ...]
    login: str = ""
    password: str = field(default="", repr=False)
    authorities: str = ""
    prefix: str = CLUSTER_PREFIX


@contextmanager
def without_collections() -> Iterator[None]:
    """Have Python look for such garbage before or after, and not meanwhile.

    Among many records that all stay it takes a third of the time, and a tenth of a second where others wait
    for a lock.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Of several threads the last one need not be the one that found it on.
        if collecting:
            gc.enable()
