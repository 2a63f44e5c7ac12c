"""What many runs reach, counted topic by topic in bounded memory, without the docnos themselves.

Of a thousand runs to depth 100 on 500 topics there are fifty million places, and a million pairs in them.
Each place is one number: the leading bits of the docno's hash, and behind these the rank and the run. Sorted,
those of one document stand together, best rank first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Places, Words, hashes, words_of
from workbench.pooling.run_tops import Reached, RunTops, reached

MOST_PLACES = 2**26
"""Places that are in memory at once, ten bytes each; where there are more, the runs are read again."""
SEEDS = (0, 0x9E3779B9, 0x85EBCA6B)
_NOWHERE = np.uint64(2**64 - 1)

Tops = Callable[[], Iterable[RunTops]]


class SharedHash(Exception):
    """Two documents of a topic have the same leading bits of their hashes."""


def reached_in_places(
    tops: Tops, *, tags: Sequence[str], topics: Sequence[str], depth: int, known: RunTops | None = None
) -> Reached:
    """The same as `reached`, without docnos, of runs that are read once for each portion of the topics.

    `tags` are those of the runs, `topics` all that any of them has, both sorted (bytes); `tops` gives the
    runs' first documents to this depth, each time it is called.
    """
    if not tags:
        return reached(tops(), known=known)
    at_once = max(1, MOST_PLACES // (depth * len(tags)))
    for seed in SEEDS:
        try:
            parts = [
                part
                for start in range(0, len(topics), at_once)
                for part in _counted(tops(), tags, topics[start : start + at_once], depth, known, seed)
            ]
        except SharedHash:
            continue
        columns = [np.concatenate(column) for column in zip(*(part.columns for part in parts), strict=True)]
        sizes = [len(part.best) for part in parts]
        best, first, runs = columns or [np.empty(0, np.int64)] * 3
        marks = np.concatenate([np.empty(0, np.bool_), *(part.known for part in parts)])
        numbers = np.repeat(np.arange(len(parts)), sizes)
        return Reached(tuple(tags), tuple(topics), numbers, best, first, runs, marks)
    return reached(tops(), known=known)


@dataclass(frozen=True, slots=True, eq=False)
class _PlacedTopic:
    """The distinct documents of a topic, as `Reached` has them."""

    best: Places
    first: Places
    runs: Places
    known: NDArray[np.bool_]

    @property
    def columns(self) -> tuple[Places, Places, Places]:
        return self.best, self.first, self.runs


def _counted(
    tops: Iterable[RunTops],
    tags: Sequence[str],
    topics: Sequence[str],
    depth: int,
    known: RunTops | None,
    seed: int,
) -> list[_PlacedTopic]:
    place_of = {tag: place for place, tag in enumerate(tags)}
    number_of = {topic: number for number, topic in enumerate(topics)}
    places = depth * len(tags)
    known_hashes = _known_by_topic(known, number_of, seed)
    longest = max(map(len, known_hashes), default=0)
    # One code more than there are, lest any be all ones.
    behind = np.uint64((places + longest).bit_length())
    keys = np.full(len(topics) * places, _NOWHERE)
    checks = np.zeros(len(topics) * places, np.uint16)
    before: tuple[object, ...] = (None, None, None)
    for one in tops:
        # Runs of one layout have the same arrays.
        shape = one.topics, one.numbers, one.ranks
        if any(mine is not theirs for mine, theirs in zip(shape, before, strict=True)):
            before = shape
            of_topics = np.array([number_of.get(topic, -1) for topic in one.topics], np.int64)[one.numbers]
            here = np.flatnonzero(of_topics >= 0)
            deep = one.ranks[here] - 1
            targets = of_topics[here] * places + deep
            codes = (deep * len(tags)).astype(np.uint64)
        place = place_of[one.tag]
        found = hashes(words_of(one.docnos if len(here) == len(one.docnos) else one.docnos[here]), seed)
        target = targets + place * depth
        checks[target] = found.astype(np.uint16)
        found >>= behind
        found <<= behind
        found |= codes + np.uint64(place)
        keys[target] = found
    return [
        _topic(
            keys[number * places : (number + 1) * places],
            checks[number * places : (number + 1) * places],
            known_hashes[number],
            behind,
            depth,
            len(tags),
        )
        for number in range(len(topics))
    ]


def _topic(
    keys: Words, checks: NDArray[np.uint16], known: Words, behind: np.uint64, depth: int, runs: int
) -> _PlacedTopic:
    """The documents of a topic by the keys of its places, which are sorted."""
    places = len(keys)
    if len(known):
        keys = np.concatenate(
            [keys, ((known >> behind) << behind) | np.arange(places, places + len(known), dtype=np.uint64)]
        )
        checks = np.concatenate([checks, known.astype(np.uint16)])
    keys.sort()
    keys = keys[: np.searchsorted(keys, _NOWHERE)]
    leading = keys >> behind
    starts = np.flatnonzero(np.concatenate([[True], leading[1:] != leading[:-1]])[: len(keys)])
    counts = np.diff(np.append(starts, len(keys)))
    codes = (keys & ((np.uint64(1) << behind) - np.uint64(1))).astype(np.int64)
    firsts = codes[starts]
    rank, place = np.divmod(firsts, runs)
    # Of documents that share the leading bits the other bits differ, and so does their sum.
    at = np.where(firsts < places, place * depth + rank, firsts)
    if int(counts @ checks[at].astype(np.int64)) != int(checks.sum(dtype=np.int64)):
        raise SharedHash
    marks = np.zeros(len(starts), np.int64)
    if len(known) and len(starts):
        marks = np.add.reduceat((codes >= places).astype(np.int64), starts)
    there = firsts < places
    return _PlacedTopic(rank[there] + 1, place[there], (counts - marks)[there], marks[there] > 0)


def _known_by_topic(known: RunTops | None, number_of: dict[str, int], seed: int) -> list[Words]:
    """The hashes of what is known of each topic."""
    nothing = np.empty(0, np.uint64)
    if known is None or not len(known.docnos):
        return [nothing] * len(number_of)
    numbers = np.array([number_of.get(topic, -1) for topic in known.topics], np.int64)[known.numbers]
    found = hashes(words_of(known.docnos), seed)
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], np.arange(len(number_of) + 1))
    return [
        found[order[begin:end]] for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]
