"""How long a judgment takes: measured on the screen, or guessed by the organiser until enough is measured."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import CampaignRow, JudgmentEventRow

FEWEST = 20  # measured times from which a mean says more than a guess


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds for one pair: the mean of so many `measured` times, or a stated guess where that is 0."""

    seconds: float
    measured: int

    def hours(self, pairs: int) -> float:
        """The hours for so many pairs."""
        return pairs * self.seconds / 3600


def pace_of(db: Session, campaign_id: int) -> Pace | None:
    """The pace of a campaign's assessors, or None where it is neither measured nor guessed."""
    event = JudgmentEventRow
    measured, mean = db.execute(
        select(func.count(), func.avg(event.active_ms)).where(
            event.campaign_id == campaign_id, event.answer == "grade", event.active_ms.is_not(None)
        )
    ).one()
    if measured >= FEWEST:
        return Pace(float(mean) / 1000, measured)
    guess = db.scalar(select(CampaignRow.seconds_a_pair).where(CampaignRow.id == campaign_id))
    return None if guess is None else Pace(guess, 0)
