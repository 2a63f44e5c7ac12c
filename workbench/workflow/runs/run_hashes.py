"""Runs by the hashes of their files: where some of them stand among others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from workbench.scoring.relevance import Positions

Hashes = NDArray[np.uint8]
"""The SHA-256 of files; shape (runs, 32)."""
_BYTES = 32


def hashes_of(runs: Iterable[str]) -> Hashes:
    """Hashes from their hexadecimal digits; of the same runs the same array."""
    return _hashes("".join(runs))


@lru_cache(maxsize=8)
def _hashes(digits: str) -> Hashes:
    return np.frombuffer(bytes.fromhex(digits), np.uint8).reshape(-1, _BYTES)


def places_among(known: Hashes, requested: Hashes) -> Positions:
    """Where the requested ones stand among those known, -1 where they do not; shape (requested,)."""
    # Of hundreds of topics most have this very array.
    if known is requested or np.array_equal(known, requested):
        return np.arange(len(requested))
    return _places(known.tobytes(), requested.tobytes())


@lru_cache(maxsize=8)
def _places(known: bytes, requested: bytes) -> Positions:
    # Hundreds of topics have the same runs: they are looked up once.
    places = {known[at : at + _BYTES]: at // _BYTES for at in range(0, len(known), _BYTES)}
    asked = (requested[at : at + _BYTES] for at in range(0, len(requested), _BYTES))
    found = np.array([places.get(run, -1) for run in asked], dtype=np.intp)
    found.flags.writeable = False
    return found
