"""One topic of an adaptive pool: what is out, what is judged, what can be chosen."""

from __future__ import annotations

import numpy as np

from workbench.errors import Conflict
from workbench.pooling.adaptive.chooser import Chooser
from workbench.pooling.adaptive.events import Event, Happening
from workbench.pooling.candidates import Candidates
from workbench.records import PoolEntry


class LiveTopic:
    """A topic's documents and what has happened to them; they are places in its sorted docnos."""

    def __init__(self, topic: Candidates, chooser: Chooser, budget: int) -> None:
        self._topic = topic
        self._chooser = chooser
        self._left = budget
        self._places = {docno: place for place, docno in enumerate(topic.docnos)}
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

    def record(self, event: Event) -> None:
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
            raise Conflict(
                f"{docno} is not out for topic {self._topic.topic}", remedy="nothing is to be done"
            )
        # An answer that was no grade, say one taken back, goes with it; it had taught nothing.
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
            self._tell_again()
        elif not known and relevant is not None:
            self._chooser.learn(place, relevant)

    def _tell_again(self) -> None:
        self._chooser.forget()
        for place, relevant in self._answers.items():
            if relevant is not None:
                self._chooser.learn(place, relevant)
