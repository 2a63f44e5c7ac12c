"""Overview: the progress of the campaign and what needs attention."""

from workbench.web.pages.overview import overview

BLUEPRINTS = (overview.blueprint,)
