"""Assignments: topics, and comparisons side by side, given to assessors."""

from workbench.web.pages.assignments import assignments, side_by_side

BLUEPRINTS = (
    assignments.blueprint,
    side_by_side.blueprint,
)
