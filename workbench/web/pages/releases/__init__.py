"""Releases: made and withdrawn by organisers, compared, and the page of one that outsiders may be given."""

from workbench.web.pages.releases import compare, public, releases

BLUEPRINTS = (releases.blueprint, compare.blueprint, public.blueprint)
