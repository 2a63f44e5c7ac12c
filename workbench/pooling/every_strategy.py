"""All strategies by name: those that pool at once, and those that choose while assessors judge."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.adaptive.strategies import ADAPTIVE
from workbench.pooling.parameters import Strategy
from workbench.pooling.pool import Pool
from workbench.pooling.strategies import STRATEGIES

EVERY_STRATEGY: Mapping[str, Strategy[Pool | Adaptive]] = {**STRATEGIES, **ADAPTIVE}
