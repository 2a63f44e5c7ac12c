"""Consensus: what each rule would make of the judgments before one is chosen."""

from workbench.web.pages.consensus import preview

BLUEPRINTS = (preview.blueprint,)
