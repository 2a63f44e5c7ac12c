"""The current answers of a topic, put together from the columns of each assessor."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from workbench.storage.answer_columns import AnswerColumns
from workbench.storage.events import LATER, WITHDRAWN
from workbench.workflow.pools.topic_answers import CODES, TopicAnswers

_NONE = -(2**62)
# The code of an answer that is none any more, or none yet.
_CODES = {**CODES, WITHDRAWN: _NONE, LATER: _NONE}


class TopicReading:
    """The answers of a topic while they are read, of one assessor after the other."""

    def __init__(self, topic: str, *, discussed: bool = False) -> None:
        self.topic = topic
        self.discussed = discussed
        # By assessor, small until all have been read: the documents joined by line feeds, and the codes.
        self._read: list[tuple[int, bytes, NDArray[np.int64]]] = []

    def add(self, columns: AnswerColumns) -> None:
        """Take in all answers of another assessor, of which the last to a document counts."""
        self.discussed |= columns.discussed
        last = dict(zip(columns.docnos, columns.answers, strict=True))
        known = {answer: _code(answer) for answer in set(last.values())}
        current = {docno: code for docno, answer in last.items() if (code := known[answer]) != _NONE}
        if current:
            codes = np.fromiter(current.values(), np.int64, len(current))
            self._read.append((columns.assessor, b"\n".join(current), codes))

    def arrays(self) -> TopicAnswers:
        """All of them."""
        several = [joined.split(b"\n") for _, joined, _ in self._read]
        docnos = sorted(set(chain.from_iterable(several)))
        place = {docno: number for number, docno in enumerate(docnos)}
        sizes = [len(one) for one in several]
        places = np.fromiter(map(place.__getitem__, chain.from_iterable(several)), np.int32, sum(sizes))
        assessors = np.repeat(np.array([one for one, _, _ in self._read], np.int64), sizes)
        codes = np.concatenate([np.empty(0, np.int64), *(codes for _, _, codes in self._read)])
        order = np.lexsort((assessors, places))
        return TopicAnswers(
            self.topic,
            b"\n".join(docnos),
            len(docnos),
            places[order],
            assessors[order],
            codes[order],
            self.discussed,
        )


def _code(answer: str) -> int:
    return _CODES[answer] if answer in _CODES else int(answer)
