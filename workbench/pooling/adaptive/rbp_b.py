"""Rank-biased weights, method B: runs of which little is judged come first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from workbench.pooling.adaptive.live import Adaptive, adaptive_pool
from workbench.pooling.adaptive.residual import Residual
from workbench.pooling.candidates import Floats
from workbench.pooling.fusion.rbp import PERSISTENCE
from workbench.pooling.planning import size_of_adaptive
from workbench.pooling.strategy import BUDGET, DEPTH_READ, Strategy, to_its_depth
from workbench.records import Run, TieRule


class MethodB(Residual):
    """Weighs a run by its residual."""

    def importance(self) -> Floats:
        return self.residual


def rbp_b(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    budget: int = 100,
    p: float = 0.8,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Adaptive:
    """A pool that hands out what takes most of the runs' residuals away; see `Residual`.

    Raises as `adaptive_pool`. Source: Moffat, Webber and Zobel 2007, method B.
    """
    return adaptive_pool(runs, partial(MethodB, p=p), depth=depth, budget=budget, ties=ties)


RBP_B = Strategy(
    "rbp-b",
    "the document with the most unjudged RBP weight over all runs",
    "Moffat, Webber and Zobel 2007, method B",
    (DEPTH_READ, BUDGET, PERSISTENCE),
    rbp_b,
    size=size_of_adaptive,
    depth_read=to_its_depth,
)
