"""The tables of every two assessors at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.several.ratings import Ratings

# Columns at a time: bounds memory, and single precision counts every whole number up to 2^24 exactly.
_COLUMNS = 2**17


def pair_tables(ratings: Ratings) -> NDArray[np.int64]:
    """How often assessor g gave grade k where assessor h gave grade l; shape (g, h, k, l).

    `pair_tables(ratings)[g, h]` is the contingency table of g and h over the pairs that both judged.
    """
    r, q = ratings.n_assessors, len(ratings.categories)
    tables = np.zeros((r * q, r * q), dtype=np.int64)
    places = np.arange(q, dtype=np.int8)[:, np.newaxis]
    for start in range(0, ratings.codes.shape[1], _COLUMNS):
        codes = ratings.codes[:, start : start + _COLUMNS]
        # One product of 0s and 1s counts all pairs of assessors and grades: the work of one library call.
        gave = (codes[:, np.newaxis, :] == places).reshape(r * q, -1).astype(np.float32)
        tables += np.rint(gave @ gave.T).astype(np.int64)
    whole = tables.reshape(r, q, r, q).transpose(0, 2, 1, 3)
    if ratings.unlisted is not None:
        whole[:, :, ratings.lowest, ratings.lowest] += ratings.unlisted.sum()
    return whole
