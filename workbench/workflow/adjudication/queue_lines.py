"""The lines of the queue that are shown, made of its arrays as they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.rule import Pair
from workbench.records import Judgment
from workbench.scoring.influence import Influence
from workbench.storage.chunks import CHUNK, chunks
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.adjudication.decisions import Decided, decided_in
from workbench.workflow.adjudication.discussions import answers_in_discussion
from workbench.workflow.adjudication.opinions import changed_since
from workbench.workflow.adjudication.queue import QueueLine, QueueSummary, State
from workbench.workflow.adjudication.queue_table import STATES, QueueSource, QueueTable
from workbench.workflow.judging.current_judgments import NOT_GRADES

Numbers = NDArray[np.int64]


def judgments_about(pair: Pair, place: int, source: QueueSource) -> tuple[Judgment, ...]:
    """The judgments of a pair, which has this number among the answered ones, sorted by assessor."""
    answers = source.answers
    some = slice(*np.searchsorted(answers.pairs, (place, place + 1)).tolist())
    found = [
        Judgment(source.people[who].name, *pair, code)
        if code >= 0
        else Judgment(source.people[who].name, *pair, None, NOT_GRADES[code])
        for who, code in zip(answers.assessors[some].tolist(), answers.codes[some].tolist(), strict=True)
    ]
    return tuple(sorted(found, key=lambda one: one.assessor))


@dataclass(frozen=True, eq=False)
class LineReader:
    """Makes lines of a queue while its session is open; `influence` is of shape (pairs, 3)."""

    db: Session
    table: QueueTable
    influence: NDArray[np.float64] | None

    def lines(self, numbers: Sequence[int]) -> tuple[QueueLine, ...]:
        """The lines of the pairs of these numbers."""
        return tuple(chain.from_iterable(map(self._lines, chunks(numbers))))

    def _lines(self, numbers: Sequence[int]) -> list[QueueLine]:
        decisions = self.table.decisions
        ids = [decisions[number].id for number in numbers if number in decisions]
        event = AdjudicationEventRow
        rows = {row.id: row for row in self.db.scalars(select(event).where(event.id.in_(ids)))} if ids else {}
        decided = decided_in(self.db, list(rows.values()))
        return [
            self._line(number, rows[decisions[number].id] if number in decisions else None, decided)
            for number in numbers
        ]

    def _line(
        self, number: int, row: AdjudicationEventRow | None, decided: Mapping[int, Decided]
    ) -> QueueLine:
        table, people = self.table, self.table.source.people
        topic, docno = pair = table.pair(number)
        judgments = judgments_about(pair, int(table.places[number]), table.source)
        return QueueLine(
            topic=topic,
            docno=docno,
            judgments=judgments,
            spread=table.spreads.one(number),
            state=STATES[table.states[number]],
            decided=decided[row.id] if row else None,
            changed=bool(row and row.grade is not None and changed_since(row, judgments, people)),
            discussed=bool(row and row.id in table.answered) or pair in self._discussed,
            influence=None if self.influence is None else Influence(*self.influence[number].tolist()),
        )

    @cached_property
    def _discussed(self) -> Mapping[Pair, Mapping[int, int]]:
        """The pairs that were ever discussed."""
        return answers_in_discussion(self.db, self.table.source.campaign.id) if self.table.decisions else {}


class QueueLines(Sequence[QueueLine]):
    """Lines of a queue in an order, each made when it is asked for; several at once cost less."""

    def __init__(self, reader: LineReader, numbers: Numbers) -> None:
        self._reader = reader
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> QueueLine: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[QueueLine, ...]: ...
    def __getitem__(self, at: int | slice) -> QueueLine | tuple[QueueLine, ...]:
        if isinstance(at, slice):
            return self._reader.lines(self._numbers[at].tolist())
        return self._reader.lines([int(self._numbers[at])])[0]

    def __iter__(self) -> Iterator[QueueLine]:
        for some in chunks(self._numbers.tolist(), CHUNK):
            yield from self._reader.lines(some)

    def place(self, pair: Pair | None) -> int | None:
        """Where a pair stands among these lines, from 0; None if it is not there."""
        number = None if pair is None else self._reader.table.find(pair)
        found: list[int] = [] if number is None else np.flatnonzero(self._numbers == number).tolist()
        return found[0] if found else None

    def pair(self, at: int) -> Pair:
        """The pair of a line."""
        return self._reader.table.pair(int(self._numbers[at]))

    def count(self, *states: State) -> int:
        """How many of the lines are in these states."""
        chosen = [STATES.index(state) for state in states]
        return int(np.isin(self._reader.table.states[self._numbers], chosen).sum())

    def next_open(self, after: Pair | None) -> Pair | None:
        """The first pair to decide behind one, and from the beginning where there is none behind it."""
        at = self.place(after)
        is_open = np.flatnonzero(self._reader.table.states[self._numbers] == STATES.index(State.OPEN))
        if at is None:
            return self.pair(int(is_open[0])) if len(is_open) else None
        is_open = is_open[is_open != at]
        behind = is_open[is_open > at]
        first = (*behind[:1].tolist(), *is_open[:1].tolist())
        return self.pair(first[0]) if first else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(QueueSummary):
    """The disputed pairs in an order; their lines are made as long as the session is open.

    `influence_at` is when their influence was computed, None where that is not known or was not asked for;
    `influence_behind` says that grades or runs have changed since, and that it is to be computed again.
    `alone` of the open pairs could change the order of two runs each by itself, and all of them together that
    of `together` of the `run_pairs` at most.
    """

    influence_at: datetime | None
    influence_behind: bool
    alone: int
    together: int
    run_pairs: int
    reader: LineReader
    numbers: Numbers

    @property
    def lines(self) -> QueueLines:
        """All of them."""
        return QueueLines(self.reader, self.numbers)

    def filtered(self, *, topic: str | None = None, state: State | None = None) -> QueueLines:
        """The lines of one topic, in one state, in the same order."""
        chosen = self.reader.table.chosen(topic=topic, state=state)
        return QueueLines(self.reader, self.numbers[chosen[self.numbers]])
