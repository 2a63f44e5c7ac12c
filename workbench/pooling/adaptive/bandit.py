"""Runs as the arms of a bandit: what is shared by those that differ only in which run they play."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from workbench.pooling.adaptive.chooser import Free, JudgmentsOnly, Retrieved
from workbench.pooling.candidates import TopicCandidates


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
