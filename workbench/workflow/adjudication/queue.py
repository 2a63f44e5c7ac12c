"""The queue of disputed pairs as pages, commands and files show it: its lines, their states, their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from workbench.consensus.disputes import Spread
from workbench.consensus.rule import Pair
from workbench.records import Judgment, Scale
from workbench.scoring.influence import Influence
from workbench.workflow.adjudication.decisions import Decided
from workbench.workflow.adjudication.rules import AdjudicationRules


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


COLUMNS = (
    "topic", "doc", "state", "answers", "distance", "mean_distance", "crosses_line", "swaps", "uneven",
    "shift", "decision", "grade", "reason", "decided_by", "decided_at", "answers_changed_since",
)  # fmt: skip


def dispute_rows(lines: Iterable[QueueLine], *, names: bool) -> Iterator[tuple[object, ...]]:
    """One row a pair, as COLUMNS; None is an empty cell. Without `names` nothing says who said what."""
    for line in lines:
        moved, decided = line.influence, line.decided
        yield (
            line.topic,
            line.docno,
            str(line.state),
            "; ".join(_answers(line, names=names)),
            line.spread.distance,
            line.spread.mean,
            "yes" if line.spread.crosses else "no",
            moved.swaps if moved else None,
            moved.uneven if moved else None,
            moved.shift if moved else None,
            str(decided.decision) if decided else None,
            decided.grade if decided else None,
            decided.reason if decided else None,
            decided.by if decided else None,
            decided.at.isoformat(timespec="seconds") if decided else None,
            "yes" if line.changed else "no",
        )


def queue_json(found: Queue, lines: Iterable[QueueLine], *, names: bool) -> dict[str, Any]:
    """The counts, the settings and these lines of a queue as one JSON object."""
    rules = found.rules
    return {
        "disputed": found.total,
        "done": found.done,
        "counts": {str(state): found.counts[state] for state in State},
        "rules": {
            "difference": str(rules.difference),
            "steps": rules.steps,
            "beside_grades": rules.beside_grades,
            "machines": rules.machines,
            "names_hidden": rules.names_hidden,
            "measure": rules.measure,
        },
        "order": str(found.order),
        "pairs": [_line_json(line, names=names) for line in lines],
    }


def _line_json(line: QueueLine, *, names: bool) -> dict[str, Any]:
    moved, decided = line.influence, line.decided
    said = line.said if names else line.answers
    return {
        "topic": line.topic,
        "doc": line.docno,
        "state": str(line.state),
        "answers": [
            {"answer": str(one.answer), "grade": one.grade} | ({"assessor": one.assessor} if names else {})
            for one in said
        ],
        "distance": line.spread.distance,
        "mean_distance": line.spread.mean,
        "crosses_line": line.spread.crosses,
        "discussed": line.discussed,
        "answers_changed_since": line.changed,
        "influence": moved and {"swaps": moved.swaps, "uneven": moved.uneven, "shift": moved.shift},
        "decided": decided
        and {
            "decision": str(decided.decision),
            "grade": decided.grade,
            "reason": decided.reason,
            "by": decided.by,
            "at": decided.at.isoformat(timespec="seconds"),
        },
    }


def _answers(line: QueueLine, *, names: bool) -> Iterator[str]:
    for one in line.said if names else line.answers:
        yield f"{one.assessor}: {_word(one)}" if names else _word(one)


def _word(one: Judgment) -> str:
    return str(one.answer) if one.grade is None else str(one.grade)
