"""Agreement: the report, by topic, self-consistency, machines, the sample size."""

from workbench.web.pages.agreement import machines, report, sample_size, self_consistency, topics

BLUEPRINTS = (
    report.blueprint,
    topics.blueprint,
    self_consistency.blueprint,
    machines.blueprint,
    sample_size.blueprint,
)
