"""Judgments: import, export, and answers that could not be recorded."""

from workbench.web.pages.judgments import judgments, unrecorded

BLUEPRINTS = (
    judgments.blueprint,
    unrecorded.blueprint,
)
