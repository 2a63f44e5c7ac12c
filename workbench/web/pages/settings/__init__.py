"""Settings: the campaign itself, its scale, the questions and quality checks at the desk."""

from workbench.web.pages.settings import campaign, quality

BLUEPRINTS = (
    campaign.blueprint,
    quality.blueprint,
)
