"""My runs: the pages of a group that sends runs."""

from workbench.web.pages.my_runs import checks, runs

BLUEPRINTS = (
    checks.blueprint,
    runs.blueprint,
)
