"""A pool, the result of every strategy, and the documents of runs from which strategies choose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from workbench.errors import Conflict
from workbench.figures import counted
from workbench.frozen import frozen_dataclass
from workbench.ranking import ordered, top
from workbench.records import Contribution, PoolEntry, Run, TieRule, id_bytes, pair_of, sorted_ids
from workbench.tables import ResultRows, ResultTable

Pair = tuple[str, str]
"""A topic and a docno."""


@frozen_dataclass
class Pool(ResultTable):
    """The (topic, document) pairs that a strategy chose from runs.

    `entries` are sorted by topic, then docno (bytes), one for each pair; `tags` are the runs, sorted (bytes);
    `largest_possible` is for each topic how many pairs there would be if no two runs shared a document.
    By pair, empty unless the strategy has them: `weights`, by which entries were chosen, to 12 digits;
    `inclusion`, the probability (above 0, at most 1) with which an entry was drawn; `strata`, the number
    (from 1) of the stratum of every pair that could have been drawn, whether it was or not.
    """

    entries: tuple[PoolEntry, ...]
    tags: tuple[str, ...]
    largest_possible: Mapping[str, int]
    weights: Mapping[Pair, float] = field(default_factory=dict)
    inclusion: Mapping[Pair, float] = field(default_factory=dict)
    strata: Mapping[Pair, int] = field(default_factory=dict)

    @property
    def pairs(self) -> frozenset[Pair]:
        """The topic and docno of every entry."""
        return frozenset(pair_of(entry) for entry in self.entries)

    def table(self) -> ResultRows:
        """A row for each pair: how many runs contributed it, its best rank, and its probability if drawn."""
        rows = (
            (
                one.topic,
                one.docno,
                len(one.contributions),
                min((each.rank for each in one.contributions), default=None),
                self.inclusion.get(pair_of(one)),
            )
            for one in self.entries
        )
        topics, count = len({one.topic for one in self.entries}), len(self.entries)
        made_of = f"{counted(topics, 'topic')}, of {counted(len(self.tags), 'run')}"
        columns = ("topic", "docno", "runs", "best_rank", "inclusion")
        return ResultRows(f"Pool: {counted(count, 'pair')} in {made_of}", columns, rows, count)


@frozen_dataclass
class TopicSize:
    """The pairs of one topic in a pool, and how many there would be if no two runs shared a document."""

    topic: str
    size: int
    largest_possible: int


class Tagged(Protocol):
    """A run in any form."""

    @property
    def tag(self) -> str: ...


AnyRun = TypeVar("AnyRun", bound=Tagged)


def each_tag_once(runs: Iterable[AnyRun]) -> Iterator[AnyRun]:
    """The runs as they come, none kept; raises Conflict where a tag comes again."""
    tags: set[str] = set()
    for run in runs:
        if run.tag in tags:
            raise Conflict(
                f'two runs have the tag "{run.tag}"', remedy="give every run once, each with its own tag"
            )
        tags.add(run.tag)
        yield run


Floats = NDArray[np.float64]
Places = NDArray[np.int64]


DepthOf = Callable[[str, str], int]
"""How deep to look into the run with a tag, for a topic."""


class Contributions(dict[int, Contribution]):
    """A run's contributions by rank. Each is made once, for all topics: a pool has hundreds of thousands."""

    def __init__(self, tag: str) -> None:
        super().__init__()
        self._tag = tag

    def __missing__(self, rank: int) -> Contribution:
        made = self[rank] = Contribution(self._tag, rank)
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """What one run retrieved for a topic, best first: documents as places in the topic's docnos; scores."""

    tag: str
    documents: NDArray[np.int32]
    scores: Floats
    contributions: Contributions

    @property
    def ranks(self) -> Floats:
        """The ranks 1, 2, ... of the documents."""
        return np.arange(1.0, len(self.documents) + 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class TopicCandidates:
    """The documents of one topic, sorted (bytes), and the runs that retrieved any, sorted by tag (bytes).

    A document is its place in `docnos`, so that the order of places is the order of docnos.
    """

    topic: str
    docnos: tuple[str, ...]
    lists: tuple[Ranked, ...]

    @property
    def retrieved(self) -> int:
        """How many documents there were if no two runs had retrieved the same."""
        return sum(len(ranked.documents) for ranked in self.lists)

    def summed(self, part: Callable[[Ranked], Floats]) -> Floats:
        """The sum over the runs of what each gives to its documents, for every document.

        Runs are added in the order of their tags, so that a sum is the same to the last bit whatever the
        order in which they were given.
        """
        total = np.zeros(len(self.docnos))
        for ranked in self.lists:
            total[ranked.documents] += part(ranked)
        return total

    def best_ranks(self) -> tuple[Places, Places]:
        """The best rank of every document, and the first run (place in `lists`) that has it there."""
        best = np.full(len(self.docnos), np.iinfo(np.int64).max)
        first_run = np.zeros(len(self.docnos), dtype=np.int64)
        for place, ranked in enumerate(self.lists):
            ranks = np.arange(1, len(ranked.documents) + 1)
            better = ranks < best[ranked.documents]
            best[ranked.documents[better]] = ranks[better]
            first_run[ranked.documents[better]] = place
        return best, first_run

    def entries(self, chosen: Iterable[int]) -> tuple[PoolEntry, ...]:
        """The entries of these documents with all runs that retrieved them, sorted by docno (bytes)."""
        documents = sorted(set(chosen))
        slots = np.full(len(self.docnos), -1)
        slots[documents] = np.arange(len(documents))
        lengths = [len(ranked.documents) for ranked in self.lists]
        runs = len(lengths)
        # One number encodes slot, rank and run in the order of entries and, the lists being sorted by tag, of
        # contributions. It is less than the square of all lines of the topic, so that it does not overflow.
        longest = max(lengths, default=0)
        keys = np.concatenate(
            [
                (slots[ranked.documents] * longest + np.arange(length)) * runs + run
                for run, (ranked, length) in enumerate(zip(self.lists, lengths, strict=True))
            ]
        )
        keys = np.sort(keys[keys >= 0])
        ends = np.searchsorted(keys, np.arange(len(documents) + 1) * (longest * runs)).tolist()
        ranks, tags = np.divmod(keys % (longest * runs), runs)
        by_tag = [ranked.contributions for ranked in self.lists]
        brought = [by_tag[tag][rank] for tag, rank in zip(tags.tolist(), (ranks + 1).tolist(), strict=True)]
        return tuple(
            PoolEntry(self.topic, self.docnos[document], tuple(brought[begin:end]))
            for document, (begin, end) in zip(documents, pairwise(ends), strict=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Runs read into candidates: their tags and the topics with documents, both sorted (bytes)."""

    tags: tuple[str, ...]
    topics: tuple[TopicCandidates, ...]

    def largest_possible(self, budget: int) -> dict[str, int]:
        """For each topic the most pairs that a pool of this budget could have."""
        return {one.topic: min(budget, one.retrieved) for one in self.topics}


def gather(
    runs: Iterable[Run], *, depth: int | DepthOf | None = None, ties: TieRule = TieRule.TREC_EVAL
) -> Gathered:
    """What the runs retrieved, to a depth or (None) whole; the runs are taken one by one and not kept.

    Raises Conflict where two runs have the same tag.
    """
    # To ask for the place of a docno that has none yet gives it the next.
    places: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(count().__next__))
    lists: dict[str, list[Ranked]] = defaultdict(list)
    tags: list[str] = []
    for run in each_tag_once(runs):
        tags.append(run.tag)
        contributions = Contributions(run.tag)
        for topic, ranking in run.rankings.items():
            limit = depth(run.tag, topic) if callable(depth) else depth
            first = ordered(ranking, ties=ties) if limit is None else top(ranking, limit, ties=ties)
            if not first:
                continue
            documents = np.fromiter(map(places[topic].__getitem__, first), np.int32, len(first))
            # Copied, or else the scores beyond the depth would be kept with them.
            scores = np.sort(np.array(ranking.scores))[::-1][: len(first)].copy()
            lists[topic].append(Ranked(run.tag, documents, scores, contributions))
    # Removed one by one, so that memory does not contain everything twice.
    topics = tuple(_candidates(topic, places.pop(topic), lists.pop(topic)) for topic in sorted_ids(lists))
    return Gathered(tuple(sorted_ids(tags)), topics)


def _candidates(topic: str, known: Mapping[str, int], lists: Iterable[Ranked]) -> TopicCandidates:
    docnos = sorted_ids(known)
    sorted_places = np.empty(len(docnos), dtype=np.int32)
    sorted_places[[known[docno] for docno in docnos]] = np.arange(len(docnos))
    by_tag = sorted(lists, key=lambda ranked: id_bytes(ranked.tag))
    return TopicCandidates(
        topic,
        tuple(docnos),
        tuple(replace(one, documents=sorted_places[one.documents]) for one in by_tag),
    )


# Wider than rounding to 12 digits moves anything, so that nothing that could be chosen is left out.
_MARGIN = 1e-9


def to_twelve_digits(weight: float) -> float:
    """The weight rounded to 12 significant digits."""
    return float(f"{weight:.11e}")


def heaviest(weights: NDArray[np.float64], count: int) -> list[tuple[int, float]]:
    """The places and rounded weights of the `count` largest, largest first; of equal ones the later place.

    Weights are 0 or more. Where places are documents in the order of their docnos, the later place is the
    larger docno: the same rule as trec_eval's for equal scores.
    """
    at = np.arange(len(weights))
    if count < len(weights):
        smallest = np.partition(weights, len(weights) - count)[len(weights) - count]
        at = np.flatnonzero(weights >= smallest * (1 - _MARGIN))
    rounded = [
        (to_twelve_digits(weight), place)
        for weight, place in zip(weights[at].tolist(), at.tolist(), strict=True)
    ]
    rounded.sort(reverse=True)
    return [(place, weight) for weight, place in rounded[:count]]
