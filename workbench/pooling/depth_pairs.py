"""The pairs of a depth pool and nothing else: several times faster than with the runs that brought each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise

import numpy as np

from workbench.pooling.depths import NO_OTHERS, Depths
from workbench.pooling.pair_keys import Places, Words, docnos_from, grouped, joined, words_of
from workbench.pooling.reached import RunTops
from workbench.pooling.tags import each_tag_once
from workbench.records import Run, id_bytes, sorted_ids

# Equal pairs are sought when so many have come at least, and as many as there are already.
_AT_ONCE = 2**18


def depth_pairs(
    runs: Iterable[RunTops | Run],
    *,
    depth: int = 100,
    run_depths: Mapping[str, int] = NO_OTHERS,
    topic_depths: Mapping[str, int] = NO_OTHERS,
) -> dict[str, list[bytes]]:
    """The docnos of the pool that `depth_pool` makes, by topic; topics and docnos sorted (bytes).

    The documents of each run stand best first, and reach to the largest of the depths or to the run's end.
    Runs as arrays are what is fast. Runs are taken one by one and not kept; their order does not matter.
    Raises what `depth_pool` raises.
    """
    depths = Depths(depth, run_depths, topic_depths)
    tags: set[str] = set()
    places: dict[str, int] = {}
    arrays = _Distinct()
    strings: dict[str, set[str]] = defaultdict(set)
    for run in each_tag_once(runs):
        tags.add(run.tag)
        topics = tuple(run.rankings) if isinstance(run, Run) else run.topics
        numbers = [places.setdefault(topic, len(places)) for topic in topics]
        limits = [depths.of(run.tag, topic) for topic in topics]
        if isinstance(run, Run):
            for topic, limit in zip(topics, limits, strict=True):
                strings[topic].update(run.rankings[topic].docnos[:limit])
        else:
            kept = run.ranks <= np.array(limits, dtype=np.int64)[run.numbers]
            arrays.add(np.array(numbers, dtype=np.int64)[run.numbers[kept]], run.docnos[kept])
    depths.check_known(tags, set(places))
    found = arrays.by_number(len(places))
    pool = {}
    for topic in sorted_ids(places):
        docnos = found[places[topic]]
        if strings[topic]:
            docnos = list({*docnos, *map(id_bytes, strings[topic])})
        if docnos:
            pool[topic] = sorted(docnos)
    return pool


class _Distinct:
    """Pairs of a topic's number and a docno, each kept once, as columns."""

    def __init__(self) -> None:
        self._numbers: list[Places] = []
        self._words: list[tuple[Words, ...]] = []
        self._known = self._waiting = 0

    def add(self, numbers: Places, docnos: np.ndarray[tuple[int], np.dtype[np.bytes_]]) -> None:
        """Add pairs, among which may be those that are there."""
        self._numbers.append(numbers)
        self._words.append(words_of(docnos, whole=True))
        self._waiting += len(numbers)
        if self._waiting > max(self._known, _AT_ONCE):
            self._bring_together()

    def by_number(self, count: int) -> list[list[bytes]]:
        """The docnos of each of so many numbers, in no order."""
        if not self._known + self._waiting:
            return [[] for _ in range(count)]
        self._bring_together()
        (numbers,), (words,) = self._numbers, self._words
        order = np.argsort(numbers, kind="stable")
        ends = np.searchsorted(numbers[order], np.arange(count + 1)).tolist()
        docnos = docnos_from(words)[order].tolist()
        return [docnos[begin:end] for begin, end in pairwise(ends)]

    def _bring_together(self) -> None:
        numbers, words = np.concatenate(self._numbers), joined(self._words)
        order, starts = grouped(words, numbers)
        first = order[starts]
        self._numbers, self._words = [numbers[first]], [tuple(word[first] for word in words)]
        self._known, self._waiting = len(first), 0
