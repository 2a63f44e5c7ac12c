"""Document ids as arrays: their bytes as words of eight, which are compared and hashed fast."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Docnos = np.ndarray[tuple[int], np.dtype[np.bytes_]]
Words = NDArray[np.uint64]
Places = NDArray[np.int64]

LONGEST = 64
"""The bytes of a docno that are compared as they are; a longer one counts as 32 of them and its SHA-256."""

_WORD = 8
# Odd, without a pattern, and one for each word: equal words in other places are not the same.
_FACTORS = [np.uint64(pow(0x9E3779B97F4A7C15, power, 2**64)) for power in range(1, 20)]


def words_of(docnos: Docnos, *, whole: bool = False) -> tuple[Words, ...]:
    """The words of eight bytes that docnos have: their first words, their second, and so on.

    With `whole` all their bytes are kept, however many.
    """
    return tuple(rows_of(docnos, whole=whole).T)


def rows_of(docnos: Docnos, *, whole: bool = False) -> Words:
    """The words of eight bytes that docnos have, shape (docnos, words); `whole` as in `words_of`."""
    width = docnos.itemsize
    if width > LONGEST and not whole:
        # Imported here, since OpenSSL comes with it, and few collections have such docnos.
        from hashlib import sha256

        long = np.flatnonzero(np.strings.str_len(docnos) > LONGEST)
        short = docnos.astype(f"S{LONGEST}")
        short[long] = [docno[: LONGEST // 2] + sha256(docno).digest() for docno in docnos[long].tolist()]
        docnos, width = short, LONGEST
    words = max(1, -(-width // _WORD))
    if width != words * _WORD:
        docnos = docnos.astype(f"S{words * _WORD}")
    return np.ascontiguousarray(docnos).view("<u8").reshape(len(docnos), words)


def docnos_from(words: Sequence[Words]) -> Docnos:
    """The docnos whose words these are."""
    return np.stack(words, axis=1).astype("<u8", copy=False).view(f"S{len(words) * _WORD}").ravel()


def joined(parts: Sequence[tuple[Words, ...]]) -> tuple[Words, ...]:
    """The words of several docnos in one; those of the shorter are filled up with zeros."""
    widest = max(map(len, parts), default=1)
    nothing = [np.zeros(len(part[0]) if len(part) < widest else 0, dtype=np.uint64) for part in parts]
    return tuple(
        np.concatenate(
            [
                np.empty(0, dtype=np.uint64),
                *(
                    part[word] if word < len(part) else zeros
                    for part, zeros in zip(parts, nothing, strict=True)
                ),
            ]
        )
        for word in range(widest)
    )


def fingerprints(words: Sequence[Words], numbers: Places) -> Words:
    """A number for each pair; words of zeros behind a docno change nothing."""
    return _finished(_mixed(words, numbers.astype(np.uint64) * _FACTORS[1]))


def hashes(words: Sequence[Words], seed: int = 0) -> Words:
    """A number for each docno, another for each seed; words of zeros behind it change nothing."""
    return _finished(_mixed(words, np.full(len(words[0]), seed, dtype=np.uint64)))


def _mixed(words: Sequence[Words], total: Words) -> Words:
    for word, factor in zip(words, _FACTORS[2:], strict=False):
        mixed = word * _FACTORS[0]
        mixed ^= mixed >> np.uint64(32)
        mixed *= factor
        total += mixed
    return total


def _finished(total: Words) -> Words:
    total ^= total >> np.uint64(32)
    total *= _FACTORS[-1]
    return total
