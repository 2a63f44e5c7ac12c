"""Settings: the campaign itself, its scale, questions and quality checks at the desk, webhooks, its end."""

from workbench.web.pages.settings import archive, campaign, quality, webhooks

BLUEPRINTS = (
    campaign.blueprint,
    quality.blueprint,
    webhooks.blueprint,
    archive.blueprint,
)
