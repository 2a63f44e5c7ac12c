"""Overview: how far the campaign has come and what needs attention."""

from workbench.web.pages.overview import overview

BLUEPRINTS = (overview.blueprint,)
