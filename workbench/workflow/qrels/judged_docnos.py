"""The documents of a topic that rules are applied to, and where answers and decisions stand among them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.votes import Numbers
from workbench.records import id_bytes
from workbench.workflow.log import TopicAnswers


class JudgedDocnos:
    """The documents of a topic that somebody answered or that were decided, `joined`, sorted by bytes."""

    def __init__(self, topic: str, joined: bytes, count: int) -> None:
        self.topic, self.joined, self.count = topic, joined, count
        self._known: tuple[NDArray[Any] | None, bytes] | None = None

    @property
    def docnos(self) -> list[str]:
        """The documents."""
        return self.joined.decode("utf-8", "surrogateescape").split("\n") if self.count else []

    @property
    def ids(self) -> list[bytes]:
        """The documents as bytes."""
        return self.joined.split(b"\n") if self.count else []

    def digest_of(self, rows: NDArray[Any] | None) -> bytes:
        """A hash of the topic and these of its documents, or all, the same whichever others there are."""
        known = self._known
        if known is None or not _same(known[0], rows):
            ids = self.ids
            joined = self.joined if rows is None else b"\n".join([ids[row] for row in rows.tolist()])
            # Most rules settle the same documents, so that it is made once for all of them.
            known = self._known = rows, hashlib.sha256(id_bytes(self.topic) + b"\n" + joined).digest()
        return known[1]


@dataclass(frozen=True, slots=True, eq=False)
class AnsweredRows:
    """The documents with the decided grades by row, and the row of each document that has an answer.

    `answered` is None where these are all documents.
    """

    documents: JudgedDocnos
    decided: Mapping[int, int]
    answered: NDArray[np.int32] | None

    @classmethod
    def of(cls, answers: TopicAnswers, decided: Mapping[str, int]) -> AnsweredRows:
        """Those of a topic's answers and of the decisions, by docno."""
        topic, joined, count = answers.topic, answers.joined, answers.documents
        if not decided:
            return cls(JudgedDocnos(topic, joined, count), {}, None)
        own = joined.split(b"\n")[:count]
        grades = {id_bytes(docno): grade for docno, grade in decided.items()}
        every = sorted({*own, *grades})
        row = {docno: at for at, docno in enumerate(every)}
        answered = None
        if len(every) > count:
            answered = np.array([row[docno] for docno in own], np.int32)
            joined, count = b"\n".join(every), len(every)
        rows = dict(sorted((row[docno], grade) for docno, grade in grades.items()))
        return cls(JudgedDocnos(topic, joined, count), rows, answered)

    def of_answers(self, answers: TopicAnswers) -> Numbers:
        """The row of each answer's document."""
        places = answers.places if self.answered is None else self.answered[answers.places]
        return places.astype(np.int64)


def _same(one: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)
