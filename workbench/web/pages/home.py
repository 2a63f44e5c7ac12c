"""Home: the campaigns in which the viewer has a role, each with what the viewer is to do next."""

from __future__ import annotations

from flask import Blueprint, render_template

from workbench.web.access import signed_in, viewer
from workbench.web.context import reading
from workbench.web.pages.overview.steps import step_way
from workbench.web.pages.overview.tasks import own_todo
from workbench.workflow.overview.cards import CampaignCard, campaigns_of
from workbench.workflow.overview.readiness import SetupStep

blueprint = Blueprint("campaigns", __name__)


@blueprint.get("/")
@signed_in
def index() -> str:
    """The list of campaigns."""
    with reading() as db:
        cards = campaigns_of(db, viewer().id)
    return render_template(
        "home/index.html",
        cards=[card for card in cards if not card.archived],
        archived=[card for card in cards if card.archived],
        todo={card.slug: own_todo(card.tasks, card.slug) for card in cards},
        steps={card.slug: _next(card) for card in cards},
    )


def _next(card: CampaignCard) -> tuple[str, str] | None:
    """What an organiser does next, and where; nothing once judging can go on."""
    if card.ready is None or card.ready.next is SetupStep.JUDGE:
        return None
    return step_way(card.ready.next, card.ready.draft, card.slug)
