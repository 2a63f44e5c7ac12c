"""The votes of one topic as arrays, from its current answers, and of all topics together."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.models.votes import Numbers, Votes
from workbench.consensus.rule import Pair
from workbench.consensus.vote_table import VoteTable
from workbench.formats.qrels import line_starts
from workbench.records import Scale, id_bytes
from workbench.workflow.pools.topic_answers import TopicAnswers

Assessors = tuple[tuple[int, str, bool], ...]
"""The assessors of a campaign: id, name, whether a machine."""


class PairDocnos:
    """The documents of a topic that somebody answered or that were decided, `joined`, sorted by bytes."""

    def __init__(self, topic: str, joined: bytes, count: int) -> None:
        self.topic, self.joined, self.count = topic, joined, count

    @classmethod
    def of(cls, topic: str, docnos: Sequence[str]) -> PairDocnos:
        """These documents, sorted by bytes."""
        return cls(topic, b"\n".join(map(id_bytes, docnos)), len(docnos))

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
    topic: str
    answers: TopicAnswers | None
    decided: Mapping[str, int]

    @cached_property
    def pairs(self) -> PairDocnos:
        """The documents that anybody answered, or that were decided."""
        if self.answers is None:
            return PairDocnos.of(self.topic, sorted(self.decided, key=id_bytes))
        if not self._others:
            return PairDocnos(self.topic, self.answers.joined, self.answers.documents)
        every = sorted((*self.answers.docnos, *self._others), key=id_bytes)
        return PairDocnos.of(self.topic, every)

    @cached_property
    def _others(self) -> tuple[str, ...]:
        """The documents that were decided and have no answer any more."""
        known = frozenset() if self.answers is None or not self.decided else frozenset(self.answers.docnos)
        return tuple(docno for docno in self.decided if docno not in known)

    def judged(self, counted: frozenset[int]) -> int:
        """How many documents have an answer of these assessors."""
        if self.answers is None:
            return 0
        return len(np.unique(self.answers.places[_by(self.answers, counted)]))

    def most(self, counted: frozenset[int]) -> int:
        """How many grades of these assessors a document has at most."""
        if self.answers is None:
            return 0
        chosen = _by(self.answers, counted) & (self.answers.codes >= 0)
        return int(np.bincount(self.answers.places[chosen]).max(initial=0))

    def table(
        self, assessors: Assessors, counted: frozenset[int], scale: Scale, *, most: int = 0
    ) -> VoteTable:
        """The votes of those who are counted, as `vote_table` makes them, with a row for each of the pairs.

        `most` is how many grades a pair of any topic has at most. Raises WorkbenchError for a grade that is
        not in the scale.
        """
        count = self.pairs.count
        judged = np.zeros(count, np.bool_)
        at = who = given = np.zeros(0, np.int64)
        if self.answers is not None:
            chosen = _by(self.answers, counted)
            places = self._rows[self.answers.places[chosen]]
            judged[places] = True
            codes = self.answers.codes[chosen]
            graded = codes >= 0
            at, who, given = places[graded], self.answers.assessors[chosen][graded], codes[graded]
        values, which = np.unique(given, return_inverse=True)
        for value in values.tolist():
            scale.grade(value)
        numbers, own = np.unique(who, return_inverse=True)
        called = {number: name for number, name, _ in assessors}
        names = [called[number] for number in numbers.tolist()]
        order = np.argsort(np.array(names, object), kind="stable") if names else np.zeros(0, np.intp)
        ranks = np.empty(len(names), np.int64)
        ranks[order] = np.arange(len(names))
        by = ranks[own]
        # In the order of their names, so that nothing depends on who judged first.
        rows = np.lexsort((by, at))
        decisions = {}
        if self.decided:
            place = {docno: row for row, docno in enumerate(self.pairs.docnos)}
            decisions = {place[docno]: grade for docno, grade in self.decided.items()}
        return VoteTable(
            self.pairs.pairs,
            tuple(sorted(names)),
            values.astype(np.int64),
            Votes(at[rows], by[rows], which[rows].astype(np.int64), count, len(names), len(values)),
            judged,
            dict(sorted(decisions.items())),
            scale.relevant_from,
            most,
        )

    @cached_property
    def _rows(self) -> Numbers:
        """The row of each document that has an answer."""
        if self.answers is None or not self._others:
            return np.arange(self.pairs.count)
        place = {docno: row for row, docno in enumerate(self.pairs.docnos)}
        return np.array([place[docno] for docno in self.answers.docnos], np.int64)


def _by(answers: TopicAnswers, counted: frozenset[int]) -> NDArray[np.bool_]:
    """Which of the answers are of these assessors."""
    found: NDArray[np.bool_] = np.isin(answers.assessors, np.fromiter(counted, np.int64, len(counted)))
    return found


def tables_together(tables: Sequence[VoteTable], relevant_from: int) -> VoteTable:
    """The votes of several topics, which come in the order of bytes, in one table."""
    names = sorted(set(chain.from_iterable(one.names for one in tables)))
    number = {name: at for at, name in enumerate(names)}
    values = np.unique(np.concatenate([np.zeros(0, np.int64), *(one.values for one in tables)]))
    starts = np.cumsum([0, *(len(one.pairs) for one in tables)]).tolist()
    at, who, which = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    decided = {}
    for start, one in zip(starts, tables, strict=False):
        at.append(one.votes.pairs + start)
        who.append(np.array([number[name] for name in one.names], np.int64)[one.votes.assessors])
        which.append(np.searchsorted(values, one.values)[one.votes.grades])
        decided.update({start + row: grade for row, grade in one.decided.items()})
    return VoteTable(
        tuple(chain.from_iterable(one.pairs for one in tables)),
        tuple(names),
        values,
        Votes(
            np.concatenate(at),
            np.concatenate(who),
            np.concatenate(which),
            starts[-1],
            len(names),
            len(values),
        ),
        np.concatenate([np.zeros(0, np.bool_), *(one.judged for one in tables)]),
        decided,
        relevant_from,
    )
