"""The pairs of the queue of disputes as arrays, of which pages make the lines that they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.consensus.rule import Pair
from workbench.records import Scale, id_bytes, sorted_ids
from workbench.storage.adjudications import CurrentDecision, current_adjudications, current_decisions
from workbench.storage.tables import CampaignRow
from workbench.workflow.adjudication.decisions import Decision
from workbench.workflow.adjudication.discussions import Replies, answers_in_discussion
from workbench.workflow.adjudication.opinions import Person, people_of
from workbench.workflow.adjudication.queue import Order, State
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.adjudication.topic_spreads import TopicSpreads, topic_spreads
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.log import TopicAnswers, answers_by_topic, no_answers

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
STATES = tuple(State)
NOWHERE = -1
_Kind = TypeVar("_Kind", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class QueueTable:
    """Every pair that is disputed or was decided, by topic, then document (bytes).

    Pair number i is of topic number `topics[i]` of `names`, which are in the order of the campaign; the pairs
    of topic t are those from `starts[t]`. `places[i]` is its place among the answered documents of the topic,
    NOWHERE if it has no answer; `states[i]` a number in STATES. `decisions` are the current ones by pair,
    `answered` those of them that returned a pair on which everybody asked has answered since, by their ids.
    It is made of its `source`.
    """

    names: tuple[str, ...]
    starts: Numbers
    topics: Numbers
    docnos: Sequence[str]
    places: Numbers
    distance: Numbers
    mean: Floats
    crosses: NDArray[np.bool_]
    states: NDArray[np.int8]
    decisions: Mapping[int, CurrentDecision]
    answered: frozenset[int]
    source: QueueSource

    @property
    def open_pairs(self) -> dict[str, NDArray[np.bytes_]]:
        """The documents of each topic that are not decided, by its name."""
        undecided = ~np.isin(self.states, [STATES.index(State.DECIDED), STATES.index(State.SETTLED)])
        found: dict[str, list[bytes]] = {}
        for row in np.flatnonzero(undecided).tolist():
            found.setdefault(self.names[self.topics[row]], []).append(id_bytes(self.docnos[row]))
        return {topic: np.array(docnos, dtype=np.bytes_) for topic, docnos in found.items()}

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

    def chosen(self, *, topic: str | None, state: State | None) -> NDArray[np.bool_]:
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
        keys = [-self.mean, ~self.crosses, -self.distance]
        if order is Order.INFLUENCE and influence is not None:
            keys += [-influence[:, 1], -influence[:, 0]]
        return np.lexsort(keys)


@dataclass(frozen=True, slots=True, eq=False)
class QueueSource:
    """What the queue is made of: the campaign's settings, its people, and the answers by topic."""

    campaign: CampaignRow
    rules: AdjudicationRules
    people: Mapping[int, Person]
    machines: frozenset[int]
    answers: Mapping[str, TopicAnswers]
    scale: Scale

    def spreads_of(self, answers: TopicAnswers) -> TopicSpreads:
        """The spreads of a topic; raises WorkbenchError for a grade outside the scale."""
        return topic_spreads(answers, machines=self.machines, rule=self.rules.disputed, scale=self.scale)


def queue_source(db: Session, campaign_id: int) -> QueueSource:
    """What the queue of a campaign is made of."""
    campaign = db.get_one(CampaignRow, campaign_id)
    rules = rules_from_json(campaign.adjudication_rules)
    people = people_of(db, campaign_id)
    machines = frozenset(number for number, one in people.items() if one.machine and not rules.machines)
    answers = answers_by_topic(db, campaign_id)
    return QueueSource(campaign, rules, people, machines, answers, scale_from_json(campaign.scale))


def queue_table(db: Session, campaign_id: int) -> QueueTable:
    """The pairs of the queue as they are now; raises WorkbenchError for a grade outside the scale."""
    source = queue_source(db, campaign_id)
    decided: dict[str, dict[str, CurrentDecision]] = {}
    for one in current_decisions(db, campaign_id):
        decided.setdefault(one.topic, {})[one.docno] = one
    with_any = {topic for topic, one in source.answers.items() if source.spreads_of(one).docnos}
    with_any |= decided.keys()
    known = [topic for topic in topic_titles(db, campaign_id) if topic in with_any]
    names = (*known, *sorted_ids(with_any.difference(known)))
    answered = _answered(db, source) if decided else frozenset()
    parts = [_part(topic, source, decided.get(topic, {}), answered) for topic in names]
    sizes = [len(one.docnos) for one in parts]
    starts = np.cumsum([0, *sizes])
    return QueueTable(
        names,
        starts,
        np.repeat(np.arange(len(names)), sizes),
        [docno for one in parts for docno in one.docnos],
        _joined([one.places for one in parts], np.int64),
        _joined([one.distance for one in parts], np.int64),
        _joined([one.mean for one in parts], np.float64),
        _joined([one.crosses for one in parts], np.bool_),
        _joined([one.states for one in parts], np.int8),
        {
            start + row: one
            for start, part in zip(starts.tolist(), parts, strict=False)
            for row, one in part.decisions.items()
        },
        answered,
        source,
    )


def dispute_counts(db: Session, campaign_id: int) -> Mapping[State, int]:
    """How many pairs of the queue of disputes are in each state."""
    return queue_table(db, campaign_id).counts()


def _joined(parts: Sequence[NDArray[_Kind]], kind: type[_Kind]) -> NDArray[_Kind]:
    return np.concatenate(parts) if parts else np.empty(0, dtype=kind)


def _answered(db: Session, source: QueueSource) -> frozenset[int]:
    """The decisions that returned a pair which everybody asked has answered since, by their numbers."""
    back = current_adjudications(db, source.campaign.id, decision=Decision.BACK)
    if not back:
        return frozenset()
    discussed = answers_in_discussion(db, source.campaign.id)
    return frozenset(row.id for row in back if Replies.to(row, source.people, discussed).complete)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The pairs of one topic, as `QueueTable` has them."""

    docnos: Sequence[str]
    places: Numbers
    distance: Numbers
    mean: Floats
    crosses: NDArray[np.bool_]
    states: NDArray[np.int8]
    decisions: Mapping[int, CurrentDecision]


def _part(
    topic: str, source: QueueSource, decided: Mapping[str, CurrentDecision], answered: frozenset[int]
) -> _Part:
    answers = source.answers.get(topic) or no_answers(topic)
    spreads = source.spreads_of(answers)
    docnos, places, rows = spreads.docnos, spreads.disputed, spreads.rows
    if not decided.keys() <= rows.keys():
        # Decided, and not disputed any more: few, or none.
        docnos = tuple(sorted({*docnos, *decided}, key=id_bytes))
        place_of = {docno: place for place, docno in enumerate(answers.docnos)}
        places = np.array([place_of.get(docno, NOWHERE) for docno in docnos], dtype=np.int64)
        rows = {docno: row for row, docno in enumerate(docnos)}
    graded = _at(spreads.graded, places)
    states = np.zeros(len(docnos), dtype=np.int8)
    for docno, one in decided.items():
        agreed = docno not in spreads.rows and bool(graded[rows[docno]] > 1)
        states[rows[docno]] = STATES.index(_state(one, answered, agreed=agreed))
    return _Part(
        docnos,
        places,
        _at(spreads.distance, places),
        _at(spreads.mean, places),
        _at(spreads.crosses, places),
        states,
        {rows[docno]: one for docno, one in decided.items()},
    )


def _at(column: NDArray[_Kind], places: Numbers) -> NDArray[_Kind]:
    """The values at some places; 0 at NOWHERE, which is the last place."""
    return np.append(column, np.zeros(1, column.dtype))[places]


def _state(one: CurrentDecision, answered: frozenset[int], *, agreed: bool) -> State:
    """The state of a decided pair; a discussion that leaves fewer than two grades has settled nothing."""
    if one.decision == Decision.GRADE:
        return State.DECIDED
    if one.decision == Decision.UNCLEAR:
        return State.UNCLEAR
    if agreed:
        return State.SETTLED
    return State.OPEN if one.id in answered else State.BACK
