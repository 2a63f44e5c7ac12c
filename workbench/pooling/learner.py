"""The learner's pool as a recipe: what a campaign can set; the learning itself reads texts, not runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from workbench.errors import WorkbenchError
from workbench.pooling.planning import Certainty, Counts, Planned
from workbench.pooling.pool import Pool
from workbench.pooling.strategy import BUDGET, NUMBER, SEED, WHOLE, Parameter, ParameterKind, Strategy
from workbench.records import Run

RELEVANCE, UNCERTAINTY = "relevance", "uncertainty"


def _mode(given: object) -> str:
    if given not in (RELEVANCE, UNCERTAINTY):
        raise ValueError
    return str(given)


MODE = ParameterKind(f"{RELEVANCE} or {UNCERTAINTY}", RELEVANCE, _mode, str)


def _from_runs(_runs: Iterable[Run], **_: Any) -> Pool:
    message = "a learner chooses from the texts of a campaign's documents, not from runs"
    raise WorkbenchError(message, remedy="make the pool in a campaign, or use workbench simulate")


def _size(planned: Planned) -> tuple[Counts, Certainty]:
    """Its budget; how many documents the collection has, runs do not say."""
    topics = len(planned.reach.topics)
    return np.full(topics, planned.values["budget"], dtype=np.float64), Certainty.AT_MOST


LEARNER: Strategy[Pool] = Strategy(
    "learner",
    "the documents that a model of the topic's text and judgments ranks first, in the whole collection",
    "Cormack and Grossman 2015",
    (
        BUDGET,
        Parameter("share", "share of documents drawn at random", 0.1, NUMBER, lowest=0, highest=1),
        Parameter("mode", "what is ranked first: likely relevant, or least certain", RELEVANCE, MODE),
        Parameter(
            "batch", "documents until the model is trained again, 0 for growing batches", 0, WHOLE, lowest=0
        ),
        SEED,
    ),
    _from_runs,
    size=_size,
    depth_read=lambda _values: 1,
    reads_runs=False,
)
