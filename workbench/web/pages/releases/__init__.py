"""Releases: made and withdrawn by organisers, and the page of one that outsiders may be given."""

from workbench.web.pages.releases import public, releases

BLUEPRINTS = (releases.blueprint, public.blueprint)
