"""Pairs of topic and document brought together where they are equal: the inner loop of `reached`."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

Docnos = np.ndarray[tuple[int], np.dtype[np.bytes_]]
Words = NDArray[np.uint64]
Places = NDArray[np.int64]

LONGEST = 64
"""The bytes of a docno that are compared as they are; a longer one counts as 32 of them and its SHA-256."""

_WORD = 8
# Odd, without a pattern, and one for each word: equal words in other places are not the same.
_FACTORS = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(1, 12)]


def words_of(docnos: Docnos) -> Words:
    """Docnos as rows of words of eight bytes."""
    width = docnos.itemsize
    if width > LONGEST:
        long = np.flatnonzero(np.strings.str_len(docnos) > LONGEST)
        short = docnos.astype(f"S{LONGEST}")
        short[long] = [docno[: LONGEST // 2] + sha256(docno).digest() for docno in docnos[long].tolist()]
        docnos, width = short, LONGEST
    words = max(1, -(-width // _WORD))
    if width != words * _WORD:
        docnos = docnos.astype(f"S{words * _WORD}")
    return np.ascontiguousarray(docnos).view("<u8").reshape(len(docnos), words)


def docnos_from(words: Words) -> Docnos:
    """The docnos whose words these are."""
    rows = np.ascontiguousarray(words).astype("<u8", copy=False)
    return rows.view(f"S{words.shape[1] * _WORD}").ravel()


def stacked(parts: Sequence[Words]) -> Words:
    """All words in one array, the narrower rows filled up with zeros."""
    widest = max((part.shape[1] for part in parts), default=1)
    if parts and all(part.shape[1] == widest for part in parts):
        return np.concatenate(parts)
    whole = np.zeros((sum(map(len, parts)), widest), dtype=np.uint64)
    start = 0
    for part in parts:
        whole[start : start + len(part), : part.shape[1]] = part
        start += len(part)
    return whole


def grouped(words: Words, numbers: Places) -> tuple[Places, Places]:
    """An order in which equal pairs stand together, and where in it each group begins; there is at least one.

    Pairs are sorted by fingerprints, which takes a third of the time of sorting their docnos; should two
    ever share one, which is seen here, they are sorted by themselves.
    """
    prints = fingerprints(words, numbers)
    order = np.argsort(prints)
    new = _changes(words[order], numbers[order])
    sorted_prints = prints[order]
    # Equal pairs have equal fingerprints; were other pairs among them, a change would be of the pair alone.
    if (new[1:] != (sorted_prints[1:] != sorted_prints[:-1])).any():
        order = np.lexsort((*words.T, numbers))
        new = _changes(words[order], numbers[order])
    return order, np.flatnonzero(new)


def fingerprints(words: Words, numbers: Places) -> Words:
    """A number for each pair; words of zeros behind a docno change nothing."""
    total = numbers.astype(np.uint64) * _FACTORS[1]
    for word in range(words.shape[1]):
        mixed = words[:, word] * _FACTORS[0]
        mixed ^= mixed >> np.uint64(32)
        mixed *= _FACTORS[word + 2]
        total += mixed
    total ^= total >> np.uint64(32)
    total *= _FACTORS[-1]
    return total


def _changes(words: Words, numbers: Places) -> NDArray[np.bool_]:
    """Whether each pair is another than the one before it."""
    new = np.ones(len(numbers), dtype=np.bool_)
    new[1:] = numbers[1:] != numbers[:-1]
    for word in range(words.shape[1]):
        new[1:] |= words[1:, word] != words[:-1, word]
    return new
