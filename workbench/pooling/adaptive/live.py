"""An adaptive pool at work: hands out documents to several assessors and takes their answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from workbench.errors import Conflict, WorkbenchError
from workbench.pooling.adaptive.chooser import Chooser
from workbench.pooling.adaptive.events import Event, Happening
from workbench.pooling.adaptive.topic import LiveTopic
from workbench.pooling.candidates import Candidates, Gathered, gather
from workbench.pooling.pool import Pool
from workbench.records import PoolEntry, Run, TieRule

MakeChooser = Callable[[Candidates], Chooser]


class Adaptive:
    """A pool that grows while it is judged, topic by topic, up to a budget of documents for each.

    A document is handed out to one assessor at a time and never again once it was judged. Which comes next
    depends on the runs (not on their order), the strategy's parameters and the events so far, on nothing
    else, so that `replay` gives the same sequence. Not for several threads at once.
    """

    def __init__(self, gathered: Gathered, make_chooser: MakeChooser, *, budget: int) -> None:
        self._gathered = gathered
        self._make_chooser = make_chooser
        self._budget = budget
        self._topics = {one.topic: LiveTopic(one, make_chooser(one), budget) for one in gathered.topics}
        self._events: list[Event] = []

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the runs, sorted (bytes)."""
        return tuple(self._topics)

    @property
    def events(self) -> tuple[Event, ...]:
        """All that happened, in order: what `replay` needs."""
        return tuple(self._events)

    def next(self, topic: str) -> str | None:
        """Hand out the next document of a topic; None where the budget or the documents are used up."""
        docno = self.coming(topic)
        if docno is not None:
            self.record(Event(Happening.HANDED_OUT, topic, docno))
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
        self.record(Event(Happening.JUDGED, topic, docno, relevant))

    def give_back(self, topic: str, docno: str) -> None:
        """Take back a document that was handed out and has no grade, to be handed out again.

        Raises Conflict where it was not handed out, or is judged.
        """
        self.record(Event(Happening.GIVEN_BACK, topic, docno))

    def record(self, event: Event) -> None:
        """Take an event that happened elsewhere, say on another host, without choosing anew.

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

    def replay(self, events: Iterable[Event]) -> None:
        """Go through events again, choosing anew; raises Conflict where another document is chosen."""
        for event in events:
            if event.happening is not Happening.HANDED_OUT:
                self.record(event)
                continue
            docno = self.next(event.topic)
            if docno != event.docno:
                raise Conflict(
                    f"for topic {event.topic} not {event.docno} but {docno or 'nothing'} comes next",
                    remedy="replay with the runs, the strategy and the parameters of the events",
                )

    def pool(self) -> Pool:
        """All documents that were handed out, judged or not, as a pool."""
        return Pool(
            tuple(self._entries()), self._gathered.tags, self._gathered.largest_possible(self._budget)
        )

    def _entries(self) -> Iterator[PoolEntry]:
        for live in self._topics.values():
            yield from live.entries()


def adaptive_pool(
    runs: Iterable[Run], make_chooser: MakeChooser, *, depth: int, budget: int, ties: TieRule
) -> Adaptive:
    """An adaptive pool over the first `depth` documents of each run, with a chooser for each topic.

    Raises WorkbenchError for a depth or budget below 1 and Conflict where two runs have the same tag.
    """
    if min(depth, budget) < 1:
        raise WorkbenchError(
            f"a budget of {budget} from a depth of {depth} judges nothing", remedy="give 1 or more"
        )
    return Adaptive(gather(runs, depth=depth, ties=ties), make_chooser, budget=budget)
