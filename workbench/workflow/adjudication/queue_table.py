"""The queue of disputes: all its pairs as arrays, and the lines of those that are shown."""

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

from workbench.consensus.disputes import Flags, Numbers, Spreads, spreads_of
from workbench.consensus.votes import Pair
from workbench.records import Judgment, Scale
from workbench.scoring.influence import Influence
from workbench.storage.adjudications import CurrentDecision, current_adjudications, current_decisions
from workbench.storage.chunks import CHUNK, chunks
from workbench.storage.tables import AdjudicationEventRow, CampaignRow
from workbench.workflow.adjudication.decisions import Decided, Decision, decided_in
from workbench.workflow.adjudication.discussions import Replies, answers_in_discussion
from workbench.workflow.adjudication.opinions import Person, changed_since, people_of
from workbench.workflow.adjudication.queue import Order, QueueLine, QueueSummary, State
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.current_judgments import NOT_GRADES
from workbench.workflow.log import NOWHERE, CurrentAnswers, answers_by_topic, columns_of

Floats = NDArray[np.float64]
STATES = tuple(State)


@dataclass(frozen=True, slots=True, eq=False)
class QueueSource:
    """What the queue is made of: the campaign's settings, its people, their answers, and their spreads.

    Machines are among the people, and their answers only where these count.
    """

    campaign: CampaignRow
    rules: AdjudicationRules
    people: Mapping[int, Person]
    answers: CurrentAnswers
    scale: Scale
    spreads: Spreads

    @property
    def disputed(self) -> Flags:
        """Which of the answered pairs are disputed."""
        return self.spreads.disputed(self.rules.disputed)


@dataclass(frozen=True, slots=True, eq=False)
class QueueTable:
    """Every pair that is disputed or was decided, by topic, then document (bytes).

    Pair number i is of topic number `topics[i]` of `names`, which are in the order of the campaign; the pairs
    of topic t are those from `starts[t]`. `places[i]` is its number among the answered pairs of the `source`,
    NOWHERE if it has no answer; `states[i]` a number in STATES. `decisions` are the current ones by pair,
    `answered` those of them that returned a pair on which everybody asked has answered since, by their ids.
    """

    names: tuple[str, ...]
    starts: Numbers
    topics: Numbers
    docnos: Sequence[str]
    places: Numbers
    spreads: Spreads
    states: NDArray[np.int8]
    decisions: Mapping[int, CurrentDecision]
    answered: frozenset[int]
    source: QueueSource

    @property
    def open_places(self) -> Numbers:
        """The numbers among the answered pairs of those that are not decided."""
        undecided = ~np.isin(self.states, [STATES.index(State.DECIDED), STATES.index(State.SETTLED)])
        return self.places[undecided]

    def counts(self) -> dict[State, int]:
        """How many pairs are in each state."""
        found = np.bincount(self.states, minlength=len(STATES)).tolist()
        return dict(zip(STATES, found, strict=True))

    def pair(self, number: int) -> Pair:
        """The topic and docno of a pair."""
        return self.names[self.topics[number]], self.docnos[number]

    def find(self, pair: Pair) -> int | None:
        """The number of a pair, None if it is not in the queue."""
        if pair[0] not in self.names:
            return None
        topic = self.names.index(pair[0])
        begin, end = self.starts[topic : topic + 2].tolist()
        docnos = self.docnos[begin:end]
        return begin + docnos.index(pair[1]) if pair[1] in docnos else None

    def chosen(self, *, topic: str | None, state: State | None) -> Flags:
        """Which pairs are of one topic, and in one state."""
        found = np.ones(len(self.docnos), dtype=np.bool_)
        if topic is not None:
            found &= self.topics == (self.names.index(topic) if topic in self.names else NOWHERE)
        if state is not None:
            found &= self.states == STATES.index(state)
        return found

    def ordered(self, order: Order, influence: Floats | None) -> Numbers:
        """The numbers of all pairs in an order; `influence` has swaps and unevenness, shape (pairs, 3)."""
        if order is Order.TOPIC:
            return np.arange(len(self.docnos))
        keys = [-self.spreads.mean, ~self.spreads.crosses, -self.spreads.distance]
        if order is Order.INFLUENCE and influence is not None:
            keys += [-influence[:, 1], -influence[:, 0]]
        return np.lexsort(keys)


def queue_source(db: Session, campaign_id: int) -> QueueSource:
    """What the queue of a campaign is made of; raises WorkbenchError for a grade outside the scale."""
    campaign = db.get_one(CampaignRow, campaign_id)
    rules, scale = rules_from_json(campaign.adjudication_rules), scale_from_json(campaign.scale)
    people = people_of(db, campaign_id)
    machines = {number for number, one in people.items() if one.machine and not rules.machines}
    answers = columns_of(answers_by_topic(db, campaign_id).values(), without=machines)
    spreads = spreads_of(answers.pairs, answers.codes, len(answers.docnos), scale)
    return QueueSource(campaign, rules, people, answers, scale, spreads)


def queue_table(db: Session, campaign_id: int) -> QueueTable:
    """The pairs of the queue as they are now; raises WorkbenchError for a grade outside the scale."""
    source = queue_source(db, campaign_id)
    answers, disputed = source.answers, source.disputed
    decided = {(one.topic, one.docno): one for one in current_decisions(db, campaign_id)}
    places = {pair: answers.find(*pair) for pair in decided}
    shown = disputed.copy()
    shown[[place for place in places.values() if place is not None]] = True
    # Who had answered the others has withdrawn it since.
    rows = answers.rows(shown, [pair for pair, place in places.items() if place is None])
    rank = {topic: at for at, topic in enumerate(topic_titles(db, campaign_id))}
    rows.sort(key=lambda row: rank.get(row[0], len(rank)))
    names = tuple(dict.fromkeys(topic for topic, *_ in rows))
    number_of = {topic: number for number, topic in enumerate(names)}
    topics = np.array([number_of[topic] for topic, *_ in rows], np.int64)
    at = np.array([place for *_, place in rows], np.int64)
    docnos = [docno.decode("utf-8", "surrogateescape") for _, docno, _ in rows]
    decisions = {
        row: decided[pair]
        for row, pair in enumerate(zip((topic for topic, *_ in rows), docnos, strict=True))
        if pair in decided
    }
    answered = _answered(db, source) if decided else frozenset()
    states = np.zeros(len(rows), np.int8)
    spreads = source.spreads.at(at)
    for row, one in decisions.items():
        agreed = not (at[row] != NOWHERE and disputed[at[row]]) and bool(spreads.graded[row] > 1)
        states[row] = STATES.index(_state(one, answered, agreed=agreed))
    starts = np.searchsorted(topics, np.arange(len(names) + 1))
    return QueueTable(names, starts, topics, docnos, at, spreads, states, decisions, answered, source)


def dispute_counts(db: Session, campaign_id: int) -> Mapping[State, int]:
    """How many pairs of the queue of disputes are in each state."""
    return queue_table(db, campaign_id).counts()


def _answered(db: Session, source: QueueSource) -> frozenset[int]:
    """The decisions that returned a pair which everybody asked has answered since, by their numbers."""
    back = current_adjudications(db, source.campaign.id, decision=Decision.BACK)
    if not back:
        return frozenset()
    discussed = answers_in_discussion(db, source.campaign.id)
    return frozenset(row.id for row in back if Replies.to(row, source.people, discussed).complete)


def _state(one: CurrentDecision, answered: frozenset[int], *, agreed: bool) -> State:
    """The state of a decided pair; a discussion that leaves fewer than two grades has settled nothing."""
    if one.decision == Decision.GRADE:
        return State.DECIDED
    if one.decision == Decision.UNCLEAR:
        return State.UNCLEAR
    if agreed:
        return State.SETTLED
    return State.OPEN if one.id in answered else State.BACK


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
