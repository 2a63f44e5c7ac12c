"""The strategies that choose before anybody judges, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.pooling.depth import DEPTH
from workbench.pooling.fusion.borda import BORDA
from workbench.pooling.fusion.combmnz import COMBMNZ
from workbench.pooling.fusion.combsum import COMBSUM
from workbench.pooling.fusion.rbp import RBP
from workbench.pooling.fusion.rrf import RRF
from workbench.pooling.parameters import Strategy, named
from workbench.pooling.pool import Pool
from workbench.pooling.sampling.at_random import RANDOM
from workbench.pooling.sampling.stratified import STRATIFIED
from workbench.pooling.take_n import TAKE_N
from workbench.records import Run, TieRule

STRATEGIES: Mapping[str, Strategy[Pool]] = {
    strategy.name: strategy
    for strategy in (DEPTH, TAKE_N, COMBSUM, COMBMNZ, BORDA, RRF, RBP, RANDOM, STRATIFIED)
}


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
