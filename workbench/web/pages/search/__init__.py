"""The tab "Search": searching for any topic, a person's searches as a manual run, what the pool misses."""

from workbench.web.pages.search import missed, runs, search

BLUEPRINTS = (search.blueprint, runs.blueprint, missed.blueprint)
