"""Pools: analysing, building, opening; adaptive pools, queues, when to stop."""

from workbench.web.pages.pools import (
    adaptive,
    additions,
    analysis,
    pools,
    queues,
    states,
    stopping,
)

BLUEPRINTS = (
    pools.blueprint,
    states.blueprint,
    additions.blueprint,
    analysis.blueprint,
    adaptive.blueprint,
    queues.blueprint,
    stopping.blueprint,
)
