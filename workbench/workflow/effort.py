"""How long a judgment takes: measured on the screen, or guessed by the organiser until enough is measured."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.events import WITHDRAWN
from workbench.storage.tables import AssessorRow, CampaignRow, JudgmentEventRow

FEWEST = 20  # timed answers from which their median says more than a guess


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds for one pair: the median of so many `measured` answers, or where that is 0 a stated guess."""

    seconds: float
    measured: int

    def hours(self, pairs: int) -> float:
        """The hours for so many pairs."""
        return pairs * self.seconds / 3600


def pace_of(db: Session, campaign_id: int) -> Pace | None:
    """The pace of a campaign's assessors, or None where it is neither measured nor guessed."""
    event = JudgmentEventRow
    timed = (
        select(event.active_ms)
        .join(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(
            event.campaign_id == campaign_id,
            event.active_ms > 0,
            event.answer != WITHDRAWN,
            AssessorRow.machine.is_(False),
        )
    )
    measured = db.scalar(select(func.count()).select_from(timed.subquery())) or 0
    if measured >= FEWEST:
        # The one in the middle, or the two.
        middle = timed.order_by(event.active_ms).offset((measured - 1) // 2).limit(2 - measured % 2)
        return Pace(fmean(db.scalars(middle)) / 1000, measured)
    guess = db.scalar(select(CampaignRow.seconds_a_pair).where(CampaignRow.id == campaign_id))
    return None if guess is None else Pace(guess, 0)
