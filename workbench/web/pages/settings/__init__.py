"""Settings: the campaign itself, its scale, questions and quality checks at the desk, its end."""

from workbench.web.pages.settings import campaign, quality

BLUEPRINTS = (campaign.blueprint, quality.blueprint, campaign.ending)
