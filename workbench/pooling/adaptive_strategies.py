"""Strategies that choose the next document from the judgments so far.

Runs are the arms of a bandit (MaxMean, MM-NS, Thompson sampling), are weighed by what they leave open (RBP's
methods B and C) or by their losses (Hedge), or are followed while they bring relevant documents
(move-to-front). To add one: write a module with a subclass of `Bandit` with `values`, of `Residual` for a
document scored from the judgments, or anything else that is an `adaptive_pool.Chooser`. Declare it as a
`Strategy` and add its line to `ADAPTIVE` in `strategies`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from hashlib import sha256

import numpy as np

from workbench.pooling.adaptive_pool import Chooser, Free, Retrieved, adaptive_strategy
from workbench.pooling.fusion import PERSISTENCE
from workbench.pooling.pool import Floats, TopicCandidates, heaviest, to_twelve_digits
from workbench.pooling.strategy import NUMBER, SEED, WHOLE, Parameter
from workbench.records import id_bytes, places_of


class Bandit(Chooser, ABC):
    """Plays the run of the largest value and hands out its best document that is free.

    Every run has a posterior Beta(relevant + 1, judged - relevant + 1). A judged document counts for every
    run that retrieved it, whichever was played: relevant <- rate x relevant + (1 if relevant), judged <-
    rate x judged + 1. At rate 1 all judgments count alike, at rate 0 the last alone. Of equal values the run
    with the first tag (bytes) is played.
    """

    def __init__(self, topic: TopicCandidates, *, rate: float) -> None:
        self._lists = [ranked.documents for ranked in topic.lists]
        self._brought = Retrieved(topic)
        self._rate = rate
        self.forget()

    @abstractmethod
    def values(self) -> Sequence[float]:
        """The value of every run, in the order of the tags."""

    def choose(self, free: Free) -> int | None:
        values = self.values()
        for run in sorted(range(len(values)), key=lambda run: -values[run]):
            documents = self._lists[run]
            at_rank = free[documents]
            first = int(at_rank.argmax())
            if at_rank[first]:
                return int(documents[first])
        return None

    def learn(self, document: int, relevant: bool) -> None:
        runs = self._brought.runs[self._brought.of(document)]
        self.relevant[runs] = self._rate * self.relevant[runs] + relevant
        self.judged[runs] = self._rate * self.judged[runs] + 1

    def forget(self) -> None:
        self.relevant = np.zeros(len(self._lists))
        self.judged = np.zeros(len(self._lists))


class MaxMean(Bandit):
    """Values a run by (relevant + 1) / (judged + 2), compared to 12 digits.

    At rate 1 it is MaxMean; below, MM-NS, earlier judgments weigh so many times less with each later one: at
    rate 0 the last document of a run that was judged counts alone.
    Source: Losada, Parapar and Barreiro 2016 and 2017; the order of ties is ours.
    """

    def values(self) -> Sequence[float]:
        return [to_twelve_digits(mean) for mean in ((self.relevant + 1) / (self.judged + 2)).tolist()]


MAX_MEAN = adaptive_strategy(
    "max-mean",
    "the next document of the run with the largest share of relevant documents so far",
    "Losada, Parapar and Barreiro 2016, 2017",
    partial(MaxMean, rate=1.0),
)


def beta_draw(key: bytes, above: int, below: int) -> int:
    """A draw from Beta(above, below), both whole and 1 or more, as a whole number of 2^64ths.

    Of above + below - 1 uniform numbers the `above`-th smallest has this distribution, so no logarithm and no
    rounding is needed. Block n of four uniform numbers is the SHA-256 of `key`, a line feed
    and n in decimal, read as four big-endian whole numbers of 64 bits.
    Source: order statistics of the uniform distribution (David and Nagaraja 2003, section 2.3).
    """
    count = above + below - 1
    blocks = b"".join(sha256(b"%b\n%d" % (key, number)).digest() for number in range((count + 3) // 4))
    uniform = np.frombuffer(blocks, dtype=">u8", count=count).astype(np.uint64)
    return int(np.partition(uniform, above - 1)[above - 1])


class Thompson(Bandit):
    """Values a run by a draw from its posterior, anew for each document that is handed out.

    The key of a draw is seed, topic, the number of documents handed out before and the run's tag. The rate is
    1 or 0. Source: Losada, Parapar and Barreiro 2016 and 2017 (TS; TS-NS at rate 0).
    """

    def __init__(self, topic: TopicCandidates, *, rate: int, seed: int) -> None:
        super().__init__(topic, rate=rate)
        self._seed = seed
        self._topic = id_bytes(topic.topic)
        self._tags = [id_bytes(ranked.tag) for ranked in topic.lists]
        self._handed_out = 0

    def values(self) -> Sequence[float]:
        return [
            beta_draw(
                b"%d\n%b\n%d\n%b" % (self._seed, self._topic, self._handed_out, tag),
                int(relevant) + 1,
                int(judged - relevant) + 1,
            )
            for tag, relevant, judged in zip(self._tags, self.relevant, self.judged, strict=True)
        ]

    def took(self, document: int, free: Free) -> None:
        self._handed_out += 1


THOMPSON = adaptive_strategy(
    "thompson",
    "the next document of a run drawn by how likely it is the best",
    "Losada, Parapar and Barreiro 2016, 2017",
    Thompson,
    Parameter("rate", "1 for all judgments alike, 0 for the last alone", 1, WHOLE, lowest=0, highest=1),
    SEED,
)
MM_NS = adaptive_strategy(
    "mm-ns",
    "as max-mean, but the latest judgments count most",
    "Losada, Parapar and Barreiro 2016, 2017",
    MaxMean,
    Parameter("rate", "how much an earlier judgment still counts", 0.0, NUMBER, lowest=0, highest=1),
)


class Residual(Chooser, ABC):
    """Hands out the document with the largest sum over the runs of its rank-biased weight times the run's.

    The weight of rank r is (1 - p) p^(r - 1). A run's base is the weight of its documents judged relevant,
    its residual the weight of all that is not judged, retrieved or not. Of equal sums (to 12 digits) the
    docno that comes last (bytes) goes first, as in the strategy rbp.
    """

    def __init__(self, topic: TopicCandidates, *, p: float) -> None:
        self._brought = Retrieved(topic)
        self._parts = (1 - p) * p ** (self._brought.ranks - 1)
        self._runs = len(topic.lists)
        self.forget()

    @abstractmethod
    def importance(self) -> Floats:
        """The weight of every run, in the order of the tags."""

    @property
    def weights(self) -> Floats:
        """The weight of every document, in the order of the docnos."""
        return self._brought.summed(self._parts * self.importance()[self._brought.runs])

    def choose(self, free: Free) -> int | None:
        open_places = np.flatnonzero(free)
        if not len(open_places):
            return None
        # A residual that is judged away can come out a rounding error below 0.
        return int(open_places[heaviest(np.maximum(self.weights[open_places], 0.0), 1)[0][0]])

    def learn(self, document: int, relevant: bool) -> None:
        at = self._brought.of(document)
        self.residual[self._brought.runs[at]] -= self._parts[at]
        if relevant:
            self.base[self._brought.runs[at]] += self._parts[at]

    def forget(self) -> None:
        self.base = np.zeros(self._runs)
        self.residual = np.ones(self._runs)


class MethodB(Residual):
    """Weighs a run by its residual. Source: Moffat, Webber and Zobel 2007, method B."""

    def importance(self) -> Floats:
        return self.residual


RBP_B = adaptive_strategy(
    "rbp-b",
    "the document with the most unjudged RBP weight over all runs",
    "Moffat, Webber and Zobel 2007, method B",
    MethodB,
    PERSISTENCE,
)


class MethodC(Residual):
    """Weighs a run by its residual times the cube of its base and half its residual.

    Source: Moffat, Webber and Zobel 2007, method C.
    """

    def importance(self) -> Floats:
        return self.residual * (self.base + self.residual / 2) ** 3


RBP_C = adaptive_strategy(
    "rbp-c",
    "as rbp-b, with more weight for runs that do well",
    "Moffat, Webber and Zobel 2007, method C",
    MethodC,
    PERSISTENCE,
)


class Hedge(Chooser):
    """Weighs runs by their losses, and documents by the weighted mean of what the runs claim for them.

    A run claims 1/2 ln(z / rank) for a document, nothing beyond rank z, and for one that it did not retrieve
    the mean of the claims of the ranks below its list up to z. Its loss for a judged document is this claim,
    negative if the document is relevant; its weight is multiplied by beta ^ loss, and the weights sum to 1.
    Of documents with equal means (to 12 digits) the first docno (bytes) goes first.
    Source: Aslam, Pavlu and Savell 2003; the order of ties is ours.
    """

    def __init__(self, topic: TopicCandidates, *, z: int, beta: float) -> None:
        self._brought = Retrieved(topic)
        self._documents = len(topic.docnos)
        self._log_beta = math.log(beta)
        self._claims = 0.5 * np.log(np.maximum(z / self._brought.ranks, 1.0))
        self._elsewhere = _claims_below(z, [len(ranked.documents) for ranked in topic.lists])
        self.forget()

    @property
    def weights(self) -> Floats:
        """The weight of every run, in the order of the tags."""
        shifted = np.exp(self._log_weights - self._log_weights.max())
        weights: Floats = shifted / shifted.sum()
        return weights

    def choose(self, free: Free) -> int | None:
        open_places = np.flatnonzero(free)
        if not len(open_places):
            return None
        weights = self.weights
        above = self._claims - self._elsewhere[self._brought.runs]
        mixture = self._brought.summed(weights[self._brought.runs] * above)
        mixture += (weights * self._elsewhere).sum()
        # `heaviest` prefers the later place, so it is asked from the end.
        backwards = open_places[::-1]
        return int(backwards[heaviest(np.maximum(mixture[backwards], 0.0), 1)[0][0]])

    def learn(self, document: int, relevant: bool) -> None:
        claims = self._elsewhere.copy()
        at = self._brought.of(document)
        claims[self._brought.runs[at]] = self._claims[at]
        self._log_weights += self._log_beta * (-claims if relevant else claims)

    def forget(self) -> None:
        self._log_weights = np.zeros(len(self._elsewhere))


def _claims_below(z: int, lengths: list[int]) -> Floats:
    # The sum over ranks n + 1 .. z of ln(z / rank), by log-gamma, since z can be the size of a collection.
    total = [
        (z - n) * math.log(z) - (math.lgamma(z + 1) - math.lgamma(n + 1)) if n < z else 0.0 for n in lengths
    ]
    return np.array([0.5 * each / (z - n) if n < z else 0.0 for each, n in zip(total, lengths, strict=True)])


HEDGE = adaptive_strategy(
    "hedge",
    "the document ranked highest by the runs together, weighted by how they did on the judgments so far",
    "Aslam, Pavlu and Savell 2003",
    Hedge,
    Parameter("z", "the rank beyond which a run has no vote", 1000, WHOLE, lowest=1),
    Parameter(
        "beta", "how much of its weight a run keeps for a loss of 1", 0.1, NUMBER, lowest=0.001, highest=0.999
    ),
)


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
