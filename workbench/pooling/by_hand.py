"""The pool of what people add to it: by hand, from searches or as a list."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.planning import Certainty, Counts, Planned
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import Strategy
from workbench.records import Run


def _empty(runs: Iterable[Run], **_: Any) -> Pool:
    if next(iter(runs), None) is not None:
        message = "a pool by hand takes no documents from runs"
        raise WorkbenchError(message, remedy="make the pool in a campaign, and add the documents there")
    return Pool((), (), {})


def _size(planned: Planned) -> tuple[Counts, Certainty]:
    return np.zeros(len(planned.reach.topics), dtype=np.float64), Certainty.EXACT


BY_HAND: Strategy[Pool] = Strategy(
    "by-hand",
    "only documents that people find by searching or add as a list",
    "Cormack, Palmer and Clarke 1998",
    (),
    _empty,
    size=_size,
    depth_read=lambda _values: 1,
    reads_runs=False,
)
