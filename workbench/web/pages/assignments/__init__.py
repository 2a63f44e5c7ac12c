"""Assignments: topics, and comparisons side by side, given to assessors; reminders."""

from workbench.web.pages.assignments import assignments, reminders, side_by_side

BLUEPRINTS = (
    assignments.blueprint,
    side_by_side.blueprint,
    reminders.blueprint,
)
