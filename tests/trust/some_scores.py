"""Scores of runs under several qrels, made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.trust.alternatives import TopicScores


def table(
    by_qrels: Mapping[str, ArrayLike],
    *,
    covered: NDArray[np.bool_] | None = None,
    runs: Sequence[str] | None = None,
) -> TopicScores:
    """Scores by the name of the qrels, each of shape (topics, runs)."""
    values = np.array(list(by_qrels.values()), dtype=np.float64)
    return TopicScores(
        measure="AP",
        qrels=tuple(by_qrels),
        topics=tuple(f"t{number}" for number in range(values.shape[1])),
        runs=tuple(runs or (f"r{number}" for number in range(values.shape[2]))),
        values=values,
        covered=np.ones(values.shape[:2], dtype=np.bool_) if covered is None else covered,
        graded=(1,) * len(by_qrels),
        pairs=1,
    )
