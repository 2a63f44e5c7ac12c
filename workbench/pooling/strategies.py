"""The registry of pooling strategies: those that choose before anybody judges, adaptive ones, the learner."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.pooling.adaptive.bandits import MAX_MEAN, MM_NS, THOMPSON
from workbench.pooling.adaptive.hedge import HEDGE
from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.adaptive.move_to_front import MOVE_TO_FRONT
from workbench.pooling.adaptive.rank_biased import RBP_B, RBP_C
from workbench.pooling.by_hand import BY_HAND
from workbench.pooling.depth import DEPTH, TAKE_N
from workbench.pooling.fusion import BORDA, COMBMNZ, COMBSUM, RBP, RRF
from workbench.pooling.learner import LEARNER
from workbench.pooling.pool import Pool
from workbench.pooling.sampling import RANDOM, STRATIFIED
from workbench.pooling.strategy import Strategy, named
from workbench.records import Run, TieRule

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


@dataclass(frozen=True, slots=True)
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
