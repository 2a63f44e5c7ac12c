"""The settings of adjudication: what is disputed, who counts, whether names are shown."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from sqlalchemy.orm import Session

from workbench.consensus.disputes import Difference, DisputeRule
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.scoring.own_measures import gain_measure
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.campaigns import scale_from_json

SEEDS = 2**31
MEASURE = "nDCG@100"


@frozen_dataclass
class AdjudicationRules:
    """The settings of a campaign; those of one that has set nothing.

    Machine judgments count only with `machines`. With `names_hidden` assessors are A, B, C in an order
    drawn for each pair from the `seed`. `measure` is the one by which the influence of pairs is computed.

    With `blind_discussion` the assessors of a returned pair see each other's new answers only when all have
    answered; else each new answer as it comes. With `reasons_required` an answer there needs a comment.
    """

    difference: Difference = Difference.ANY
    steps: int = 2
    beside_grades: bool = False
    machines: bool = False
    names_hidden: bool = False
    measure: str = MEASURE
    seed: int = 0
    blind_discussion: bool = True
    reasons_required: bool = False

    @property
    def disputed(self) -> DisputeRule:
        """What counts as disputed; raises WorkbenchError for fewer than one step."""
        return DisputeRule(self.difference, self.steps, self.beside_grades)


def rules_from_json(data: Mapping[str, Any]) -> AdjudicationRules:
    """The settings as they are kept; what is not there is as by default."""
    known = {name: data[name] for name in asdict(AdjudicationRules()) if name in data}
    if "difference" in known:
        known["difference"] = Difference(known["difference"])
    return AdjudicationRules(**known)


def adjudication_rules(db: Session, campaign_id: int) -> AdjudicationRules:
    """The settings of a campaign."""
    return rules_from_json(db.get_one(CampaignRow, campaign_id).adjudication_rules)


def save_adjudication_rules(db: Session, campaign_id: int, rules: AdjudicationRules) -> AdjudicationRules:
    """Give a campaign these settings; the seed of the names is drawn when they are hidden, and then stays.

    Raises WorkbenchError for fewer than one step, more than the scale has, and an unknown measure.
    """
    row = db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True})
    scale = scale_from_json(row.scale)
    most = len(scale.grades) - 1
    if rules.steps < 1:
        raise WorkbenchError(f"grades cannot lie {rules.steps} steps apart", remedy="use 1 or more")
    if rules.difference is Difference.DISTANCE and rules.steps > most:
        raise WorkbenchError(
            f"no two grades of this scale lie {rules.steps} steps apart", remedy=f"use at most {most}"
        )
    gain_measure(rules.measure, relevant_from=scale.relevant_from)
    before = rules_from_json(row.adjudication_rules)
    seed = before.seed or (secrets.randbelow(SEEDS - 1) + 1 if rules.names_hidden else 0)
    kept = replace(rules, seed=seed)
    row.adjudication_rules = asdict(kept) | {"difference": str(kept.difference)}
    db.flush()
    return kept
