"""Scores of different runs made comparable: min-max within a run and topic."""

from __future__ import annotations

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import Floats, Ranked


def min_max(ranked: Ranked) -> Floats:
    """The scores of a run for a topic between 0 (its last document) and 1 (its first).

    Where all scores are equal they say nothing and are 0, as in ranx. Raises WorkbenchError for a score that
    is not a finite number.
    Source: Lee 1997.
    """
    high, low = float(ranked.scores[0]), float(ranked.scores[-1])
    if not np.isfinite(ranked.scores).all():
        raise WorkbenchError(
            f'the run "{ranked.tag}" has a score that is not a finite number', remedy="load a corrected run"
        )
    if high == low:
        return np.zeros(len(ranked.scores))
    if not np.isfinite(high - low):
        # The halves of two doubles never lie too far apart.
        return (ranked.scores / 2 - low / 2) / (high / 2 - low / 2)
    return (ranked.scores - low) / (high - low)
