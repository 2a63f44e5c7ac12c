"""The registry of pooling strategies: those that choose before anybody judges, adaptive ones, the learner.

The learner and the pool by hand are here as recipes only: neither takes documents from runs.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from typing import Any

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.adaptive_pool import Adaptive
from workbench.pooling.adaptive_strategies import (
    HEDGE,
    MAX_MEAN,
    MM_NS,
    MOVE_TO_FRONT,
    RBP_B,
    RBP_C,
    THOMPSON,
)
from workbench.pooling.depth import DEPTH, TAKE_N
from workbench.pooling.fusion import BORDA, COMBMNZ, COMBSUM, RBP, RRF
from workbench.pooling.planning import Certainty, Counts, Planned
from workbench.pooling.pool import Pool
from workbench.pooling.sampling import RANDOM, STRATIFIED
from workbench.pooling.strategy import BUDGET, NUMBER, SEED, WHOLE, Parameter, ParameterKind, Strategy, named
from workbench.records import Run, TieRule


def _by_hand(runs: Iterable[Run], **_: Any) -> Pool:
    if next(iter(runs), None) is not None:
        raise WorkbenchError(
            "a pool by hand takes no documents from runs",
            remedy="make the pool in a campaign, and add the documents there",
        )
    return Pool((), (), {})


def _nothing(planned: Planned) -> tuple[Counts, Certainty]:
    return np.zeros(len(planned.reach.topics), dtype=np.float64), Certainty.EXACT


BY_HAND: Strategy[Pool] = Strategy(
    "by-hand",
    "only documents that people find by searching or add as a list",
    "Cormack, Palmer and Clarke 1998",
    (),
    _by_hand,
    size=_nothing,
    depth_read=lambda _values: 1,
    reads_runs=False,
)


RELEVANCE, UNCERTAINTY = "relevance", "uncertainty"


def _mode(given: object) -> str:
    if given not in (RELEVANCE, UNCERTAINTY):
        raise ValueError
    return str(given)


MODE = ParameterKind(f"{RELEVANCE} or {UNCERTAINTY}", RELEVANCE, _mode, str)


def _by_learner(_runs: Iterable[Run], **_: Any) -> Pool:
    raise WorkbenchError(
        "a learner chooses from the texts of a campaign's documents, not from runs",
        remedy="make the pool in a campaign, or use workbench simulate",
    )


def _budget_at_most(planned: Planned) -> tuple[Counts, Certainty]:
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
    _by_learner,
    size=_budget_at_most,
    depth_read=lambda _values: 1,
    reads_runs=False,
)


STRATEGIES: Mapping[str, Strategy[Pool]] = {
    strategy.name: strategy
    for strategy in (DEPTH, TAKE_N, COMBSUM, COMBMNZ, BORDA, RRF, RBP, RANDOM, STRATIFIED)
}


ADAPTIVE: Mapping[str, Strategy[Adaptive]] = {
    strategy.name: strategy for strategy in (MOVE_TO_FRONT, HEDGE, MAX_MEAN, MM_NS, THOMPSON, RBP_B, RBP_C)
}

ALL_STRATEGIES: Mapping[str, Strategy[Pool | Adaptive]] = {
    **STRATEGIES,
    **ADAPTIVE,
    LEARNER.name: LEARNER,
    BY_HAND.name: BY_HAND,
}
WHILE_JUDGING = frozenset({*ADAPTIVE, LEARNER.name})
"""The strategies of pools that begin empty and grow while people judge."""


@frozen_dataclass
class PoolRecipe:
    """How a pool is made: by which strategy of `workbench.pooling`, from which runs.

    `parameters` are texts or values; the strategy has defaults for those not given. Without `tags` all
    accepted runs are pooled; with a `priority` only those of them to which their groups gave this priority or
    a smaller number. A supplementary pool leaves out what is pooled in an open pool or judged by a person.
    """

    strategy: str = DEPTH.name
    parameters: Mapping[str, object] = field(default_factory=dict)
    ties: TieRule = TieRule.TREC_EVAL
    tags: Collection[str] | None = None
    priority: int | None = None
    supplementary: bool = False

    def values(self) -> dict[str, Any]:
        """The values of all parameters; raises WorkbenchError and InvalidInput for what cannot be."""
        return named(ALL_STRATEGIES, self.strategy).values(self.parameters)

    def texts(self) -> dict[str, str]:
        """The values of all parameters as they are stored; raises as `values`."""
        return named(ALL_STRATEGIES, self.strategy).texts(self.values())


DEPTH_RECIPE = PoolRecipe()
"""The depth pool of all accepted runs."""


def build_pool(
    runs: Iterable[Run],
    *,
    strategy: str,
    ties: TieRule = TieRule.TREC_EVAL,
    parameters: Mapping[str, object] | None = None,
) -> Pool:
    """The pool that the named strategy makes; parameters are texts or values, defaults unless given.

    Raises WorkbenchError for an unknown strategy, InvalidInput with everything that is wrong about the
    parameters, and what the strategy itself raises.
    """
    chosen = named(STRATEGIES, strategy)
    return chosen.build(runs, ties=ties, **chosen.values(parameters or {}))


def start(
    runs: Iterable[Run],
    *,
    strategy: str,
    ties: TieRule = TieRule.TREC_EVAL,
    parameters: Mapping[str, object] | None = None,
) -> Adaptive:
    """The adaptive pool of the named strategy, nothing handed out; parameters as for `build_pool`.

    Raises WorkbenchError for an unknown strategy, InvalidInput with everything that is wrong about the
    parameters, and what the strategy itself raises.
    """
    chosen = named(ADAPTIVE, strategy)
    return chosen.build(runs, ties=ties, **chosen.values(parameters or {}))
