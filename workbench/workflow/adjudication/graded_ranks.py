"""The ranks that graded documents have in runs, of many topics at once or of one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos, Places, Words, fingerprints, words_of
from workbench.pooling.run_tops import RunTops
from workbench.scoring.topic_rankings import TopicRankings

_MERGED = 2**20
"""Documents of runs that are brought into the order of the topics together."""


def ranks_in(rankings: TopicRankings, docnos: Docnos) -> NDArray[np.int32]:
    """The rank of each document of a topic in each run, 0 where there is none; shape (runs, docnos)."""
    ranks = np.zeros((len(rankings), len(docnos)), dtype=np.int32)
    if not len(docnos) or not len(rankings.known):
        return ranks
    order = np.argsort(docnos)
    at = np.minimum(np.searchsorted(docnos, rankings.known, sorter=order), len(docnos) - 1)
    column = np.where(docnos[order[at]] == rankings.known, order[at], -1)[rankings.places]
    graded = np.flatnonzero(column >= 0)
    runs = np.repeat(np.arange(len(rankings)), np.diff(rankings.starts))[graded]
    ranks[runs, column[graded]] = graded - rankings.starts[runs] + 1
    return ranks


@dataclass(frozen=True, slots=True, eq=False)
class _RanksByTopic:
    """Graded documents of some runs by topic, those of topic t from `starts[t]`: run, place and rank."""

    starts: Places
    runs: NDArray[np.int32]
    places: NDArray[np.int32]
    ranks: NDArray[np.int32]


class GradedRanks:
    """The ranks that documents of some topics have in `runs` runs, by the places of the topics.

    Of the runs no more is in memory than twelve bytes for each graded document of each; the ranks of all
    documents of a topic by all runs are made when they are asked for.
    """

    def __init__(self, topics: Sequence[tuple[str, Docnos]], *, runs: int) -> None:
        self._runs = runs
        self._numbers = {topic: number for number, (topic, _) in enumerate(topics)}
        sizes = [len(docnos) for _, docnos in topics]
        self._first = np.cumsum([0, *sizes])
        docnos = np.concatenate([one for _, one in topics]) if topics else np.empty(0, dtype="S1")
        numbers = np.repeat(np.arange(len(topics)), sizes)
        known = RunTops("", tuple(self._numbers), numbers, np.zeros_like(numbers), docnos)
        self._known = _PairPlaces(known)
        self._entries: list[_RanksByTopic] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def ranks(self, number: int) -> NDArray[np.int32]:
        """Those of the documents of one topic, 0 where a run does not have it; shape (runs, documents)."""
        ranks = np.zeros((self._runs, int(self._first[number + 1] - self._first[number])), dtype=np.int32)
        for some in self._entries:
            of_topic = slice(some.starts[number], some.starts[number + 1])
            ranks[some.runs[of_topic], some.places[of_topic]] = some.ranks[of_topic]
        return ranks

    def read(self, tops: Iterable[RunTops]) -> None:
        """Take in the first documents of the runs, in the order of their numbers."""
        waiting: list[tuple[Places, Places, Places]] = []
        size = 0
        for number, run in enumerate(tops):
            of_topics = np.array([self._numbers.get(topic, -1) for topic in run.topics], dtype=np.int64)
            numbers = of_topics[run.numbers]
            graded = numbers >= 0
            numbers, ranks = numbers[graded], run.ranks[graded]
            places = self._known.places(numbers, run.docnos[graded])
            known = places >= 0
            waiting.append((np.full(int(known.sum()), number), places[known], ranks[known]))
            size += len(waiting[-1][0])
            if size >= _MERGED:
                self._entries.append(self._merged(waiting))
                waiting, size = [], 0
        if waiting:
            self._entries.append(self._merged(waiting))

    def _merged(self, waiting: Sequence[tuple[Places, Places, Places]]) -> _RanksByTopic:
        runs, places, ranks = (np.concatenate(column) for column in zip(*waiting, strict=True))
        numbers = np.searchsorted(self._first, places, side="right") - 1
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(len(self) + 1))
        places -= self._first[numbers]
        return _RanksByTopic(starts, *(one[order].astype(np.int32) for one in (runs, places, ranks)))


class _PairPlaces:
    """Where pairs of topic and document stand among those that are known, found for all of a run at once."""

    def __init__(self, known: RunTops) -> None:
        self._numbers, self._docnos = known.numbers, known.docnos
        self._words = words_of(known.docnos)
        prints = fingerprints(self._words, known.numbers)
        self._order = np.argsort(prints)
        self._prints = prints[self._order]
        self._ambiguous = bool((self._prints[1:] == self._prints[:-1]).any())

    def places(self, numbers: Places, docnos: Docnos) -> Places:
        """The place of each pair of topic number and docno, -1 where it is not known."""
        if not len(self._prints) or not len(docnos):
            return np.full(len(docnos), -1)
        words = words_of(docnos)
        prints = fingerprints(words, numbers)
        at = np.minimum(np.searchsorted(self._prints, prints), len(self._prints) - 1)
        places = np.where(self._prints[at] == prints, self._order[at], -1)
        if self._ambiguous or not self._same(places, numbers, words):
            # Two pairs have one fingerprint: these are looked up by themselves.
            found = zip(numbers.tolist(), docnos.tolist(), strict=True)
            return np.array([self._by_pair.get(pair, -1) for pair in found], dtype=np.int64)
        return places

    def _same(self, places: Places, numbers: Places, words: Sequence[Words]) -> bool:
        """Whether the pairs found are those that were looked for."""
        found = np.flatnonzero(places >= 0)
        known = places[found]
        nothing = np.zeros(len(found), dtype=np.uint64)
        return np.array_equal(self._numbers[known], numbers[found]) and all(
            np.array_equal(
                nothing if mine is None else mine[known], nothing if theirs is None else theirs[found]
            )
            for mine, theirs in zip_longest(self._words, words)
        )

    @cached_property
    def _by_pair(self) -> dict[tuple[int, bytes], int]:
        pairs = zip(self._numbers.tolist(), self._docnos.tolist(), strict=True)
        return {pair: place for place, pair in enumerate(pairs)}
