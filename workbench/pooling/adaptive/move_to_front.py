"""Move-to-front: stays with a run while it brings relevant documents."""

from __future__ import annotations

from workbench.pooling.adaptive.live import Free, adaptive_strategy
from workbench.pooling.candidates import TopicCandidates
from workbench.pooling.strategy import WHOLE, Parameter
from workbench.records import places_of


class MoveToFront:
    """Goes down the run of the highest priority, and changes the priority by each document it comes by.

    A run's priority follows from the documents that were come by, in order: a relevant one sets it to the
    maximum, one that is not lowers it by the reduction, not below 0, whichever run it was handed out from.
    One without a judgment leaves it as it is until the judgment comes. Of equal priorities the run with the
    first tag (bytes) goes first.
    Source: Cormack, Palmer and Clarke 1998, section 6 (local), which leaves open the size of the reduction
    and the order of ties.
    """

    def __init__(self, topic: TopicCandidates, *, maximum: int, reduction: int) -> None:
        self._lists: list[list[int]] = [ranked.documents.tolist() for ranked in topic.lists]
        self._ranks = [places_of(run) for run in self._lists]
        self._maximum = maximum
        self._reduction = reduction
        self._known: dict[int, bool] = {}
        self._come_by = [0] * len(self._lists)
        self._priorities = [maximum] * len(self._lists)

    def choose(self, free: Free) -> int | None:
        """What the run of the highest priority comes to next; see `Chooser`."""
        return self._walk(free, self._come_by.copy(), self._priorities.copy())

    def took(self, document: int, free: Free) -> None:
        """Go down to the document, if that is what comes next."""
        come_by, priorities = self._come_by.copy(), self._priorities.copy()
        if self._walk(free, come_by, priorities) == document:
            self._come_by, self._priorities = come_by, priorities

    def returned(self, document: int) -> None:
        """Go back to the document in every run that has gone past it."""
        for run, ranks in enumerate(self._ranks):
            self._come_by[run] = min(self._come_by[run], ranks.get(document, self._come_by[run]))
            self._priorities[run] = self._priority(run)

    def learn(self, document: int, relevant: bool) -> None:
        """Change the priority of every run that has come by the document."""
        self._known[document] = relevant
        for run, ranks in enumerate(self._ranks):
            if ranks.get(document, self._come_by[run]) < self._come_by[run]:
                self._priorities[run] = self._priority(run)

    def forget(self) -> None:
        """Set every priority to the maximum; how far down runs are gone stays."""
        self._known = {}
        self._priorities = [self._maximum] * len(self._lists)

    def _walk(self, free: Free, come_by: list[int], priorities: list[int]) -> int | None:
        while True:
            open_runs = [run for run, documents in enumerate(self._lists) if come_by[run] < len(documents)]
            if not open_runs:
                return None
            run = max(open_runs, key=priorities.__getitem__)
            document = self._lists[run][come_by[run]]
            come_by[run] += 1
            if free[document]:
                return document
            priorities[run] = self._after(priorities[run], document)

    def _priority(self, run: int) -> int:
        priority = self._maximum
        for document in self._lists[run][: self._come_by[run]]:
            priority = self._after(priority, document)
        return priority

    def _after(self, priority: int, document: int) -> int:
        if document not in self._known:
            return priority
        return self._maximum if self._known[document] else max(0, priority - self._reduction)


MOVE_TO_FRONT = adaptive_strategy(
    "move-to-front",
    "the next document of the run that most recently contributed a relevant one",
    "Cormack, Palmer and Clarke 1998",
    MoveToFront,
    Parameter("maximum", "a run's priority after a relevant document", 100, WHOLE, lowest=1),
    Parameter("reduction", "how much a document that is not relevant takes off", 1, WHOLE, lowest=1),
)
