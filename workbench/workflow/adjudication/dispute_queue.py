"""The queue of an adjudicator as pages and commands see it: its lines, their states, and their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from workbench.consensus.disputes import Pair, Spread
from workbench.records import Judgment, Scale
from workbench.scoring.influence import Influence
from workbench.workflow.adjudication.adjudication_rules import AdjudicationRules
from workbench.workflow.adjudication.decisions import Decided


class State(StrEnum):
    """Where a disputed pair stands."""

    OPEN = "open"
    BACK = "back"
    UNCLEAR = "unclear"
    DECIDED = "decided"
    SETTLED = "settled"

    @property
    def label(self) -> str:
        """The state in words."""
        return STATES[self]


STATES = {
    State.OPEN: "to decide",
    State.BACK: "back with the assessors",
    State.UNCLEAR: "statement unclear",
    State.DECIDED: "decided",
    State.SETTLED: "settled by discussion",
}


class Order(StrEnum):
    """In which order disputed pairs are decided."""

    INFLUENCE = "influence"
    TOPIC = "topic"
    DISTANCE = "distance"

    @property
    def label(self) -> str:
        """The order in words."""
        return ORDERS[self]


ORDERS = {
    Order.INFLUENCE: "most influence on the ranking of runs first",
    Order.TOPIC: "topic by topic",
    Order.DISTANCE: "farthest apart first",
}


@dataclass(frozen=True, slots=True)
class QueueLine:
    """One pair of the queue: what was said, where it stands, and what was decided.

    `changed` says that assessors answer otherwise than what lay before the adjudicator who decided.
    `discussed` that everybody asked has answered in a discussion. `influence` is None where it was not
    reckoned.
    """

    topic: str
    docno: str
    title: str
    said: tuple[Judgment, ...]
    spread: Spread
    state: State
    decided: Decided | None
    changed: bool
    discussed: bool
    influence: Influence | None

    @property
    def pair(self) -> Pair:
        """The topic and the docno."""
        return self.topic, self.docno

    @property
    def open(self) -> bool:
        """Whether an adjudicator is to decide it."""
        return self.state is State.OPEN

    @property
    def done(self) -> bool:
        """Whether it needs nobody any more."""
        return self.state in {State.DECIDED, State.SETTLED}

    @property
    def answers(self) -> tuple[Judgment, ...]:
        """What was said without its order saying by whom: grades ascending, then what is no grade."""
        return tuple(sorted(self.said, key=lambda one: (one.grade is None, one.grade or 0, str(one.answer))))


@dataclass(frozen=True, slots=True)
class Queue:
    """The disputed pairs in an order, and how many stand where, all topics and states together."""

    scale: Scale
    rules: AdjudicationRules
    order: Order
    lines: tuple[QueueLine, ...]
    counts: Mapping[State, int]
    topics: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """How many pairs are, or were, disputed."""
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        """How many of them need nobody any more."""
        return self.counts[State.DECIDED] + self.counts[State.SETTLED]

    def filtered(self, *, topic: str | None = None, state: State | None = None) -> tuple[QueueLine, ...]:
        """The lines of one topic, in one state, in the same order."""
        return tuple(
            line
            for line in self.lines
            if (topic is None or line.topic == topic) and (state is None or line.state is state)
        )


def next_open(lines: Sequence[QueueLine], after: Pair | None) -> QueueLine | None:
    """The first line to decide behind a pair, and from the beginning where there is none behind it."""
    pairs = [line.pair for line in lines]
    start = pairs.index(after) + 1 if after in pairs else 0
    for line in (*lines[start:], *lines[:start]):
        if line.state is State.OPEN and line.pair != after:
            return line
    return None
