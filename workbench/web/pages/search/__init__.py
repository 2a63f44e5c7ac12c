"""The tab "Search": searching for any topic, what the pool misses."""

from workbench.web.pages.search import missed, search

BLUEPRINTS = (search.blueprint, missed.blueprint)
