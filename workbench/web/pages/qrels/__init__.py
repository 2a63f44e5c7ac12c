"""Qrels: choosing a rule and downloading what it makes."""

from workbench.web.pages.qrels import qrels

BLUEPRINTS = (qrels.blueprint,)
