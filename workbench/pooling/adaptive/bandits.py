"""Runs as the arms of a bandit: MaxMean, Thompson sampling and MM-NS differ in which run they play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial
from hashlib import sha256

import numpy as np

from workbench.pooling.adaptive.live import Free, JudgmentsOnly, Retrieved, adaptive_strategy
from workbench.pooling.candidates import TopicCandidates, to_twelve_digits
from workbench.pooling.strategy import NUMBER, SEED, WHOLE, Parameter
from workbench.records import id_bytes


class Bandit(JudgmentsOnly, ABC):
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
