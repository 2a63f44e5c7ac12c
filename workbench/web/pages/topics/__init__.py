"""The tab "Topics": the list with loading, one topic's statement."""

from workbench.web.pages.topics import topics

BLUEPRINTS = (topics.blueprint,)
