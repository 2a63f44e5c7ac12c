"""What a pool would cost before it is made: pairs by topic, from arrays of what runs reach, and hours.

Of a thousand runs to depth 100 on 500 topics there are fifty million places, and a million pairs in them.
Each place is one number: the leading bits of the docno's hash, and behind these the rank and the run. Sorted,
those of one document stand together, best rank first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Places, Words, hashes, words_of
from workbench.errors import Finding, InvalidInput
from workbench.frozen import frozen_dataclass
from workbench.pooling.run_tops import Marks, Reached, RunTops, reached
from workbench.records import places_of

LONGEST_SECONDS = 36_000
MOST_ASSESSORS = 10_000
_SECONDS_AN_HOUR = 3600


@frozen_dataclass
class JudgingWork:
    """How pairs are judged: by how many assessors each, by how many in all, at how many seconds a judgment.

    Raises InvalidInput with a finding for each number that cannot be, coded by its field.
    """

    per_pair: int
    assessors: int
    seconds: float

    def __post_init__(self) -> None:
        findings = []
        if self.per_pair < 1:
            findings.append(_finding("per_pair", "every pair must be judged at least once", "give 1 or more"))
        if not 1 <= self.assessors <= MOST_ASSESSORS:
            findings.append(
                _finding(
                    "assessors", "the number of assessors is out of range", f"give 1 to {MOST_ASSESSORS:,}"
                )
            )
        elif self.assessors < self.per_pair:
            message = f"{self.per_pair} judgments per pair need as many assessors, not {self.assessors}"
            findings.append(
                _finding("assessors", message, "give more assessors, or fewer judgments per pair")
            )
        if not 0 < self.seconds <= LONGEST_SECONDS:
            message = f"a judgment cannot take {self.seconds:g} seconds"
            findings.append(_finding("seconds", message, f"give more than 0, at most {LONGEST_SECONDS:,}"))
        if findings:
            raise InvalidInput(findings)

    def judgments(self, pairs: float) -> float:
        """How many judgments these pairs need."""
        return pairs * self.per_pair

    def hours(self, pairs: float) -> float:
        """The hours that all assessors need together."""
        return self.judgments(pairs) * self.seconds / _SECONDS_AN_HOUR

    def hours_each(self, pairs: float) -> float:
        """The hours of each assessor, where the work is shared evenly."""
        return self.hours(pairs) / self.assessors


def _finding(code: str, message: str, remedy: str) -> Finding:
    return Finding("Plan", None, code, message, remedy)


Values = Mapping[str, Any]
Lengths = Mapping[str, int]
"""The number of documents of the longest list, by topic."""

Counts = NDArray[np.float64]
"""Pairs by topic, in the order of the topics."""


class Certainty(StrEnum):
    """How far a planned size is the size of the pool when it is made."""

    EXACT = "exact"
    EXPECTED = "expected"  # on average over all samples
    AT_MOST = "at most"


@frozen_dataclass
class Sizes:
    """The pairs of a pool by topic, topics sorted (bytes); whole numbers unless they are expected."""

    topics: tuple[str, ...]
    pairs: tuple[float, ...]
    certainty: Certainty

    @property
    def total(self) -> float:
        """The pairs of all topics."""
        return float(sum(self.pairs))


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """What the size of a planned pool is computed from: the runs, the strategy's values, and what is known.

    `longest` has the length of each topic's longest list. A supplementary pool leaves out what is known.
    """

    reach: Reached
    values: Values
    longest: Places
    supplementary: bool

    def new(self, chosen: Marks) -> Counts:
        """The chosen pairs by topic, without what is known already."""
        return self.reach.per_topic(chosen & ~self.reach.known).astype(np.float64)


Size = Callable[[Planned], tuple[Counts, Certainty]]
"""How many pairs of each topic a strategy's pool would have, and how certain that is."""


def size_of_budget(planned: Planned) -> tuple[Counts, Certainty]:
    """The size where every topic gets the same budget of documents, whichever they are."""
    budget = planned.values["budget"]
    candidates = np.maximum(planned.reach.per_topic(planned.reach.best > 0), planned.longest)
    chosen = np.minimum(budget, candidates)
    if not planned.supplementary:
        return chosen.astype(np.float64), Certainty.EXACT
    # Only where all lists are known whole is it known how many candidates are new.
    new = planned.reach.per_topic(~planned.reach.known)
    most = np.where(planned.longest <= budget, np.minimum(chosen, new), chosen)
    return most.astype(np.float64), Certainty.AT_MOST


def size_of_adaptive(planned: Planned) -> tuple[Counts, Certainty]:
    """The size of an adaptive pool: its budget, as far as there are documents within its depth."""
    # The strategy learns what is known; it is not handed out, and takes nothing from the budget.
    free = planned.new(planned.reach.best <= planned.values["depth"])
    return np.minimum(free, planned.values["budget"]), Certainty.EXACT


def size_of_sample(
    planned: Planned, within: Marks, candidates: Places, drawn: Places
) -> tuple[Counts, Certainty]:
    """The size of a sample, where `drawn` of the `candidates` of each topic, those `within`, are drawn.

    Of a supplementary pool it is the expected number: the share of the new among all that can be drawn.
    """
    if not planned.supplementary:
        return drawn.astype(np.float64), Certainty.EXACT
    new = planned.reach.per_topic(within & ~planned.reach.known)
    return drawn * new / np.maximum(candidates, 1), Certainty.EXPECTED


def growth_table(reach: Reached, depth: int) -> Places:
    """New pairs by topic (rows) and depth 1, 2, ... (columns), without what is known already."""
    fresh = ~reach.known & (reach.best <= depth)
    cells = reach.numbers[fresh] * depth + reach.best[fresh] - 1
    return np.bincount(cells, minlength=len(reach.topics) * depth).reshape(len(reach.topics), depth)


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
    if not tags or not topics:
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
        best, first, runs, marks = (np.concatenate(column) for column in zip(*parts, strict=True))
        numbers = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
        return Reached(tuple(tags), tuple(topics), numbers, best, first, runs, marks)
    return reached(tops(), known=known)


_PlacedTopic = tuple[Places, Places, Places, Marks]
"""The distinct documents of a topic, as `Reached` has them: best ranks, first runs, runs, what is known."""


def _counted(
    tops: Iterable[RunTops],
    tags: Sequence[str],
    topics: Sequence[str],
    depth: int,
    known: RunTops | None,
    seed: int,
) -> list[_PlacedTopic]:
    place_of = places_of(tags)
    number_of = places_of(topics)
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
            numbers = one.numbers_in(number_of)
            here = np.flatnonzero(numbers >= 0)
            deep = one.ranks[here] - 1
            targets = numbers[here] * places + deep
            codes = (deep * len(tags)).astype(np.uint64)
        place = place_of[one.tag]
        found = hashes(words_of(one.docnos if len(here) == len(one.docnos) else one.docnos[here]), seed)
        target = targets + place * depth
        checks[target] = found.astype(np.uint16)
        found >>= behind
        found <<= behind
        found |= codes + np.uint64(place)
        keys[target] = found
    of_topics = zip(keys.reshape(-1, places), checks.reshape(-1, places), known_hashes, strict=True)
    return [_topic(*of_topic, behind, depth, len(tags)) for of_topic in of_topics]


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
    return rank[there] + 1, place[there], (counts - marks)[there], marks[there] > 0


def _known_by_topic(known: RunTops | None, number_of: dict[str, int], seed: int) -> list[Words]:
    """The hashes of what is known of each topic."""
    nothing = np.empty(0, np.uint64)
    if known is None or not len(known.docnos):
        return [nothing] * len(number_of)
    numbers = known.numbers_in(number_of)
    found = hashes(words_of(known.docnos), seed)
    order = np.argsort(numbers, kind="stable")
    bounds = np.searchsorted(numbers[order], np.arange(len(number_of) + 1))
    return [
        found[order[begin:end]] for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
    ]
