"""The pairs of the queue of disputes as arrays, of which pages make the lines that they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.consensus.rule import Pair
from workbench.consensus.spreads import Flags, Numbers, Spreads, spreads_of
from workbench.records import Scale, id_bytes
from workbench.storage.adjudications import CurrentDecision, current_adjudications, current_decisions
from workbench.storage.tables import CampaignRow
from workbench.workflow.adjudication.decisions import Decision
from workbench.workflow.adjudication.discussions import Replies, answers_in_discussion
from workbench.workflow.adjudication.opinions import Person, people_of
from workbench.workflow.adjudication.queue import Order, State
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.log import Columns, answers_by_topic, columns_of

Floats = NDArray[np.float64]
STATES = tuple(State)
NOWHERE = -1


@dataclass(frozen=True, slots=True, eq=False)
class QueueSource:
    """What the queue is made of: the campaign's settings, its people, their answers, and their spreads.

    Machines are among the people, and their answers only where these count.
    """

    campaign: CampaignRow
    rules: AdjudicationRules
    people: Mapping[int, Person]
    answers: Columns
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
    # Who has answered has withdrawn it since: few, or none.
    unanswered = [pair for pair, place in places.items() if place is None]
    of_pair = np.repeat(np.arange(len(answers.topics)), np.diff(answers.starts))
    numbers = np.flatnonzero(shown)
    named = [answers.topics[topic] for topic in of_pair[numbers].tolist()]
    rows = [
        *zip(named, [answers.docnos[number] for number in numbers.tolist()], numbers.tolist(), strict=True),
        *((topic, id_bytes(docno), NOWHERE) for topic, docno in unanswered),
    ]
    rank = {topic: at for at, topic in enumerate(topic_titles(db, campaign_id))}
    rows.sort(key=lambda row: (rank.get(row[0], len(rank)), id_bytes(row[0]), row[1]))
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
