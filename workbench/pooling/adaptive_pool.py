"""An adaptive pool at work: hands out documents, and takes the answers to them.

A `Chooser` for each topic chooses what is handed out next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from workbench.errors import Conflict, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.planning import size_of_adaptive
from workbench.pooling.pool import Floats, Gathered, Pair, Places, Pool, TopicCandidates, gather
from workbench.pooling.strategy import BUDGET, DEPTH_READ, Parameter, Strategy, to_its_depth
from workbench.records import PoolEntry, Run, TieRule, places_of

Free = NDArray[np.bool_]
"""For each document of the topic whether it can still be handed out."""


class Chooser(Protocol):
    """Chooses the next document of one topic; documents are places in the topic's sorted docnos.

    Whatever it is told is kept apart: what was learned from judgments can be forgotten and told again, in
    order, when an assessor changes an answer, while what was handed out stays handed out. To those to which
    only judgments matter it is all one what was handed out, or has come back.
    """

    def choose(self, free: Free) -> int | None:
        """The free document to hand out next, None if there is none; changes nothing."""

    def took(self, document: int, free: Free) -> None:
        """A document, still free in `free`, is handed out."""
        return

    def returned(self, document: int) -> None:
        """A document that was handed out has come back without an answer."""
        return

    def learn(self, document: int, relevant: bool) -> None:
        """A document was judged; each is told once until `forget`."""

    def forget(self) -> None:
        """Nothing has been judged: the judgments will be told again."""


class Retrieved:
    """All (document, run, rank) of a topic as three arrays, sorted by document, then run.

    Runs are places in the topic's lists.
    """

    def __init__(self, topic: TopicCandidates) -> None:
        lists = topic.lists
        documents = np.concatenate([ranked.documents for ranked in lists])
        runs = np.repeat(np.arange(len(lists)), [len(ranked.documents) for ranked in lists])
        ranks = np.concatenate([ranked.ranks for ranked in lists])
        # The runs ascend already, and a stable sort leaves them so within a document.
        order = np.argsort(documents, kind="stable")
        self.documents: Places = documents[order]
        self.runs: Places = runs[order]
        self.ranks: Floats = ranks[order]
        self._starts = np.searchsorted(self.documents, np.arange(len(topic.docnos) + 1))

    def of(self, document: int) -> slice:
        """The place of a document in the arrays."""
        return slice(int(self._starts[document]), int(self._starts[document + 1]))

    def summed(self, weights: Floats) -> Floats:
        """The sum for every document of the weights given to each (document, run, rank)."""
        return np.bincount(self.documents, weights=weights, minlength=len(self._starts) - 1).astype(
            np.float64
        )


class Happening(StrEnum):
    """The kinds of events."""

    HANDED_OUT = "handed_out"
    GIVEN_BACK = "given_back"
    JUDGED = "judged"


@frozen_dataclass
class PoolEvent:
    """Something that happened to a pair.

    `relevant` is for JUDGED only: None is an answer that is no grade (unsure, cannot judge).
    """

    happening: Happening
    topic: str
    docno: str
    relevant: bool | None = None


class LiveTopic:
    """A topic's documents and what has happened to them; they are places in its sorted docnos."""

    def __init__(self, topic: TopicCandidates, chooser: Chooser, budget: int) -> None:
        self._topic = topic
        self._chooser = chooser
        self._left = budget
        self._places = places_of(topic.docnos)
        self._free = np.ones(len(topic.docnos), dtype=np.bool_)
        self._handed_out: set[int] = set()
        # In the order of the first answers; a later answer keeps its place.
        self._answers: dict[int, bool | None] = {}

    def __contains__(self, docno: str) -> bool:
        return docno in self._places

    def next(self) -> str | None:
        """The docno that comes next, None where the budget or the documents are used up."""
        place = self._chooser.choose(self._free) if self._left else None
        return None if place is None else self._topic.docnos[place]

    @property
    def left(self) -> int:
        """How many documents can still be handed out."""
        return min(self._left, int(self._free.sum()))

    def entry(self, docno: str) -> PoolEntry:
        """The entry of a document; raises KeyError for one that no run has."""
        return self._topic.entries([self._places[docno]])[0]

    def record(self, event: PoolEvent) -> None:
        """Take an event; see `Adaptive.record`."""
        place = self._places.get(event.docno)
        if event.happening is Happening.JUDGED:
            if place is not None:
                self._judged(place, event.relevant)
        elif event.happening is Happening.HANDED_OUT:
            self._hand_out(place, event.docno)
        else:
            self._give_back(place, event.docno)

    def entries(self) -> tuple[PoolEntry, ...]:
        """The entries of what was handed out."""
        return self._topic.entries(self._handed_out)

    def _hand_out(self, place: int | None, docno: str) -> None:
        if place is None or not self._free[place]:
            raise Conflict(
                f"{docno} cannot be handed out for topic {self._topic.topic}",
                remedy="it is out or judged already, or no run has it",
            )
        self._chooser.took(place, self._free)
        self._free[place] = False
        self._handed_out.add(place)
        self._left -= 1

    def _give_back(self, place: int | None, docno: str) -> None:
        if place not in self._handed_out or self._answers.get(place) is not None:
            raise Conflict(f"{docno} is not out for topic {self._topic.topic}", remedy="nothing to do")
        # An answer that was no grade, such as a withdrawn one, goes with it; nothing was learned from it.
        self._answers.pop(place, None)
        self._handed_out.remove(place)
        self._free[place] = True
        self._left += 1
        self._chooser.returned(place)

    def _judged(self, place: int, relevant: bool | None) -> None:
        known = place in self._answers
        before = self._answers.get(place)
        self._answers[place] = relevant
        self._free[place] = False
        if known and before is not relevant:
            self._chooser.forget()
            for each, answer in self._answers.items():
                if answer is not None:
                    self._chooser.learn(each, answer)
        elif not known and relevant is not None:
            self._chooser.learn(place, relevant)


MakeChooser = Callable[[TopicCandidates], Chooser]


class Adaptive:
    """A pool that grows while it is judged, topic by topic, up to a budget of documents for each.

    A document is handed out to one assessor at a time and never again once it was judged. Which comes next
    depends on the runs (not on their order), the strategy's parameters and the events so far, on nothing
    else, so that the same events give the same sequence. Not for several threads at once.
    """

    def __init__(self, gathered: Gathered, make_chooser: MakeChooser, *, budget: int) -> None:
        self._gathered = gathered
        self._make_chooser = make_chooser
        self._budget = budget
        self._topics = {one.topic: LiveTopic(one, make_chooser(one), budget) for one in gathered.topics}
        self._events: list[PoolEvent] = []

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the runs, sorted (bytes)."""
        return tuple(self._topics)

    @property
    def events(self) -> tuple[PoolEvent, ...]:
        """All that happened, in order."""
        return tuple(self._events)

    def next(self, topic: str) -> str | None:
        """Hand out the next document of a topic; None where the budget or the documents are used up."""
        docno = self.coming(topic)
        if docno is not None:
            self.record(PoolEvent(Happening.HANDED_OUT, topic, docno))
        return docno

    def coming(self, topic: str) -> str | None:
        """What `next` would hand out; nothing changes."""
        live = self._topics.get(topic)
        return None if live is None else live.next()

    def left(self, topic: str) -> int:
        """How many documents of a topic can still be handed out."""
        live = self._topics.get(topic)
        return 0 if live is None else live.left

    def has(self, topic: str, docno: str) -> bool:
        """Whether a run has the document for the topic, as deep as the pool goes."""
        return topic in self._topics and docno in self._topics[topic]

    def entry(self, topic: str, docno: str) -> PoolEntry:
        """The entry of a document that a run has; raises KeyError for any other."""
        return self._topics[topic].entry(docno)

    def afresh(self, topic: str) -> Adaptive:
        """The pool of this topic alone, as it was before anything happened."""
        candidates = tuple(one for one in self._gathered.topics if one.topic == topic)
        return Adaptive(Gathered(self._gathered.tags, candidates), self._make_chooser, budget=self._budget)

    def judged(self, topic: str, docno: str, relevant: bool | None) -> None:
        """Take the answer to a document, None for one that is no grade; a later answer replaces it.

        The document need not have been handed out: what was judged before, or added by hand, counts too.
        """
        self.record(PoolEvent(Happening.JUDGED, topic, docno, relevant))

    def give_back(self, topic: str, docno: str) -> None:
        """Take back a document that was handed out and has no grade, to be handed out again.

        Raises Conflict where it was not handed out, or is judged.
        """
        self.record(PoolEvent(Happening.GIVEN_BACK, topic, docno))

    def record(self, event: PoolEvent) -> None:
        """Take an event that happened elsewhere, such as on another host, without choosing anew.

        Raises Conflict for a document that is handed out twice, or that comes back but is not out.
        """
        live = self._topics.get(event.topic)
        if live is not None:
            live.record(event)
        elif event.happening is not Happening.JUDGED:
            raise Conflict(
                f"no run has documents for topic {event.topic}", remedy="name a topic of the pool's runs"
            )
        self._events.append(event)

    def pool(self) -> Pool:
        """All documents that were handed out, judged or not, as a pool."""
        entries = tuple(entry for live in self._topics.values() for entry in live.entries())
        return Pool(entries, self._gathered.tags, self._gathered.largest_possible(self._budget))


def adaptive_strategy(
    name: str, help: str, source: str, chooser: Callable[..., Chooser], *parameters: Parameter
) -> Strategy[Adaptive]:
    """The strategy of adaptive pools over the first documents of each run, with a chooser for each topic.

    Its `parameters`, besides the depth and the budget, are those of the chooser, by keyword. To build one
    raises WorkbenchError for a depth or budget below 1 and Conflict where two runs have the same tag.
    """

    def build(
        runs: Iterable[Run], *, depth: int, budget: int, ties: TieRule, **of_chooser: float
    ) -> Adaptive:
        if min(depth, budget) < 1:
            raise WorkbenchError(
                f"a budget of {budget} from a depth of {depth} judges nothing", remedy="give 1 or more"
            )
        gathered = gather(runs, depth=depth, ties=ties)
        return Adaptive(gathered, partial(chooser, **of_chooser), budget=budget)

    asked = (DEPTH_READ, BUDGET, *parameters)
    return Strategy(name, help, source, asked, build, size=size_of_adaptive, depth_read=to_its_depth)


@frozen_dataclass
class Simulated:
    """A document as it was judged: its number (from 1) in the topic, and how many relevant ones by then.

    `relevant` is None where nothing is known of the pair.
    """

    topic: str
    docno: str
    number: int
    relevant: bool | None
    found: int


def simulated(
    pool: Adaptive, relevant: Mapping[Pair, bool], *, unknown: bool | None = None
) -> Iterator[Simulated]:
    """Hand out a pool topic by topic (bytes) until its budget is used up, each document judged at once.

    A pair of which nothing is known is judged `unknown`: None teaches the strategy nothing, False is what
    most of the literature takes it for.
    """
    for topic in pool.topics:
        found = number = 0
        while (docno := pool.next(topic)) is not None:
            known = relevant.get((topic, docno))
            pool.judged(topic, docno, unknown if known is None else known)
            number += 1
            found += known is True
            yield Simulated(topic, docno, number, known, found)
