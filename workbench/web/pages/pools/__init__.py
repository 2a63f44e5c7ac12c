"""Pools: analysing, building, opening; adaptive pools, queues, when to stop."""

from workbench.web.pages.pools import additions, analysis, open_pools, pools

BLUEPRINTS = (
    pools.blueprint,
    additions.blueprint,
    analysis.blueprint,
    open_pools.states,
    open_pools.adaptive,
    open_pools.given_queues,
    open_pools.stopping,
)
