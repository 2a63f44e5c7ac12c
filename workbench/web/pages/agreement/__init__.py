"""Agreement: the report, whole and by topic, and the sample size."""

from workbench.web.pages.agreement import report, sample_size

BLUEPRINTS = (
    *report.BLUEPRINTS,
    sample_size.blueprint,
)
