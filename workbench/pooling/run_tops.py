"""The first documents of runs as arrays, and equal pairs of topic and document brought together fast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Docnos, Places, Words, docnos_from, fingerprints, joined, words_of
from workbench.errors import Conflict
from workbench.records import Ranking, Run, id_bytes, places_of, sorted_ids


def grouped(words: Sequence[Words], numbers: Places) -> tuple[Places, Places]:
    """An order in which equal pairs are adjacent, and where in it each group begins; there is at least one.

    Pairs are sorted by the leading bits of their fingerprints with their places behind these, which takes a
    sixth of the time of sorting their docnos; should two share these bits, which is seen here, they are
    sorted by whole fingerprints, and should two ever share one by themselves.
    """
    prints = fingerprints(words, numbers)
    behind = np.uint64(max(1, (len(prints) - 1).bit_length()))
    keys = ((prints >> behind) << behind) | np.arange(len(prints), dtype=np.uint64)
    keys.sort()
    order = (keys & ((np.uint64(1) << behind) - np.uint64(1))).astype(np.int64)
    keys >>= behind
    columns: list[Words | Places] = [*words, numbers]
    new = _changes(columns, order)
    # Equal pairs have equal fingerprints; were other pairs among them, a change would be of the pair alone.
    if (new != _new([keys])).any():
        order = np.argsort(prints)
        new = _changes(columns, order)
        if (new != _changes([prints], order)).any():
            order = np.lexsort(columns)
            new = _changes(columns, order)
    return order, np.flatnonzero(new)


def _changes(columns: Sequence[Words | Places], order: Places) -> NDArray[np.bool_]:
    """Whether each is another, in any column, than the one before it in this order."""
    return _new([column[order] for column in columns])


def _new(columns: Sequence[Words | Places]) -> NDArray[np.bool_]:
    new = np.ones(len(columns[0]), dtype=np.bool_)
    new[1:] = False
    for values in columns:
        new[1:] |= values[1:] != values[:-1]
    return new


Marks = NDArray[np.bool_]

KNOWN = 0
"""The rank that marks what is pooled or judged already in the tops that `known_tops` makes."""

_LAST = np.iinfo(np.int64).max
_PORTION = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class RunTops:
    """The first documents of a run: for each its topic (number in `topics`), rank (from 1) and docno."""

    tag: str
    topics: tuple[str, ...]
    numbers: Places
    ranks: Places
    docnos: Docnos

    @classmethod
    def of(cls, run: Run) -> RunTops:
        """The tops of a run whose documents are ordered best first."""
        listed = [ranking.docnos for ranking in run.rankings.values()]
        numbers = np.repeat(np.arange(len(listed)), [len(docnos) for docnos in listed])
        ranks = np.array([rank for docnos in listed for rank in range(1, len(docnos) + 1)], dtype=np.int64)
        encoded = [id_bytes(docno) for docnos in listed for docno in docnos]
        return cls(run.tag, tuple(run.rankings), numbers, ranks, np.array(encoded, dtype=np.bytes_))

    def numbers_in(self, topics: Mapping[str, int]) -> Places:
        """The number that these topics have there, of each document; -1 of one that is not among them."""
        return np.array([topics.get(topic, -1) for topic in self.topics], dtype=np.int64)[self.numbers]

    def run(self) -> Run:
        """The tops as a run, whose scores are its ranks turned round."""
        listed: dict[str, list[str]] = {topic: [] for topic in self.topics}
        for number, docno in zip(self.numbers.tolist(), self.docnos.tolist(), strict=True):
            listed[self.topics[number]].append(docno.decode("utf-8", "surrogateescape"))
        return Run(
            self.tag,
            {
                topic: Ranking(tuple(docnos), tuple(map(float, range(len(docnos), 0, -1))))
                for topic, docnos in listed.items()
            },
        )


@dataclass(frozen=True, slots=True, eq=False)
class Reached:
    """Every distinct pair of topic and document, in the order of the topics, and its place in the runs.

    `topics` are sorted (bytes), `numbers` are places in it. `best` is the best rank, `first` the first run by
    tag (bytes) that has the pair there, `runs` how many have it at all; `known` marks what is pooled or
    judged already.
    """

    tags: tuple[str, ...]
    topics: tuple[str, ...]
    numbers: Places
    best: Places
    first: Places
    runs: Places
    known: Marks

    def per_topic(self, chosen: Marks) -> Places:
        """How many of the chosen pairs each topic has."""
        return np.bincount(self.numbers[chosen], minlength=len(self.topics))


@dataclass(frozen=True, slots=True, eq=False)
class ReachedDocnos(Reached):
    """The same with the docno of each pair.

    It is as many bytes as it has, up to 64; of a longer one there are 32 and its SHA-256, since nothing but
    being equal matters here.
    """

    docnos: Docnos


def reached(
    tops: Iterable[RunTops],
    *,
    known: RunTops | None = None,
    run_depths: Mapping[str, int] | None = None,
    topic_depths: Mapping[str, int] | None = None,
) -> ReachedDocnos:
    """All that the runs have among their first documents, whatever the order in which the runs come.

    Where a run or topic has a depth of its own (where both have, the smaller applies), what lies within
    counts as rank 1 and what lies beyond is not there: such a document is in a pool of any depth, or in none.
    Raises Conflict where two runs have the same tag.
    """
    all_tops = sorted(tops, key=lambda one: id_bytes(one.tag))
    for before, after in pairwise(all_tops):
        if before.tag == after.tag:
            raise Conflict(f'two runs have the tag "{after.tag}"', remedy="give each its own tag")
    topics = tuple(sorted_ids({topic for one in all_tops for topic in one.topics}))
    place_of = places_of(topics)
    merging = _Merging()
    for place, one in enumerate(all_tops):
        ranks = _limited(one, run_depths or {}, topic_depths or {})
        kept = slice(None) if ranks.all() else ranks > 0
        # The best rank and, of the runs that have it, the first: the smallest code encodes both.
        codes = ranks[kept] * len(all_tops) + place
        merging.add(_Entries.of(one.numbers_in(place_of)[kept], words_of(one.docnos[kept]), codes))
    if known is not None:
        numbers = known.numbers_in(place_of)
        there = numbers >= 0
        codes = np.full(int(there.sum()), _LAST)
        merging.add(_Entries.of(numbers[there], words_of(known.docnos[there]), codes))
    return _found(tuple(one.tag for one in all_tops), topics, merging.whole())


def known_tops(pairs: Iterable[tuple[str, str]]) -> RunTops:
    """Pairs of topic and docno that are pooled or judged already, for `reached`."""
    listed = list(pairs)
    topics = tuple(dict.fromkeys(topic for topic, _ in listed))
    place_of = places_of(topics)
    numbers = np.array([place_of[topic] for topic, _ in listed], dtype=np.int64)
    docnos = id_bytes("\n".join(docno for _, docno in listed)).split(b"\n") if listed else []
    if len(docnos) != len(listed):  # an id with a line feed in it, which no run can have
        docnos = [id_bytes(docno) for _, docno in listed]
    ranks = np.full(len(listed), KNOWN, dtype=np.int64)
    return RunTops("", topics, numbers, ranks, np.array(docnos, dtype=np.bytes_))


def _limited(one: RunTops, run_depths: Mapping[str, int], topic_depths: Mapping[str, int]) -> Places:
    """The ranks, 1 within a depth of its own and 0 beyond it."""
    of_run = run_depths.get(one.tag)
    if of_run is None and not topic_depths:
        return one.ranks
    own = np.full(len(one.topics), _LAST if of_run is None else of_run)
    for number, topic in enumerate(one.topics):
        own[number] = min(own[number], topic_depths.get(topic, _LAST))
    limits = own[one.numbers]
    return np.where(limits == _LAST, one.ranks, one.ranks <= limits)


@dataclass(frozen=True, slots=True, eq=False)
class _Entries:
    """Pairs with the smallest of their codes, _LAST where they are only known, and how many runs have them.

    The same pair may be there several times.
    """

    numbers: Places
    words: tuple[Words, ...]
    codes: Places
    runs: NDArray[np.int32]
    known: Marks

    @classmethod
    def of(cls, numbers: Places, words: tuple[Words, ...], codes: Places) -> _Entries:
        known = codes == _LAST
        return cls(numbers, words, codes, (~known).astype(np.int32), known)

    @classmethod
    def joined(cls, parts: Sequence[_Entries]) -> _Entries:
        if not parts:
            nothing = np.empty(0, dtype=np.int64)
            return cls.of(nothing, joined([]), nothing)
        return cls(
            np.concatenate([one.numbers for one in parts]),
            joined([one.words for one in parts]),
            np.concatenate([one.codes for one in parts]),
            np.concatenate([one.runs for one in parts]),
            np.concatenate([one.known for one in parts]),
        )

    def merged(self) -> _Entries:
        """Every pair once, in an order that follows from the pairs alone."""
        if not len(self.numbers):
            return self
        order, starts = grouped(self.words, self.numbers)
        at = order[starts]
        return _Entries(
            self.numbers[at],
            tuple(word[at] for word in self.words),
            np.minimum.reduceat(self.codes[order], starts),
            np.add.reduceat(self.runs[order], starts),
            np.logical_or.reduceat(self.known[order], starts),
        )


class _Merging:
    """Entries that are merged some millions at a time: a thousand runs have fifty, and one of pairs."""

    def __init__(self) -> None:
        self._merged: list[_Entries] = []
        self._waiting: list[_Entries] = []
        self._size = 0

    def add(self, entries: _Entries) -> None:
        """Take in the entries of one run."""
        self._waiting.append(entries)
        self._size += len(entries.numbers)
        if self._size >= _PORTION:
            self._merged.append(_Entries.joined(self._waiting).merged())
            self._waiting, self._size = [], 0

    def whole(self) -> _Entries:
        """Every pair of all entries once."""
        return _Entries.joined([*self._merged, *self._waiting]).merged()


def _found(tags: tuple[str, ...], topics: tuple[str, ...], entries: _Entries) -> ReachedDocnos:
    """What the runs have of the entries, topic by topic, so that the pairs of one are adjacent."""
    found = np.flatnonzero(entries.codes != _LAST)
    found = found[np.argsort(entries.numbers[found], kind="stable")]
    best, first = np.divmod(entries.codes[found], len(tags) or 1)
    docnos = docnos_from([word[found] for word in entries.words])
    runs = entries.runs[found].astype(np.int64)
    return ReachedDocnos(
        tags, topics, entries.numbers[found], best, first, runs, entries.known[found], docnos
    )
