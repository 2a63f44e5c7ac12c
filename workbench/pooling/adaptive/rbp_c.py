"""Rank-biased weights, method C: good runs of which little is judged come first."""

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


class MethodC(Residual):
    """Weighs a run by its residual times the cube of its base and half its residual."""

    def importance(self) -> Floats:
        return self.residual * (self.base + self.residual / 2) ** 3


def rbp_c(
    runs: Iterable[Run],
    *,
    depth: int = 100,
    budget: int = 100,
    p: float = 0.8,
    ties: TieRule = TieRule.TREC_EVAL,
) -> Adaptive:
    """A pool that hands out what weighs most in runs that may turn out best; see `Residual`.

    Raises as `adaptive_pool`. Source: Moffat, Webber and Zobel 2007, method C.
    """
    return adaptive_pool(runs, partial(MethodC, p=p), depth=depth, budget=budget, ties=ties)


RBP_C = Strategy(
    "rbp-c",
    "as rbp-b, with more weight for runs that do well",
    "Moffat, Webber and Zobel 2007, method C",
    (DEPTH_READ, BUDGET, PERSISTENCE),
    rbp_c,
    size=size_of_adaptive,
    depth_read=to_its_depth,
)
