"""Adjudication: the queue of disputed pairs and the desk on which they are decided."""

from workbench.web.pages.adjudication import desk, queue

BLUEPRINTS = (
    queue.blueprint,
    queue.influence_blueprint,
    desk.blueprint,
)
