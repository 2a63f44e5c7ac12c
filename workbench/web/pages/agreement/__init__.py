"""Agreement: the report, by topic, self-consistency, machines, the planner."""

from workbench.web.pages.agreement import machines, planner, report, self_consistency, topics

BLUEPRINTS = (
    report.blueprint,
    topics.blueprint,
    self_consistency.blueprint,
    machines.blueprint,
    planner.blueprint,
)
