"""Adjudication: the queue of disputed pairs and the desk on which they are decided."""

from workbench.web.pages.adjudication import desk, influence, queue

BLUEPRINTS = (
    queue.blueprint,
    influence.blueprint,
    desk.blueprint,
)
