"""How long a judgment takes: measured in this campaign, assumed before enough answers are timed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from statistics import median

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.storage.events import CURRENT_PURPOSES, LATER, SCREEN, WITHDRAWN, newest_events
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


@frozen_dataclass
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


@frozen_dataclass
class DeskAnswers:
    """The latest answers that people recorded: who, after how many active ms (0: untimed), and when.

    `all` says that they are all there are: no earlier ones were left out.
    """

    answers: tuple[tuple[int, int, datetime], ...]
    all: bool


def latest_answers(db: Session, campaign_id: int) -> DeskAnswers:
    """The latest answers at the desk, about LATEST of them: imported ones tell nothing of anybody's pace."""
    event = JudgmentEventRow
    people = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False)
    )
    assessors, last = list(db.scalars(people)), max(newest_events(db, campaign_id).values(), default=0)
    chosen = (
        select(event.assessor_id, event.active_ms, event.recorded_at)
        .where(
            event.assessor_id.in_(assessors),
            event.source == SCREEN,
            event.purpose.in_(CURRENT_PURPOSES),
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        .order_by(event.id)
    )
    span = LATEST
    while span < last:
        found = db.execute(chosen.where(event.id > last - span)).all()
        if len(found) >= LATEST:
            return DeskAnswers(_timed(found), all=False)
        span *= 4
    return DeskAnswers(_timed(db.execute(chosen).all()), all=True)


def _timed(rows: Sequence[Row[int, int | None, datetime]]) -> tuple[tuple[int, int, datetime], ...]:
    return tuple((assessor, milliseconds or 0, at) for assessor, milliseconds, at in rows)


def pace_of(
    db: Session, campaign_id: int, *, given: float | None = None, found: DeskAnswers | None = None
) -> Pace:
    """The seconds of one judgment: those given, else measured (of `found`, if read before), else assumed."""
    latest = found or latest_answers(db, campaign_id)
    times = [milliseconds / 1000 for _, milliseconds, _ in latest.answers if milliseconds > 0]
    measured = median(times) if times else None
    if given is not None:
        return Pace(given, PaceSource.GIVEN, measured, len(times))
    if measured is not None and len(times) >= ENOUGH:
        return Pace(measured, PaceSource.MEASURED, measured, len(times), latest=not latest.all)
    return Pace(ASSUMED_SECONDS, PaceSource.ASSUMED, measured, len(times))
