"""A learner and stopping rules tried on judged collections: what they would have found, and at what cost."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import asdict, astuple, field
from html import escape
from operator import attrgetter

import numpy as np
from scipy.sparse import csr_array
from scipy.special import stdtrit

from workbench.errors import WorkbenchError
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.learning.effort import WORK_SAVED, WorkSaved, effort_at, recall_at
from workbench.learning.learners import BMI, Learner, learner_named
from workbench.learning.missed import share_bounds
from workbench.learning.review import read_in_rounds
from workbench.learning.stopping import (
    RandomOrder,
    ReviewTrace,
    StoppingGoal,
    StopPoint,
    stopping_rule_named,
)
from workbench.learning.vectors import Bools, Numbers, Vectors, topic_text
from workbench.records import Qrel, Topic, id_bytes
from workbench.tables import Export, Table, result_export

RECALLS = (0.8, 0.9, 0.95)
MULTIPLES = (1, 2, 4)
SAVED_AT = 0.95
FEWEST_TOPICS = 5
"""Of fewer there is no interval of a mean, as of scores."""
_DRAWN = 5  # what a draw is for; learners and reviews have others
_PLACES = 100


@frozen_dataclass
class SimulationOptions:
    """What is simulated: learner and rules by name, the goal of the rules, `repeats` seeds from `seed` on.

    Raises WorkbenchError for an unknown learner or rule and for fewer than one repeat.
    """

    learner: str = BMI.name
    rules: tuple[str, ...] = ()
    goal: StoppingGoal = field(default_factory=StoppingGoal)
    seed: int = 0
    repeats: int = 1

    def __post_init__(self) -> None:
        learner_named(self.learner)
        for name in self.rules:
            stopping_rule_named(name)
        if self.repeats < 1:
            raise WorkbenchError("nothing is simulated without a seed", remedy="give 1 repeat or more")


@frozen_dataclass
class JudgedTopic:
    """A topic of a judged collection: its text as a row, and which documents are relevant (documents,)."""

    topic: str
    vector: csr_array
    relevant: Bools


@frozen_dataclass
class SimulatedReview:
    """One topic read with one seed: places (from 1) of its relevant documents, and where rules stopped."""

    topic: str
    seed: int
    relevant: int
    ranks: Numbers
    stops: Mapping[str, StopPoint]


def _at_multiple(multiple: int) -> str:
    """What recall after reading so many times R documents is called; R is how many are relevant."""
    return f"recall@{multiple if multiple > 1 else ''}R"


@frozen_dataclass
class SimulatedMean:
    """A mean over topics, each the mean of its seeds; its 95 % interval, and the range of the seeds' means.

    The interval is over topics, by Student's t; `low` and `high` are None for fewer than FEWEST_TOPICS.
    """

    measure: str
    value: float
    low: float | None
    high: float | None
    seeds_low: float
    seeds_high: float


@frozen_dataclass
class SimulatedRule:
    """A rule over all topics and seeds: means where it stopped, and how often recall reached `goal`.

    What never stopped counts as read to the end. `reached` of `reviews` had at least the goal's recall, with
    Clopper and Pearson's interval.
    """

    rule: str
    recall: SimulatedMean
    read: SimulatedMean
    stopped: int
    reached: int
    reviews: int
    reached_low: float
    reached_high: float


@frozen_dataclass
class LearnerSimulation:
    """All reviews that were simulated, in the order of seeds and topics, and what they come to."""

    options: SimulationOptions
    collection: int
    reviews: tuple[SimulatedReview, ...]

    @property
    def topics(self) -> int:
        """How many topics were read."""
        return len({one.topic for one in self.reviews})

    def measures(self) -> tuple[SimulatedMean, ...]:
        """Recall at R, 2R, 4R, documents read for each recall, and work saved by each definition."""
        return (
            *(self._recall_at(multiple) for multiple in MULTIPLES),
            *(self._effort_at(recall) for recall in RECALLS),
            *map(self._saved, WORK_SAVED.values()),
        )

    def rules(self) -> tuple[SimulatedRule, ...]:
        """Each rule's recall and reading, in the order in which the rules were named."""
        return tuple(map(self._rule, self.options.rules))

    def curve(self) -> tuple[tuple[int, float, float, float], ...]:
        """Documents read, and recall there: mean, first and third quartile over topics and seeds."""
        steps = np.unique(np.round(np.linspace(0, self.collection, _PLACES + 1)).astype(np.int64))
        recalls = np.array(
            [np.searchsorted(one.ranks, steps, side="right") / one.relevant for one in self.reviews]
        )
        low, high = np.quantile(recalls, (0.25, 0.75), axis=0)
        return tuple(
            zip(steps.tolist(), recalls.mean(axis=0).tolist(), low.tolist(), high.tolist(), strict=True)
        )

    def mean(
        self, name: str, measure: Callable[[SimulatedReview], float], *, least: float = 0, most: float
    ) -> SimulatedMean:
        """The mean of a measure over topics; its interval has no values that the measure cannot have."""
        values = np.array([measure(one) for one in self.reviews]).reshape(self.options.repeats, -1)
        by_topic, by_seed = values.mean(axis=0), values.mean(axis=1)
        low = high = None
        value, n = float(by_topic.mean()), len(by_topic)
        if n >= FEWEST_TOPICS:
            reach = float(stdtrit(n - 1, 0.975) * by_topic.std(ddof=1) / np.sqrt(n))
            low, high = max(value - reach, least), min(value + reach, most)
        return SimulatedMean(name, value, low, high, float(by_seed.min()), float(by_seed.max()))

    def recall_of(self, review: SimulatedReview, rule: str) -> float:
        """The recall at a rule's stop; 1 where it read everything."""
        found = review.stops[rule].found
        return 1.0 if found is None else found / review.relevant

    def read_of(self, review: SimulatedReview, rule: str) -> int:
        """Documents read at a rule's stop; all where it never stopped."""
        read = review.stops[rule].read
        return self.collection if read is None else read

    def _recall_at(self, multiple: int) -> SimulatedMean:
        return self.mean(
            _at_multiple(multiple), lambda one: recall_at(one.ranks, one.relevant, multiple), most=1.0
        )

    def _effort_at(self, recall: float) -> SimulatedMean:
        name = f"effort@{recall:g}"
        return self.mean(name, lambda one: effort_at(one.ranks, one.relevant, recall), most=self.collection)

    def _saved(self, saved: WorkSaved) -> SimulatedMean:
        name = f"work-saved@{SAVED_AT:g} ({saved.name})"
        # Negative where more had to be read than documents drawn at random.
        return self.mean(
            name, lambda one: saved.compute(one.ranks, self.collection, SAVED_AT), least=-1.0, most=1.0
        )

    def _rule(self, name: str) -> SimulatedRule:
        goal = self.options.goal.recall
        reached = sum(self.recall_of(one, name) >= goal - 1e-12 for one in self.reviews)
        return SimulatedRule(
            name,
            self.mean("recall", lambda one: self.recall_of(one, name), most=1.0),
            self.mean("read", lambda one: self.read_of(one, name), most=self.collection),
            sum(one.stops[name].read is not None for one in self.reviews),
            reached,
            len(self.reviews),
            *share_bounds(reached, len(self.reviews), confidence=0.95),
        )


def judged_topics(
    vectors: Vectors,
    topics: Iterable[Topic],
    qrels: Iterable[Qrel],
    *,
    relevant_from: int = 1,
    fewest: int = 1,
) -> tuple[JudgedTopic, ...]:
    """The topics with at least `fewest` relevant documents in the collection, in their order.

    Raises WorkbenchError where there is none.
    """
    places: dict[str, set[int]] = {}
    for line in qrels:
        if line.grade >= relevant_from and line.docno in vectors.places:
            places.setdefault(line.topic, set()).add(vectors.places[line.docno])
    chosen = []
    for topic in topics:
        rows = places.get(topic.id, set())
        if len(rows) >= max(fewest, 1):
            relevant = np.zeros(len(vectors), dtype=np.bool_)
            relevant[list(rows)] = True
            chosen.append(JudgedTopic(topic.id, vectors.vector(topic_text(topic)), relevant))
    if not chosen:
        raise WorkbenchError(
            f"no topic has {counted(max(fewest, 1), 'relevant document')} in the collection",
            remedy="check that the documents, qrels and topics are of one collection",
        )
    return tuple(chosen)


def simulate(
    vectors: Vectors,
    topics: Collection[JudgedTopic],
    options: SimulationOptions,
    *,
    progress: Callable[[list[tuple[int, JudgedTopic]]], Iterable[tuple[int, JudgedTopic]]] = iter,
) -> LearnerSimulation:
    """Read every topic with every seed, by the judgments; the same inputs and seed give the same result.

    Documents without a judgment count as not relevant. Without rules a review ends when everything is found.
    """
    work = [(options.seed + more, topic) for more in range(options.repeats) for topic in topics]
    reviews = tuple(_review(vectors, topic, options, seed) for seed, topic in progress(work))
    return LearnerSimulation(options, len(vectors), reviews)


def _review(vectors: Vectors, topic: JudgedTopic, options: SimulationOptions, seed: int) -> SimulatedReview:
    learner = learner_named(options.learner)
    trace, _ = read_judged_topic(vectors, topic, learner, seed=seed, whole=bool(options.rules))
    stops = {name: stopping_rule_named(name).stop(trace, options.goal) for name in options.rules}
    ranks = np.flatnonzero(trace.relevant) + 1
    return SimulatedReview(topic.topic, seed, int(topic.relevant.sum()), ranks, stops)


def read_judged_topic(
    vectors: Vectors, topic: JudgedTopic, learner: Learner, *, seed: int, whole: bool
) -> tuple[ReviewTrace, Numbers]:
    """A topic read to the end, or until everything is found: the trace, and the rows as they were read."""
    documents: list[Numbers] = []
    ends: list[int] = []
    read = np.zeros(len(vectors), dtype=np.bool_)
    for rows in read_in_rounds(vectors, topic.vector, topic.relevant, learner, seed=seed):
        documents.append(rows)
        read[rows] = True
        ends.append(int(read.sum()))
        if not whole and not (topic.relevant & ~read).any():
            break
    order = np.concatenate(documents)
    drawn = _random_order(topic, order, seed) if whole else None
    return ReviewTrace(len(vectors), topic.relevant[order], np.array(ends), drawn), order


def _random_order(topic: JudgedTopic, order: Numbers, seed: int) -> RandomOrder:
    # Of the topic as well as of the seed: one sample for all topics would make them one experiment.
    key = (seed, _DRAWN, *id_bytes(topic.topic))
    drawn = np.random.default_rng(key).permutation(len(topic.relevant))
    return RandomOrder(topic.relevant[drawn], ranks_in(order, len(topic.relevant))[drawn])


def ranks_in(order: Numbers, documents: int) -> Numbers:
    """The place from 1 of each document in an order of rows, 0 where it is not in it; shape (documents,)."""
    ranks = np.zeros(documents, dtype=np.intp)
    ranks[order] = np.arange(1, len(order) + 1)
    return ranks


def simulation_export(found: LearnerSimulation, part: str) -> Export:
    """One table for CSV, and all of it for JSON."""
    return result_export(found, SIMULATION_PARTS[part](found), _data)


def _measures(found: LearnerSimulation) -> Table:
    """Means over topics with their interval, and the range of the seeds."""
    columns = ("measure", "value", "low", "high", "seeds_low", "seeds_high", "topics", "seeds")
    counts = (found.topics, found.options.repeats)
    return columns, [(*astuple(one), *counts) for one in found.measures()]


def _rules(found: LearnerSimulation) -> Table:
    """Where the rules stopped, and how often recall was what it should be."""
    columns = ("rule", "recall", "recall_low", "recall_high", "read", "read_low", "read_high")
    more = ("stopped", "reached", "reached_low", "reached_high", "reviews")
    means = ("recall.value", "recall.low", "recall.high", "read.value", "read.low", "read.high")
    return (*columns, *more), list(map(attrgetter("rule", *means, *more), found.rules()))


def _topics(found: LearnerSimulation) -> Table:
    """Every topic with every seed."""
    rules = found.options.rules
    columns = ("topic", "seed", "relevant", *map(_at_multiple, MULTIPLES))
    efforts = tuple(f"effort@{recall:g}" for recall in RECALLS)
    return (*columns, *efforts, *(f"{rule}_{what}" for rule in rules for what in ("read", "recall"))), [
        (
            *(one.topic, one.seed, one.relevant),
            *(recall_at(one.ranks, one.relevant, multiple) for multiple in MULTIPLES),
            *(effort_at(one.ranks, one.relevant, recall) for recall in RECALLS),
            *(cell for rule in rules for cell in (found.read_of(one, rule), found.recall_of(one, rule))),
        )
        for one in found.reviews
    ]


def _curve_table(found: LearnerSimulation) -> Table:
    """Recall by documents read: mean and quartiles over topics and seeds."""
    return ("read", "recall", "quartile_1", "quartile_3"), found.curve()


SIMULATION_PARTS: Mapping[str, Callable[[LearnerSimulation], Table]] = {
    "measures": _measures,
    "rules": _rules,
    "topics": _topics,
    "curve": _curve_table,
}
"""The tables by name: columns and rows."""


def _data(found: LearnerSimulation) -> dict[str, object]:
    return {
        "options": asdict(found.options),
        "collection": found.collection,
        "topics": found.topics,
        "work_saved": {one.name: one.definition for one in WORK_SAVED.values()},
        "measures": [asdict(one) for one in found.measures()],
        "rules": [asdict(one) for one in found.rules()],
        "curve": _records(_curve_table(found)),
        "reviews": [
            row | {"stops": {rule: asdict(stop) for rule, stop in one.stops.items()}}
            for row, one in zip(_records(_topics(found)), found.reviews, strict=True)
        ],
    }


def _records(table: Table) -> list[dict[str, object]]:
    columns, rows = table
    return [dict(zip(columns, row, strict=True)) for row in rows]


_WIDTH, _HEIGHT = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 32, 72, 56
_INK, _FAINT, _LINE, _MARK = "#1f2933", "#d5dae0", "#1f5fa8", "#b3401a"
_KEY = "Line: mean; band: middle half of the topics; numbered marks: mean stop of a rule"
_NUMBER_HEIGHT, _NUMBER_WIDTH, _LEGEND_HEIGHT = 14, 16, 17


def simulation_svg(found: LearnerSimulation) -> str:
    """The mean recall with its quartiles over topics, and each rule's mean stop; a file that stands alone."""
    name = escape(found.options.learner)
    seeds = counted(found.options.repeats, "seed")
    many = f"{counted(found.topics, 'topic')}, {seeds}, {counted(found.collection, 'document')}"
    title = f"Recall by documents read: {name} ({many})"
    return "\n".join(
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
            f'font-family="sans-serif" font-size="12" fill="{_INK}">',
            f"<title>{title}</title>",
            f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
            f'<text x="{_LEFT}" y="22" font-size="14">{title}</text>',
            f'<text x="{_LEFT}" y="38">{_KEY}</text>',
            *_axes(found.collection),
            *_curve(found),
            *_marks(found),
            "</svg>\n",
        )
    )


def _across(read: float, collection: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * read / collection


def _down(recall: float) -> float:
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * recall


def _axes(collection: int) -> Iterator[str]:
    for tenths in range(0, 11, 2):
        y, x = _down(tenths / 10), _across(collection * tenths / 10, collection)
        yield f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_FAINT}"/>'
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tenths / 10:.1f}</text>'
        read = round(collection * tenths / 10)
        yield f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="middle">{read:,}</text>'
    yield f'<text x="{_LEFT - 40}" y="{_TOP - 14}">Recall</text>'
    yield f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 14}" text-anchor="end">Documents read</text>'


def _curve(found: LearnerSimulation) -> Iterator[str]:
    points = found.curve()
    forth = [(read, high) for read, _, _, high in points]
    back = [(read, low) for read, _, low, _ in reversed(points)]
    band = _points([*forth, *back], found.collection)
    yield f'<polygon points="{band}" fill="{_LINE}" fill-opacity="0.15"/>'
    line = _points([(read, mean) for read, mean, _, _ in points], found.collection)
    yield f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2"/>'


def _points(places: Iterable[tuple[float, float]], collection: int) -> str:
    return " ".join(f"{_across(read, collection):.1f},{_down(recall):.1f}" for read, recall in places)


def _marks(found: LearnerSimulation) -> Iterator[str]:
    """A numbered dot for each rule, and below the curve what the numbers mean; no number covers another."""
    stops = sorted((one.read.value, one.recall.value, one.rule) for one in found.rules())
    numbers: list[tuple[float, float]] = []
    top = _down(0) - 12 - _LEGEND_HEIGHT * (len(stops) - 1)
    for number, (read, recall, rule) in enumerate(stops, start=1):
        x, y = _across(read, found.collection), _down(recall)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{_MARK}"/>'
        below = y + 18
        while any(abs(x - at) < _NUMBER_WIDTH and abs(below - line) < _NUMBER_HEIGHT for at, line in numbers):
            below += _NUMBER_HEIGHT
        numbers.append((x, below))
        yield f'<text x="{x:.1f}" y="{below:.1f}" text-anchor="middle">{number}</text>'
        label = f"{number}  {escape(rule)}: recall {recall:.2f}, {read:,.0f} documents read"
        yield f'<text x="{_WIDTH / 2}" y="{top + _LEGEND_HEIGHT * (number - 1):.1f}">{label}</text>'
