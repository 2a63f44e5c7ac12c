"""Values by topic and docno, such as grades, found for arrays of docnos."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import LONGEST, Docnos, Words, hashes, rows_of

Values = NDArray[np.int64]
Positions = NDArray[np.intp]
Marks = NDArray[np.bool_]
Rows = NDArray[np.uint64]
Halves = NDArray[np.uint32]

ABSENT = int(np.iinfo(np.int64).min)
"""Stands for the value of a pair that is not in the table; below every grade."""

# A pair is a slot's only one unless it has lost the slot to another: with these sizes one in ten of the first
# table, and one in forty of those in the second, is looked up further on.
_SLOTS_A_PAIR = (4, 16)
_OTHER_HASH = np.uint64(0x9E3779B97F4A7C15)
_LOST, _PLACE = np.uint64(1 << 31), np.uint32(2**31 - 1)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Documents to be found: docnos as words of eight bytes, shape (pairs, words), and their topics' numbers.

    `prints` are hashes of the docnos whose lowest bit is set; shape (pairs,).
    """

    docnos: Rows
    numbers: Positions
    prints: Words

    def at(self, places: Positions) -> Pairs:
        """These of the pairs."""
        return Pairs(_fetched(self.docnos, places), self.numbers.take(places), self.prints.take(places))


def pairs_of(docnos: Docnos, numbers: Positions, hashed: Words | None = None) -> Pairs:
    """Docnos with the numbers of their topics, and with the hashes of the docnos where they are known."""
    rows = rows_of(docnos)
    if hashed is None or docnos.itemsize > LONGEST:
        hashed = hashes(tuple(rows.T))
    return Pairs(rows, numbers, hashed | np.uint64(1))


class PairTable:
    """A hash table with a part for each topic; equal hashes never pass for equal docnos.

    A run's documents stand topic after topic, so that the part which is looked into stays in a processor's
    cache. Waiting for memory takes most of the time: so a slot is one word, half of a pair's hash over its
    place, and a pair's docno and value stand side by side.
    """

    def __init__(self, pairs: Pairs, values: Values, *, level: int = 0) -> None:
        # A power of two of slots for each topic; one for a topic without pairs.
        sizes = np.maximum(np.bincount(pairs.numbers), 1)
        bits = np.ceil(np.log2(_SLOTS_A_PAIR[level] * sizes)).astype(np.int64)
        self._shifts = (64 - bits).astype(np.uint64)
        self._firsts = np.append(0, np.cumsum(1 << bits))
        self._rows = np.column_stack((pairs.docnos, values.view(np.uint64)))
        slots, places = self._slots(pairs), np.arange(len(values), dtype=np.uint64)
        # An empty slot is zero, which no hash with its lowest bit set is.
        self._table = np.zeros(self._firsts[-1], dtype=np.uint64)
        self._table[slots] = pairs.prints << _HALF | places
        lost = np.flatnonzero(self._table[slots] & np.uint64(_PLACE) != places)
        self._table[slots[lost]] |= _LOST
        self._next: PairTable | None = None
        self._last: dict[tuple[bytes, int], int] = {}
        if len(lost) and level + 1 < len(_SLOTS_A_PAIR):
            self._next = PairTable(_hashed_again(pairs.at(lost)), values[lost], level=level + 1)
        elif len(lost):
            # Few, unless somebody has made docnos with equal hashes.
            self._last = dict(zip(_keys(pairs.at(lost)), values[lost].tolist(), strict=True))

    def find(self, pairs: Pairs) -> Values:
        """The value of each pair, or ABSENT."""
        found = np.full(len(pairs.numbers), ABSENT, dtype=np.int64)
        if pairs.numbers.max(initial=0) >= len(self._shifts):
            inside = np.flatnonzero(pairs.numbers < len(self._shifts))
            found[inside] = self.find(pairs.at(inside))
            return found
        entries = self._table.take(self._slots(pairs))
        places, prints = _low(entries), _low(entries >> _HALF)
        same = prints == _low(pairs.prints)
        at = np.flatnonzero(same)
        rows = _fetched(self._rows, (places.take(at) & _PLACE).astype(np.intp))
        equal = _equal(_fetched(pairs.docnos, at), rows[:, :-1])
        if not equal.all():
            same[at[~equal]] = False
            at, rows = at[equal], rows[equal]
        found[at] = rows[:, -1].view(np.int64)
        # Whoever has lost a slot is looked for where others are that have; most slots were never fought for.
        others = np.flatnonzero((places > _PLACE) & ~same)
        if len(others):
            found[others] = self._further(pairs.at(others))
        return found

    def _further(self, pairs: Pairs) -> Values:
        if self._next is not None:
            return self._next.find(_hashed_again(pairs))
        return np.array([self._last.get(key, ABSENT) for key in _keys(pairs)], dtype=np.int64)

    def _slots(self, pairs: Pairs) -> Positions:
        slots: Positions = (pairs.prints >> self._shifts.take(pairs.numbers)).view(np.int64)
        slots += self._firsts.take(pairs.numbers)
        return slots


def _hashed_again(pairs: Pairs) -> Pairs:
    """The pairs by other hashes; only equal hashes stay equal."""
    return Pairs(pairs.docnos, pairs.numbers, pairs.prints * _OTHER_HASH | np.uint64(1))


def _keys(pairs: Pairs) -> list[tuple[bytes, int]]:
    """Pairs as keys of a dictionary."""
    whole = pairs.docnos.view(f"S{pairs.docnos.shape[1] * pairs.docnos.itemsize}").ravel()
    return list(zip(whole.tolist(), pairs.numbers.tolist(), strict=True))


def _low(words: Words) -> Halves:
    """The lower halves of words."""
    return words.astype("<u8", copy=False).view(np.uint32)[::2]


def _fetched(rows: Rows, at: Positions) -> Rows:
    """The rows at these places, each fetched in one piece: half the time of word after word."""
    whole = rows.view(f"V{rows.shape[1] * rows.itemsize}").ravel()
    return whole.take(at).view(np.uint64).reshape(len(at), rows.shape[1])


def _equal(one: Rows, other: Rows) -> Marks:
    """Whether two docnos are the same, row by row; shorter ones are filled up with zeros."""
    both = min(one.shape[1], other.shape[1])
    equal: Marks = ~np.any(one[:, both:], axis=1) & ~np.any(other[:, both:], axis=1)
    for word in range(both):
        equal &= one[:, word] == other[:, word]
    return equal
