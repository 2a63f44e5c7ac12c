"""One topic's review at work: hands out documents in rounds, takes the answers, and replays its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.learning.learners import BMI, Lesson, learner_named, order_of
from workbench.learning.recall import RandomShare
from workbench.learning.rounds import next_batch
from workbench.learning.vectors import Numbers, Vectors

_SLOT, _PERMUTED = 3, 4  # what a draw is for; learners have others
_BITS_OF_SEED = 2**63


class ReviewHappening(StrEnum):
    """The kinds of events."""

    RANKED = "ranked"
    DRAWN = "drawn"
    HANDED_OUT = "handed_out"
    GIVEN_BACK = "given_back"
    JUDGED = "judged"


class Origin(StrEnum):
    """Why a document was handed out: the learner ranked it, or the random share drew it."""

    LEARNER = "learner"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class ReviewEvent:
    """Something that happened in a review.

    RANKED is a round's ranking: `known` counts the events that it was learned from, `docno` is empty. DRAWN
    is a document of the random share that is read or out already. HANDED_OUT has its `origin`. `relevant` is
    for JUDGED: None is an answer that is no grade (unsure, cannot judge).
    """

    happening: ReviewHappening
    docno: str = ""
    origin: Origin | None = None
    relevant: bool | None = None
    known: int = 0


@dataclass(frozen=True, slots=True)
class ReviewSettings:
    """How a review goes: `learner` by name, the share of random documents (0 to 1), the seed.

    The learner learns from random documents as from any other. The rules target and qbcb need a sample that
    it does not know, which this share is not. Raises WorkbenchError for an unknown learner, a share outside 0
    to 1 and a seed that is negative or too large.
    """

    learner: str = BMI.name
    share: float = 0.1
    seed: int = 0

    def __post_init__(self) -> None:
        learner_named(self.learner)
        if not 0 <= self.share <= 1:
            message = f"a share of {self.share} random documents is impossible"
            raise WorkbenchError(message, remedy="give 0 to 1, such as 0.1 for every tenth document")
        if not 0 <= self.seed < _BITS_OF_SEED:
            message = f"the seed cannot be {self.seed}"
            raise WorkbenchError(message, remedy="give a whole number from 0 to 9223372036854775807")


class Review:
    """A review of one topic, document by document, in the rounds of the learner.

    `next` never waits for a model: it goes on with the present ranking until `rank` has made the next, which
    may be done elsewhere and recorded as an event. What comes next depends on the collection, the topic's
    text, the settings and the events, on nothing else. Not for several threads at once.
    """

    def __init__(self, vectors: Vectors, text: str, settings: ReviewSettings) -> None:
        self._vectors = vectors
        self._topic = vectors.vector(text)
        self._settings = settings
        self._learner = learner_named(settings.learner)
        self._free = np.ones(len(vectors), dtype=np.bool_)
        self._out: set[int] = set()
        self._events: list[ReviewEvent] = []
        self._ranking: Numbers = np.empty(0, dtype=np.intp)
        self._at = 0
        self._round, self._batch, self._left = 0, 1, 0
        self._order = np.random.default_rng((settings.seed, 0, _PERMUTED)).permutation(len(vectors))
        self._turns = np.argsort(self._order)
        self._drawn = 0
        # Drawn documents that came back unanswered: without them the share would be no random sample.
        self._owed: list[int] = []
        self._slots = 0

    @property
    def events(self) -> tuple[ReviewEvent, ...]:
        """All that happened, in order: what `replay` needs."""
        return tuple(self._events)

    @property
    def round_is_over(self) -> bool:
        """Whether the batch was handed out, so that it is time to `rank` again."""
        return self._left <= 0

    def rank(self, known: int | None = None) -> None:
        """Begin the next round: learn from all events so far, or from the first `known` of them."""
        self._record(ReviewEvent(ReviewHappening.RANKED, known=len(self._events) if known is None else known))

    def next(self) -> str | None:
        """Hand out the next document; None where all were handed out.

        Before the first ranking one is made; after that the present one serves until somebody calls `rank`.
        """
        if not self._free.any():
            return None
        if not self._round:
            self.rank()
        if self._is_random(self._slots):
            for event in self._drawing():
                self._record(event)
                if event.happening is ReviewHappening.HANDED_OUT:
                    return event.docno
        docno = self._vectors.docnos[self._best()]
        self._record(ReviewEvent(ReviewHappening.HANDED_OUT, docno, Origin.LEARNER))
        return docno

    def judged(self, docno: str, relevant: bool | None) -> None:
        """Take the answer to a document, None for one that is no grade; a later answer replaces it.

        Documents that were judged elsewhere, such as those found by searching, count too. Raises NotFound for
        a document that is not in the collection.
        """
        self._record(ReviewEvent(ReviewHappening.JUDGED, docno, relevant=relevant))

    def give_back(self, docno: str) -> None:
        """Take back a document that was handed out and not answered; raises Conflict where it is not out."""
        self._record(ReviewEvent(ReviewHappening.GIVEN_BACK, docno))

    @property
    def share(self) -> RandomShare:
        """The random share so far: how many documents were drawn, judged and found relevant."""
        answers = self._answers(len(self._events))
        grades = [answers.get(row) for row in self._order[: self._drawn].tolist()]
        return RandomShare(
            len(self._vectors), self._drawn, sum(one is not None for one in grades), grades.count(True)
        )

    @property
    def found(self) -> int:
        """Relevant documents found so far."""
        return list(self._answers(len(self._events)).values()).count(True)

    @property
    def read(self) -> int:
        """Documents with an answer so far."""
        return len(self._answers(len(self._events)))

    def replay(self, events: Iterable[ReviewEvent]) -> None:
        """Make every choice of these events again; raises Conflict where another one is made."""
        for event in events:
            if event.happening is ReviewHappening.RANKED and event.known > len(self._events):
                raise Conflict(
                    f"a ranking knows {event.known} events of {len(self._events)}", remedy=_DAMAGED
                )
            if event.happening in (ReviewHappening.DRAWN, ReviewHappening.HANDED_OUT):
                again = self._choice()
                if (again.happening, again.docno, again.origin) != (
                    event.happening,
                    event.docno,
                    event.origin,
                ):
                    message = f"the review {event.happening} {event.docno}, and again chooses {again.docno}"
                    raise Conflict(message, remedy=_DAMAGED)
            self._record(event)

    def _choice(self) -> ReviewEvent:
        """The next event of handing out, nothing recorded."""
        if not self._free.any():
            raise Conflict("a document was handed out when none was left", remedy=_DAMAGED)
        # A slot whose random document was known already goes to the learner.
        passed = bool(self._events) and self._events[-1].happening is ReviewHappening.DRAWN
        if not passed and self._is_random(self._slots):
            for event in self._drawing():
                return event
        return ReviewEvent(ReviewHappening.HANDED_OUT, self._vectors.docnos[self._best()], Origin.LEARNER)

    def _is_random(self, slot: int) -> bool:
        """Whether the random share has this turn; decided by the seed and the number of the turn alone."""
        return bool(np.random.default_rng((self._settings.seed, slot, _SLOT)).random() < self._settings.share)

    def _drawing(self) -> Iterable[ReviewEvent]:
        """What the random share's turn does: one more document, handed out unless it is known already."""
        if self._owed:
            docno = self._vectors.docnos[self._owed[0]]
            yield ReviewEvent(ReviewHappening.HANDED_OUT, docno, Origin.RANDOM)
        elif self._drawn < len(self._vectors):
            row = int(self._order[self._drawn])
            docno = self._vectors.docnos[row]
            if self._free[row]:
                yield ReviewEvent(ReviewHappening.HANDED_OUT, docno, Origin.RANDOM)
            else:
                yield ReviewEvent(ReviewHappening.DRAWN, docno)

    def _best(self) -> int:
        """The first document of the ranking that is free."""
        while not self._free[self._ranking[self._at]]:
            self._at += 1
        return int(self._ranking[self._at])

    def _record(self, event: ReviewEvent) -> None:
        if event.happening is ReviewHappening.RANKED:
            self._rank(event.known)
        else:
            row = self._vectors.places.get(event.docno)
            if row is None:
                message = f"{event.docno} is not in the collection"
                raise NotFound(message, remedy="judge documents of the collection that was indexed")
            self._apply(event, row)
        self._events.append(event)

    def _apply(self, event: ReviewEvent, row: int) -> None:
        if event.happening is ReviewHappening.HANDED_OUT and event.origin is not None:
            self._hand_out(row, event.origin)
        elif event.happening is ReviewHappening.DRAWN:
            self._drawn += 1
        elif event.happening is ReviewHappening.JUDGED:
            self._out.discard(row)
            self._free[row] = False
            if row in self._owed:
                self._owed.remove(row)
        elif row in self._out:
            self._out.remove(row)
            if self._turns[row] < self._drawn:
                self._owed.append(row)
            self._free[row] = True
            self._at = 0
        else:
            raise Conflict(f"{event.docno} is not out", remedy="nothing is to be done")

    def _hand_out(self, row: int, origin: Origin) -> None:
        self._free[row] = False
        self._out.add(row)
        self._slots += 1
        self._left -= 1
        if row in self._owed:
            self._owed.remove(row)
        elif origin is Origin.RANDOM:
            self._drawn += 1

    def _answers(self, known: int) -> dict[int, bool | None]:
        """The current answers by row after so many events, in the order of the first answer to each."""
        answers: dict[int, bool | None] = {}
        for event in self._events[:known]:
            if event.happening is ReviewHappening.JUDGED:
                answers[self._vectors.places[event.docno]] = event.relevant
        return answers

    def _rank(self, known: int) -> None:
        graded = {row: one for row, one in self._answers(known).items() if one is not None}
        lesson = Lesson(
            self._vectors,
            self._topic,
            np.fromiter(graded.keys(), dtype=np.intp, count=len(graded)),
            np.fromiter(graded.values(), dtype=np.bool_, count=len(graded)),
            self._settings.seed,
            self._round,
        )
        everything = np.ones(len(self._vectors), dtype=np.bool_)
        self._ranking = order_of(self._learner.learn(lesson).scores, everything)
        self._at = 0
        self._batch = 1 if not self._round else next_batch(self._batch)
        self._left = self._batch
        self._round += 1


_DAMAGED = "the collection, the settings or the events are not those of this review"
