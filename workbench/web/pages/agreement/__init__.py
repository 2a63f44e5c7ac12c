"""Agreement: the report, by topic, over time, self-consistency, machines, the planner."""

from workbench.web.pages.agreement import machines, planner, report, self_consistency, time, topics

BLUEPRINTS = (
    report.blueprint,
    topics.blueprint,
    time.blueprint,
    self_consistency.blueprint,
    machines.blueprint,
    planner.blueprint,
)
