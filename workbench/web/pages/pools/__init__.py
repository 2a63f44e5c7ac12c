"""Pools: analysing, building, opening, comparing; adaptive pools, queues, when to stop."""

from workbench.web.pages.pools import (
    adaptive,
    additions,
    analysis,
    comparison,
    pools,
    queues,
    states,
    stopping,
)

BLUEPRINTS = (
    pools.blueprint,
    states.blueprint,
    comparison.blueprint,
    additions.blueprint,
    analysis.blueprint,
    adaptive.blueprint,
    queues.blueprint,
    stopping.blueprint,
)
