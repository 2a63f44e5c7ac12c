"""How long a judgment takes: measured in this campaign, assumed before enough answers are timed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.storage.events import CURRENT_PURPOSES, LATER, WITHDRAWN, newest_events
from workbench.storage.tables import AssessorRow, JudgmentEventRow

ENOUGH = 20
"""From so many timed answers on the measured median is used."""

ASSUMED_SECONDS = 30.0

LATEST = 20_000
"""Judgment events of a campaign from which the pace is measured at least; the latest tell it best."""


class PaceSource(StrEnum):
    """Where the seconds come from."""

    GIVEN = "given"
    MEASURED = "measured"
    ASSUMED = "assumed"


@dataclass(frozen=True, slots=True)
class Pace:
    """The seconds of one judgment and where they come from.

    `measured` is the median of the active seconds of `answers` answers of people, None without any; these are
    the `latest` where there are very many.
    """

    seconds: float
    source: PaceSource
    measured: float | None
    answers: int
    latest: bool = False

    def hours(self, pairs: float) -> float:
        """The hours in which one assessor judges so many pairs."""
        return pairs * self.seconds / 3600

    @property
    def enough(self) -> int:
        """How many answers must be timed for the measured median to be used."""
        return ENOUGH

    @property
    def in_words(self) -> str:
        """Where the seconds come from, for people."""
        which = f"the latest {self.answers:,}" if self.latest else f"{self.answers:,}"
        return {
            PaceSource.GIVEN: "as entered",
            PaceSource.MEASURED: f"the median of {which} timed answers",
            PaceSource.ASSUMED: f"assumed: fewer than {ENOUGH} answers are timed",
        }[self.source]


def pace_of(db: Session, campaign_id: int, *, given: float | None = None) -> Pace:
    """The seconds of one judgment: those given, else measured, else assumed."""
    since, assessors = _latest(db, campaign_id)
    answers, measured = _median(db, assessors, since)
    if given is not None:
        return Pace(given, PaceSource.GIVEN, measured, answers)
    if measured is not None and answers >= ENOUGH:
        return Pace(measured, PaceSource.MEASURED, measured, answers, latest=since > 0)
    return Pace(ASSUMED_SECONDS, PaceSource.ASSUMED, measured, answers)


def _latest(db: Session, campaign_id: int) -> tuple[int, list[int]]:
    """The people of a campaign, and the event since which they have LATEST; 0 for all that there are."""
    people = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False)
    )
    assessors, newest = list(db.scalars(people)), newest_events(db, campaign_id)
    event, last = JudgmentEventRow, max(newest.values(), default=0)
    span = LATEST
    while span < last:
        late = event.assessor_id.in_(assessors), event.id > last - span
        if (db.scalar(select(func.count()).where(*late)) or 0) >= LATEST:
            return last - span, assessors
        span *= 4
    return 0, assessors


def _median(db: Session, assessors: Sequence[int], since: int) -> tuple[int, float | None]:
    """How many answers of people after an event are timed, and their median in seconds."""
    event = JudgmentEventRow
    timed = select(event.active_ms).where(
        event.assessor_id.in_(assessors),
        event.id > since,
        event.active_ms > 0,
        event.purpose.in_(CURRENT_PURPOSES),
        event.answer.not_in([WITHDRAWN, LATER]),
    )
    answers = db.scalar(select(func.count()).select_from(timed.subquery())) or 0
    if not answers:
        return 0, None
    # The one in the middle, or the two.
    middle = timed.order_by(event.active_ms).offset((answers - 1) // 2).limit(2 - answers % 2)
    found = [float(milliseconds or 0) for milliseconds in db.scalars(middle)]
    return answers, sum(found) / len(found) / 1000
