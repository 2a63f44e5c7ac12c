"""One topic's review at work: which document comes next, by rankings, a random share and judgments.

And WHEN to stop one that goes on: what was found, how much there may be, and what each rule says now.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import numpy as np
from scipy.sparse import csr_array

from workbench.errors import Conflict, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.learning.learners import BMI, Learner, Lesson, learner_named, order_of
from workbench.learning.missed import ElusionSample, recall_bounds
from workbench.learning.stopping import (
    STOPPING_RULES,
    RandomOrder,
    ReviewTrace,
    StoppingGoal,
    StoppingRule,
    StopPoint,
)
from workbench.learning.vectors import Bools, Numbers, Vectors, Weights
from workbench.records import id_bytes

RANKED_AHEAD = 1000
"""A ranking has so many documents, or four batches: should the next one be late, there are enough of them."""
_SLOT, _PERMUTED = 3, 4  # what a draw is for; learners and simulations have others


class Origin(StrEnum):
    """Why a document comes: the learner ranked it, the random share drew it, or no ranking had one left."""

    LEARNER = "learner"
    RANDOM = "random"
    UNRANKED = "unranked"


@frozen_dataclass
class ReviewSettings:
    """How a review goes: `learner` by name, the share of random documents (0 to 1), `batch`, seed, budget.

    A `batch` of 0 begins with one document and grows by a tenth each round. Raises WorkbenchError for an
    unknown learner and a share outside 0 to 1.
    """

    learner: str = BMI.name
    share: float = 0.1
    batch: int = 0
    seed: int = 0
    budget: int = 100

    def __post_init__(self) -> None:
        learner_named(self.learner)
        if not 0 <= self.share <= 1:
            raise WorkbenchError(
                f"a share of {self.share} random documents is impossible",
                remedy="give 0 to 1, such as 0.1 for every tenth document",
            )


@frozen_dataclass
class ReviewRound:
    """A ranking that serves until the next one: `places` (ranked,), best first, and their `scores`.

    `batch` documents are read before it is time for the next.
    """

    number: int
    places: Numbers
    scores: Weights
    batch: int


@frozen_dataclass
class ReviewChoice:
    """The document that comes next, and why: rank (from 1) and score in a round, or the turn at random."""

    place: int
    origin: Origin
    rank: int
    round: int | None = None
    score: float | None = None


class Review:
    """A review of one topic of so many documents, which are places in the order of their docnos.

    What comes next depends on settings, topic, rounds and what happened, on nothing else. The learner's
    reading is the same as it would be without the random share: a document that was drawn teaches the learner
    only when its reading comes to it, and is then known already. So the drawn documents are a sample that the
    learner does not know, as estimates of recall and the rules target and qbcb need it. Not for several
    threads at once.
    """

    def __init__(self, documents: int, topic: str, settings: ReviewSettings) -> None:
        self.documents = documents
        self.settings = settings
        # Of the topic as well as of the seed: one sample for all topics would make them one experiment.
        self._key = tuple(id_bytes(topic))
        generator = np.random.default_rng((settings.seed, _PERMUTED, *self._key))
        self._order = generator.permutation(documents)
        self._turns = np.argsort(self._order)
        self._free = np.ones(documents, dtype=np.bool_)
        self._ahead = np.ones(documents, dtype=np.bool_)
        self._out: dict[int, Origin] = {}
        self._answers: dict[int, bool | None] = {}
        self._reading: list[int] = []
        self._rounds: list[tuple[ReviewRound, int]] = []
        self._at = self._passed = self._begun = 0
        self._last = documents - 1
        self._drawn = self._slots = 0
        # Drawn documents that came back unanswered: without them the share would be no random sample.
        self._owed: list[int] = []

    @property
    def left(self) -> int:
        """How many documents can still be handed out."""
        return min(self.settings.budget - len(self._out), int(self._free.sum()))

    @property
    def round(self) -> ReviewRound | None:
        """The round whose ranking serves now."""
        return self._rounds[-1][0] if self._rounds else None

    @property
    def next_batch(self) -> int:
        """How many documents the next round has."""
        if self.settings.batch:
            return self.settings.batch
        return next_batch(self._rounds[-1][0].batch) if self._rounds else 1

    @property
    def round_is_over(self) -> bool:
        """Whether as many documents were read as the batch has, so that it is time to rank again.

        At the beginning it is. What is out without an answer is not read.
        """
        if not self._rounds:
            return True
        return self._answered() - self._begun >= self._rounds[-1][0].batch

    @property
    def ahead(self) -> Bools:
        """The documents that the learner's reading has not come to, shape (documents,)."""
        return self._ahead.copy()

    @property
    def lesson(self) -> tuple[Numbers, Bools]:
        """The documents that teach the learner, in the order of its reading, and which are relevant."""
        graded = [(place, self._answers.get(place)) for place in self._reading]
        known = [(place, relevant) for place, relevant in graded if relevant is not None]
        places, relevant = [place for place, _ in known], [one for _, one in known]
        return np.array(places, dtype=np.intp), np.array(relevant, dtype=np.bool_)

    @property
    def grades(self) -> dict[int, bool]:
        """The places that have a grade, and whether they are relevant."""
        return {place: relevant for place, relevant in self._answers.items() if relevant is not None}

    def trace(self) -> ReviewTrace:
        """What stopping rules look at: the learner's reading by the ends of its rounds, and what was drawn.

        Only documents with a grade are in it.
        """
        grades = self.grades
        reading = [place for place in self._reading if place in grades]
        read = np.cumsum([0, *(place in grades for place in self._reading)])
        # What came back since its round is not read any more.
        ends = sorted({int(read[min(at, len(self._reading))]) for _, at in self._rounds} - {0})
        read_at = np.zeros(self.documents, dtype=np.intp)
        read_at[reading] = np.arange(1, len(reading) + 1)
        drawn = [place for place in self._order[: self._drawn].tolist() if place in grades]
        return ReviewTrace(
            self.documents,
            np.array([grades[place] for place in reading], dtype=np.bool_),
            np.array(ends, dtype=np.intp),
            RandomOrder(np.array([grades[place] for place in drawn], dtype=np.bool_), read_at[drawn]),
        )

    def unread_sample(self) -> ElusionSample | None:
        """The drawn documents that the learner's reading has not come to; None where there is none."""
        drawn = [place for place in self._order[: self._drawn].tolist() if self._ahead[place]]
        if not drawn:
            return None
        grades = [self._answers.get(place) for place in drawn]
        judged = [one for one in grades if one is not None]
        return ElusionSample(int(self._ahead.sum()), len(drawn), len(judged), sum(judged))

    def begin(self, new: ReviewRound) -> None:
        """Let a new ranking serve from now on."""
        self._rounds.append((new, len(self._reading)))
        self._begun = self._answered()
        self._at = self._passed = 0

    def choice(self) -> ReviewChoice | None:
        """What comes next; None where the budget or the documents are used up. Nothing changes."""
        if self.left <= 0:
            return None
        if self._is_random(self._slots):
            if self._owed:
                place = self._owed[0]
                return ReviewChoice(place, Origin.RANDOM, int(self._turns[place]) + 1)
            # A turn whose document is known already goes to the learner.
            if self._drawn < self.documents and self._free[self._order[self._drawn]]:
                return ReviewChoice(int(self._order[self._drawn]), Origin.RANDOM, self._drawn + 1)
        return self._best() or self._unranked()

    def hand_out(self, place: int, origin: Origin) -> None:
        """A document goes to an assessor; raises Conflict for one that is out or judged."""
        if not self._free[place]:
            raise Conflict(
                "a document was handed out that is out or judged already",
                remedy="use the collection and the events of this review",
            )
        is_random = self._is_random(self._slots)
        self._slots += 1
        self._free[place] = False
        self._out[place] = origin
        if origin is Origin.RANDOM:
            self._drawn = max(self._drawn, int(self._turns[place]) + 1)
        elif is_random and not self._owed and self._drawn < self.documents:
            # The draw met a document that is known already.
            self._drawn += 1
        if place in self._owed:
            self._owed.remove(place)
        if origin is Origin.LEARNER:
            self._pass_over(place)
        if origin is not Origin.RANDOM:
            self._come_to(place)

    def give_back(self, place: int) -> None:
        """A document comes back without a grade; raises Conflict for one that is not out, or judged."""
        if place not in self._out or self._answers.get(place) is not None:
            raise Conflict("a document came back that is not out", remedy="nothing to do")
        self._answers.pop(place, None)
        if self._out.pop(place) is not Origin.RANDOM and not self._ahead[place]:
            self._reading.remove(place)
            self._ahead[place] = True
        if self._turns[place] < self._drawn:
            self._owed.append(place)
        self._free[place] = True
        self._at, self._last = 0, self.documents - 1

    def judged(self, place: int, relevant: bool | None) -> None:
        """An answer, None for one that is no grade; a later one replaces it.

        A document that was not handed out was found elsewhere, such as by searching: it teaches at once.
        """
        self._answers[place] = relevant
        self._free[place] = False
        if place not in self._out:
            self._come_to(place)
            if place in self._owed:
                self._owed.remove(place)

    def _answered(self) -> int:
        """How many documents of the learner's reading have an answer."""
        return sum(place in self._answers for place in self._reading)

    def _is_random(self, slot: int) -> bool:
        """Whether the random share has this turn; decided by the seed and the number of the turn alone."""
        key = (self.settings.seed, _SLOT, slot, *self._key)
        return bool(np.random.default_rng(key).random() < self.settings.share)

    def _best(self) -> ReviewChoice | None:
        """The first document of the ranking that is free."""
        present = self.round
        if present is None:
            return None
        while self._at < len(present.places):
            place = int(present.places[self._at])
            if self._free[place] and self._ahead[place]:
                score = float(present.scores[self._at])
                return ReviewChoice(place, Origin.LEARNER, self._at + 1, present.number, score)
            self._at += 1
        return None

    def _unranked(self) -> ReviewChoice | None:
        """The last document of the random order that is free, so that the share stays its beginning."""
        while self._last >= 0:
            place = int(self._order[self._last])
            if self._free[place]:
                return ReviewChoice(place, Origin.UNRANKED, self.documents - self._last)
            self._last -= 1
        return None

    def _pass_over(self, place: int) -> None:
        """Come to what stands before a document in the ranking: it is known, or with a colleague."""
        present = self.round
        if present is None:
            return
        ranks = np.flatnonzero(present.places == place)
        while len(ranks) and self._passed < ranks[0]:
            self._come_to(int(present.places[self._passed]))
            self._passed += 1

    def _come_to(self, place: int) -> None:
        if self._ahead[place]:
            self._ahead[place] = False
            self._reading.append(place)


def next_round(review: Review, vectors: Vectors, topic: csr_array, settings: ReviewSettings) -> ReviewRound:
    """Train on what the learner's reading has come to and rank what is ahead of it; nothing changes.

    `vectors` are the review's documents, in their order; `topic` is the topic's text as a row of them.
    """
    number = 0 if review.round is None else review.round.number + 1
    scores = learner_named(settings.learner).learn(
        Lesson(vectors, topic, *review.lesson, settings.seed, number)
    )
    batch = review.next_batch
    places = order_of(scores, review.ahead)[: max(RANKED_AHEAD, 4 * batch)]
    return ReviewRound(number, places, scores[places].astype(np.float32), batch)


def next_batch(size: int) -> int:
    """The size of the batch after one of this size: B + ceil(B / 10).

    Source: Cormack and Grossman 2015.

    >>> next_batch(1), next_batch(10), next_batch(11)
    (2, 11, 13)
    """
    return size + -(-size // 10)


def read_in_rounds(
    vectors: Vectors, topic: csr_array, relevant: Bools, learner: Learner, *, seed: int
) -> Iterator[Numbers]:
    """The rounds in which a learner reads a whole collection of which all is known, from one document on.

    Each has rows in the order of reading. `relevant` is (documents,), in the order of the docnos; a round is
    told only of documents read before it.
    """
    unread = np.ones(len(vectors), dtype=np.bool_)
    read = np.empty(0, dtype=np.intp)
    size, number = 1, 0
    while unread.any():
        scores = learner.learn(Lesson(vectors, topic, read, relevant[read], seed, number))
        documents = order_of(scores, unread)[:size]
        yield documents
        unread[documents] = False
        read = np.concatenate((read, documents))
        size, number = next_batch(size), number + 1


FEWEST = 3


@frozen_dataclass
class RecallEstimate:
    """The recall of `found` relevant documents, with its exact 95 % interval.

    `value` is None where fewer than `FEWEST` relevant documents were drawn from the unread ones, which says
    too little for a single figure. The interval is None where there may be no relevant document at all.
    """

    found: int
    value: float | None
    low: float | None
    high: float | None


@frozen_dataclass
class FurtherSample:
    """What to expect of `documents` more random ones, all judged, as many of them relevant as so far."""

    documents: int
    recall: RecallEstimate


@frozen_dataclass
class StoppingAdvice:
    """A review as it stands: `judged` documents, `found` relevant ones, and what the rules say.

    `unread` documents the learner's reading has not come to; `sample` are the random ones among them, None
    where there is none.
    """

    goal: StoppingGoal
    trace: ReviewTrace
    judged: int
    found: int
    unread: int
    sample: ElusionSample | None
    recall: RecallEstimate
    stops: tuple[tuple[StoppingRule, StopPoint], ...]

    @property
    def left_to_sample(self) -> int:
        """Unread documents that were not drawn."""
        return self.unread - (self.sample.drawn if self.sample else 0)

    def further(self, documents: int) -> FurtherSample:
        """What so many more random unread documents would say; the interval that comes may be another.

        Where nothing was sampled yet, none of them is taken to be relevant. Raises WorkbenchError for fewer
        than one, or more than are left.
        """
        if not 1 <= documents <= self.left_to_sample:
            message = f"{documents} more documents cannot be drawn: {self.left_to_sample} are left"
            remedy = f"give 1 to {self.left_to_sample}" if self.left_to_sample else "all were drawn"
            raise WorkbenchError(message, remedy=remedy)
        if self.sample is None:
            then = ElusionSample(self.unread, documents, documents, 0)
            return FurtherSample(documents, estimated_recall(self.found, self.unread, then))
        then = self.sample.with_more(documents)
        found = self.found + then.relevant - self.sample.relevant
        return FurtherSample(documents, estimated_recall(found, self.unread, then))


def estimated_recall(found: int, unread: int, sample: ElusionSample | None) -> RecallEstimate:
    """The recall of `found` relevant documents, of which a sample of the `unread` has some.

    The learner knows nothing of what is drawn, so the drawn documents that its reading has not come to are a
    simple random sample of all that it has not come to. That bounds the relevant ones among these; those of
    the sample itself are found. The interval is for one look that was planned, not for the best of many.
    """
    own = sample.relevant if sample else 0
    least, most = sample.bounds if sample else (0, unread)
    low, high = recall_bounds(found, (least - own, most - own)) or (None, None)
    value = None
    if low is not None and low == high:
        value = low
    elif sample is not None and sample.estimate is not None and own >= FEWEST:
        value = found / (found + max(sample.estimate - own, 0.0))
    return RecallEstimate(found, value, low, high)


def stopping_advice(review: Review, goal: StoppingGoal) -> StoppingAdvice:
    """What every rule of the registry says of a review as it stands; nothing changes."""
    trace, sample = review.trace(), review.unread_sample()
    judged = review.grades
    found = sum(judged.values())
    unread = int(review.ahead.sum())
    return StoppingAdvice(
        goal,
        trace,
        len(judged),
        found,
        unread,
        sample,
        estimated_recall(found, unread, sample),
        tuple((rule, rule.stop(trace, goal)) for rule in STOPPING_RULES.values()),
    )
