"""Runs: the list, checking and adding files, rules, metadata, late runs."""

from workbench.web.pages.runs import checks, late, metadata, rules, run_list

BLUEPRINTS = (
    run_list.blueprint,
    checks.blueprint,
    rules.blueprint,
    metadata.blueprint,
    late.blueprint,
)
