"""Pools: planning, analysing, building, opening, comparing; adaptive pools and queues."""

from workbench.web.pages.pools import adaptive, additions, analysis, comparison, plan, pools, queues, states

BLUEPRINTS = (
    plan.blueprint,
    pools.blueprint,
    states.blueprint,
    comparison.blueprint,
    additions.blueprint,
    analysis.blueprint,
    adaptive.blueprint,
    queues.blueprint,
)
