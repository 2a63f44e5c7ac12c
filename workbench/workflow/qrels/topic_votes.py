"""The pairs of one topic on which rules are compared, and how many of them were judged."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rule import Pair
from workbench.formats.qrels import line_starts
from workbench.records import id_bytes
from workbench.workflow.pools.topic_answers import TopicAnswers
from workbench.workflow.qrels.topic_table import documents_of


class PairDocnos:
    """The documents of a topic that somebody answered or that were decided, `joined`, sorted by bytes."""

    def __init__(self, topic: str, joined: bytes, count: int) -> None:
        self.topic, self.joined, self.count = topic, joined, count

    @property
    def docnos(self) -> tuple[str, ...]:
        """The documents."""
        return tuple(self.joined.decode("utf-8", "surrogateescape").split("\n")) if self.count else ()

    @property
    def ids(self) -> list[bytes]:
        """The documents as bytes."""
        return self.joined.split(b"\n") if self.count else []

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The topic with each of them."""
        return tuple((self.topic, docno) for docno in self.docnos)

    @cached_property
    def digest(self) -> bytes:
        """A hash of the topic and its documents."""
        return hashlib.sha256(id_bytes(self.topic) + b"\n" + self.joined).digest()

    def line_starts(self) -> tuple[bytes, ...]:
        """What stands before the grades in qrels; raises WorkbenchError for ids that would not survive."""
        return line_starts(self.pairs)


@dataclass(frozen=True, eq=False)
class TopicVotes:
    """What assessors said of a topic's pairs, of which `decided` have an adjudicator's grade, by docno."""

    # No slots: the pairs are made once.
    answers: TopicAnswers
    decided: Mapping[str, int]

    @cached_property
    def pairs(self) -> PairDocnos:
        """The documents that anybody answered, or that were decided."""
        joined, count, _, _ = documents_of(self.answers, self.decided)
        return PairDocnos(self.answers.topic, joined, count)

    def judged(self, counted: frozenset[int]) -> int:
        """How many documents have an answer of these assessors."""
        return len(np.unique(self.answers.places[self._by(counted)]))

    def most(self, counted: frozenset[int]) -> int:
        """How many grades of these assessors a document has at most."""
        chosen = self._by(counted) & (self.answers.codes >= 0)
        return int(np.bincount(self.answers.places[chosen]).max(initial=0))

    def _by(self, counted: frozenset[int]) -> NDArray[np.bool_]:
        """Which of the answers are of these assessors."""
        ids = np.fromiter(counted, np.int64, len(counted))
        found: NDArray[np.bool_] = np.isin(self.answers.assessors, ids)
        return found
