"""What a campaign asks of its runs: the rules, and the depth of the pool that they are meant for."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.formats.run_rules import RunRules, rules_from_json
from workbench.pooling.depth import DEPTH
from workbench.storage.tables import CampaignRow, PoolRow


def rules_of(db: Session, campaign_id: int) -> RunRules:
    """The rules for runs of a campaign."""
    return rules_from_json(db.get_one(CampaignRow, campaign_id).run_rules)


def keep_rules(db: Session, campaign_id: int, rules: RunRules) -> None:
    """Give a campaign these rules; runs that are there stay as they are."""
    db.get_one(CampaignRow, campaign_id, with_for_update=True).run_rules = rules.to_json()
    db.flush()


def cut_of(db: Session, campaign_id: int) -> int | None:
    """The depth of the campaign's latest pool of depth, None where there is none."""
    pools = select(PoolRow.recipe).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id.desc())
    for recipe in db.scalars(pools):
        if recipe.get("strategy") == DEPTH.name:
            return int(recipe["parameters"]["depth"])
    return None
