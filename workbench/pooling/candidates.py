"""All that runs retrieved, topic by topic and packed: what strategies beyond depth choose from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from workbench.pooling.tags import each_tag_once
from workbench.ranking import ordered, top
from workbench.records import Contribution, PoolEntry, Run, TieRule, id_bytes, sorted_ids

Floats = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """What one run retrieved for a topic, best first: documents as places in the topic's docnos; scores."""

    tag: str
    documents: Places
    scores: Floats

    @property
    def ranks(self) -> Floats:
        """The ranks 1, 2, ... of the documents."""
        return np.arange(1.0, len(self.documents) + 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
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
        documents = sorted(chosen)
        slots = np.full(len(self.docnos), -1)
        slots[documents] = np.arange(len(documents))
        brought: list[list[Contribution]] = [[] for _ in documents]
        for ranked in self.lists:
            slot = slots[ranked.documents]
            hits = np.flatnonzero(slot >= 0)
            for rank, at in zip((hits + 1).tolist(), slot[hits].tolist(), strict=True):
                brought[at].append(Contribution(ranked.tag, rank))
        # The runs came by tag and sorting is stable, so equal ranks stay in the order of the tags.
        return tuple(
            PoolEntry(self.topic, self.docnos[document], tuple(sorted(runs, key=_rank)))
            for document, runs in zip(documents, brought, strict=True)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """Runs read into candidates: their tags and the topics with documents, both sorted (bytes)."""

    tags: tuple[str, ...]
    topics: tuple[Candidates, ...]

    def largest_possible(self, budget: int) -> dict[str, int]:
        """For each topic the most pairs that a pool of this budget could have."""
        return {one.topic: min(budget, one.retrieved) for one in self.topics}


def gather(runs: Iterable[Run], *, depth: int | None = None, ties: TieRule = TieRule.TREC_EVAL) -> Gathered:
    """What the runs retrieved, to a depth or (None) whole; the runs are taken one by one and not kept.

    Raises Conflict where two runs have the same tag.
    """
    places: dict[str, defaultdict[str, int]] = {}
    lists: dict[str, list[Ranked]] = {}
    tags: list[str] = []
    for run in each_tag_once(runs):
        tags.append(run.tag)
        for topic, ranking in run.rankings.items():
            first = ordered(ranking, ties=ties) if depth is None else top(ranking, depth, ties=ties)
            if not first:
                continue
            # A document that is met for the first time gets the next place.
            known = places.setdefault(topic, defaultdict(count().__next__))
            documents = np.fromiter(map(known.__getitem__, first), dtype=np.int64, count=len(first))
            scores = np.sort(np.array(ranking.scores))[::-1][: len(first)]
            lists.setdefault(topic, []).append(Ranked(run.tag, documents, scores))
    topics = tuple(_candidates(topic, places[topic], lists[topic]) for topic in sorted_ids(lists))
    return Gathered(tuple(sorted_ids(tags)), topics)


def _candidates(topic: str, known: Mapping[str, int], lists: Iterable[Ranked]) -> Candidates:
    docnos = sorted_ids(known)
    sorted_places = np.empty(len(docnos), dtype=np.int64)
    sorted_places[[known[docno] for docno in docnos]] = np.arange(len(docnos))
    by_tag = sorted(lists, key=lambda ranked: id_bytes(ranked.tag))
    return Candidates(
        topic,
        tuple(docnos),
        tuple(Ranked(one.tag, sorted_places[one.documents], one.scores) for one in by_tag),
    )


def _rank(contribution: Contribution) -> int:
    return contribution.rank
