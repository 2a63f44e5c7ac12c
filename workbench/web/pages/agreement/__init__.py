"""Agreement: the report, by topic, the sample size."""

from workbench.web.pages.agreement import report, sample_size, topics

BLUEPRINTS = (
    report.blueprint,
    topics.blueprint,
    sample_size.blueprint,
)
