"""The tab "Topics": the list with loading, one topic's statement, drafts that are developed by searching."""

from workbench.web.pages.topics import draft_desk, drafts, topics

BLUEPRINTS = (topics.blueprint, drafts.blueprint, draft_desk.blueprint)
