"""The tables of every two assessors at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.several.ratings import Ratings
from workbench.agreement.table import bits_of, tables_of_bits

# Pairs at a time: bounds memory, and keeps what is counted in a processor's cache.
_COLUMNS = 2**17


def pair_tables(ratings: Ratings) -> NDArray[np.int64]:
    """How often assessor g gave grade k where assessor h gave grade l; shape (g, h, k, l).

    `pair_tables(ratings)[g, h]` is the contingency table of g and h over the pairs that both judged.
    """
    r, q = ratings.n_assessors, len(ratings.categories)
    tables = np.zeros((r * q, r * q), dtype=np.int64)
    for start in range(0, ratings.codes.shape[1], _COLUMNS):
        codes = ratings.codes[:, start : start + _COLUMNS]
        gave = np.concatenate([bits_of(row, range(q)) for row in codes])
        tables += tables_of_bits(gave, gave)
    whole = tables.reshape(r, q, r, q).transpose(0, 2, 1, 3)
    if ratings.unlisted is not None:
        whole[:, :, ratings.lowest, ratings.lowest] += ratings.unlisted.sum()
    return whole
