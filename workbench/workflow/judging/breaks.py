"""Breaks: proposed to assessors only where the organiser asked for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput
from workbench.storage.tables import CampaignRow

RULE = "break_minutes"
SHORTEST, LONGEST = 5, 480


def break_minutes(desk_rules: Mapping[str, Any]) -> int | None:
    """After how many minutes of judging a break is to be proposed, or None where nobody asked for it."""
    found = desk_rules.get(RULE)
    return found if isinstance(found, int) and not isinstance(found, bool) and found > 0 else None


def breaks_of(db: Session, campaign_id: int) -> int | None:
    """After how many minutes of judging a campaign proposes a break, or None."""
    return break_minutes(db.get_one(CampaignRow, campaign_id).desk_rules)


def ask_for_breaks(db: Session, campaign_id: int, minutes: int | None) -> None:
    """Have a break proposed after so many minutes of judging, or (None) never.

    Raises InvalidInput for less than five minutes or more than eight hours.
    """
    if minutes is not None and not SHORTEST <= minutes <= LONGEST:
        message = f"{minutes} minutes are no sitting"
        raise InvalidInput([Finding("Break", None, RULE, message, f"{SHORTEST} to {LONGEST}, or nothing")])
    row = db.scalars(select(CampaignRow).where(CampaignRow.id == campaign_id).with_for_update()).one()
    row.desk_rules = {key: value for key, value in row.desk_rules.items() if key != RULE} | (
        {} if minutes is None else {RULE: minutes}
    )
    db.flush()
