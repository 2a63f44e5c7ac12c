"""The scores of a run: plain decimal numbers, read as the nearest double, all of them finite."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

Scores = np.ndarray[tuple[int], np.dtype[np.float64]]

# What is left of plain decimal numbers when these bytes are taken away is nothing; float() takes far more.
_SCORE_BYTES = b"0123456789+-.eE "


def finite_doubles(fields: Sequence[bytes]) -> Scores | None:
    """These fields as doubles, or None where one of them is not a finite decimal number."""
    if b" ".join(fields).translate(None, _SCORE_BYTES):
        return None
    try:
        values = np.array(list(map(float, fields)), dtype=np.float64)
    except ValueError:
        return None
    return values if np.isfinite(values).all() else None
