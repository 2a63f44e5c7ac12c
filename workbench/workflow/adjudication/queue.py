"""The queue of disputed pairs as pages, commands and files show it: its lines, their states, their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import NotRequired

from typing_extensions import TypedDict

from workbench.consensus.disputes import Spread
from workbench.consensus.votes import Pair
from workbench.frozen import filled, frozen_dataclass
from workbench.records import Judgment, Scale
from workbench.scoring.influence import Influence
from workbench.tables import Export
from workbench.workflow.adjudication.decisions import Decided
from workbench.workflow.adjudication.rules import AdjudicationRules


class DisputedAnswer(TypedDict):
    """One assessor's answer to a disputed pair; without `assessor` where names are hidden."""

    answer: str
    grade: int | None
    assessor: NotRequired[str]


class InfluenceJson(TypedDict):
    """The largest effect of a pair on the runs' means, one of its grades against another.

    `swaps` of two runs (1/2 where one grade ties them), the mean difference `uneven` of the change between
    two runs, and the sum `shift` of the changes.
    """

    swaps: float
    uneven: float
    shift: float


class DecidedJson(TypedDict):
    """What was decided: `grade`, `back` to its assessors, or `unclear` for an unclear topic."""

    decision: str
    grade: int | None
    reason: str
    by: str
    at: str


class DisputeJson(TypedDict):
    """A disputed pair: its answers and how far they lie apart, its state, and what was decided."""

    topic: str
    doc: str
    state: str
    answers: list[DisputedAnswer]
    distance: int
    mean_distance: float
    crosses_line: bool
    discussed: bool
    answers_changed_since: bool
    influence: InfluenceJson | None
    decided: DecidedJson | None


class QueueRules(TypedDict):
    """What counted as disputed."""

    difference: str
    steps: int
    beside_grades: bool
    machines: bool
    names_hidden: bool
    measure: str


class DisputesJson(TypedDict):
    """The disputed pairs in the order asked for, and how many there are in each state."""

    disputed: int
    done: int
    counts: dict[str, int]
    rules: QueueRules
    order: str
    pairs: list[DisputeJson]


class DisputeRulesJson(QueueRules):
    """What counts as disputed, whose judgments count, and how disputes are shown and discussed.

    `difference` is any, line (relevant or not) or distance, which is `steps` grades. `measure` is the one by
    which the influence of a pair on the ranking is computed.
    """

    blind_discussion: bool
    reasons_required: bool


class State(StrEnum):
    """The state of a disputed pair."""

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
    State.BACK: "returned to the assessors",
    State.UNCLEAR: "statement unclear",
    State.DECIDED: "decided",
    State.SETTLED: "settled by discussion",
}


class Order(StrEnum):
    """The order in which disputed pairs are decided."""

    INFLUENCE = "influence"
    TOPIC = "topic"
    DISTANCE = "distance"

    @property
    def label(self) -> str:
        """The order in words."""
        return ORDERS[self]


ORDERS = {
    Order.INFLUENCE: "largest influence on the ranking first",
    Order.TOPIC: "by topic",
    Order.DISTANCE: "largest difference first",
}


@frozen_dataclass
class QueueLine:
    """One pair of the queue: its judgments, its state, and what was decided.

    `changed` says that assessors have changed their answers since the adjudicator saw them, `discussed` that
    everybody asked has answered in a discussion. `influence` is None where it was not computed.
    """

    topic: str
    docno: str
    judgments: tuple[Judgment, ...]
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
    def ungiven(self) -> bool:
        """Whether the decision is a grade that no assessor gives."""
        grade = None if self.decided is None else self.decided.grade
        return grade is not None and grade not in {one.grade for one in self.judgments}

    @property
    def open(self) -> bool:
        """Whether an adjudicator is to decide it."""
        return self.state is State.OPEN

    @property
    def done(self) -> bool:
        """Whether it is settled."""
        return self.state in {State.DECIDED, State.SETTLED}

    @property
    def answers(self) -> tuple[Judgment, ...]:
        """The judgments in an order that hides whose they are: grades ascending, then the others."""
        return tuple(
            sorted(self.judgments, key=lambda one: (one.grade is None, one.grade or 0, str(one.answer)))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueSummary:
    """The order of the disputed pairs, and the number in each state and topic, all topics together."""

    scale: Scale
    rules: AdjudicationRules
    order: Order
    counts: Mapping[State, int]
    topics: tuple[tuple[str, int], ...]

    @property
    def total(self) -> int:
        """How many pairs are, or were, disputed."""
        return sum(self.counts.values())

    @property
    def done(self) -> int:
        """How many of them are settled."""
        return self.counts[State.DECIDED] + self.counts[State.SETTLED]


COLUMNS = (
    "topic", "doc", "state", "answers", "distance", "mean_distance", "crosses_line", "swaps", "uneven",
    "shift", "decision", "grade", "reason", "decided_by", "decided_at", "answers_changed_since",
)  # fmt: skip


def queue_export(found: QueueSummary, lines: Iterable[QueueLine], *, names: bool) -> Export:
    """These lines of a queue as a table, and with the counts and the settings as data.

    Without `names` nothing says whose answer is which.
    """
    data = partial(queue_json, found, lines, names=names)
    return Export(COLUMNS, partial(_rows, lines, names=names), data)


def _rows(lines: Iterable[QueueLine], *, names: bool) -> Iterator[tuple[object, ...]]:
    """One row a pair, as COLUMNS; None is an empty cell."""
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


def queue_json(found: QueueSummary, lines: Iterable[QueueLine], *, names: bool) -> DisputesJson:
    """The counts, the settings and these lines of a queue as plain data; `names` as in `queue_export`."""
    return {
        "disputed": found.total,
        "done": found.done,
        "counts": {str(state): found.counts[state] for state in State},
        "rules": filled(QueueRules, found.rules),
        "order": str(found.order),
        "pairs": [_line_json(line, names=names) for line in lines],
    }


def _line_json(line: QueueLine, *, names: bool) -> DisputeJson:
    moved, decided = line.influence, line.decided
    judgments = line.judgments if names else line.answers
    return {
        "topic": line.topic,
        "doc": line.docno,
        "state": str(line.state),
        "answers": [_answer_json(one, names=names) for one in judgments],
        "distance": line.spread.distance,
        "mean_distance": line.spread.mean,
        "crosses_line": line.spread.crosses,
        "discussed": line.discussed,
        "answers_changed_since": line.changed,
        "influence": None if moved is None else filled(InfluenceJson, moved),
        "decided": None
        if decided is None
        else filled(DecidedJson, decided, at=decided.at.isoformat(timespec="seconds")),
    }


def _answer_json(one: Judgment, *, names: bool) -> DisputedAnswer:
    answer: DisputedAnswer = {"answer": str(one.answer), "grade": one.grade}
    if names:
        answer["assessor"] = one.assessor
    return answer


def _answers(line: QueueLine, *, names: bool) -> Iterator[str]:
    for one in line.judgments if names else line.answers:
        yield f"{one.assessor}: {_word(one)}" if names else _word(one)


def _word(one: Judgment) -> str:
    return str(one.answer) if one.grade is None else str(one.grade)
