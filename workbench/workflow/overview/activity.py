"""What each assessor answered at the desk: how fast, when last, and how much of late.

Of millions of answers that takes seconds to count, so that what is known of an assessor is kept in the
database until an answer of theirs is added.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from workbench.storage.chunks import chunks
from workbench.storage.events import CURRENT_PURPOSES, LATER, WITHDRAWN
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.caching import Cache
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.judging.record import SCREEN
from workbench.workflow.kept_results import KeptResults

RECENT = timedelta(days=7)
"""The pace of judging is that of so many days."""

FEWEST_KEPT = 5
"""The database keeps what was counted of so many assessors at once: after a save it is one, and quick."""


@dataclass(frozen=True, slots=True)
class AssessorPace:
    """The mean of the active seconds of an assessor's `timed` answers, and when the latest answer came."""

    seconds: float | None
    timed: int
    latest: datetime


@dataclass(frozen=True, slots=True)
class Activity:
    """What was answered at the desks: by assessor, and `recent` answers since the first of them, `since`."""

    by_assessor: Mapping[str, AssessorPace]
    recent: int
    since: datetime | None


@dataclass(frozen=True, slots=True)
class _Answered:
    """What one assessor answered at the desk, None where that is nothing; `recent` of it since `since`."""

    pace: AssessorPace | None
    recent: int
    since: datetime | None


@dataclass(frozen=True, slots=True)
class KeptPace:
    """The pace of one assessor, None where nothing was answered at the desk."""

    pace: AssessorPace | None


def activity_of(db: Session, campaign_id: int, moment: datetime) -> Activity:
    """What was answered, of each assessor as long as no answer of theirs was added."""
    version = recorded_version(db, campaign_id)
    newest, names = dict(version.newest), {number: name for number, name, _ in version.assessors}
    keys = {
        number: (version.database, campaign_id, names[number], number, latest, moment.date())
        for number, latest in newest.items()
    }
    known = {number: _ANSWERED.peek(key) for number, key in keys.items()}
    unknown = {number: newest[number] for number, found in known.items() if found is None}
    counted = _answered(db, campaign_id, unknown, moment)
    for number, found in counted.items():
        _ANSWERED.put(keys[number], found)
    several = {names[number]: found for number, found in (known | counted).items() if found and found.pace}
    since = [found.since for found in several.values() if found.since is not None]
    return Activity(
        {name: found.pace for name, found in sorted(several.items()) if found.pace is not None},
        recent=sum(found.recent for found in several.values()),
        since=min(since, default=None),
    )


def _answered(
    db: Session, campaign_id: int, newest: Mapping[int, int], moment: datetime
) -> dict[int, _Answered]:
    paces = _paces(db, campaign_id, newest)
    begin = moment - RECENT
    active = [number for number, pace in paces.items() if pace is not None and pace.latest >= begin]
    recent = dict.fromkeys(paces, (0, None)) | _recent(db, active, begin)
    return {number: _Answered(pace, *recent[number]) for number, pace in paces.items()}


def _paces(db: Session, campaign_id: int, newest: Mapping[int, int]) -> dict[int, AssessorPace | None]:
    """The pace of some assessors, of whom the newest event is given."""
    if not newest:
        return {}
    sources: dict[int, Hashable] = {number: (number, latest) for number, latest in newest.items()}
    kept = _PACES.find(db, campaign_id, sources.values())
    found = {number: kept[source].pace for number, source in sources.items() if source in kept}
    counted = _counted(db, [number for number in newest if number not in found])
    if len(counted) >= FEWEST_KEPT:
        paces = {sources[number]: KeptPace(pace) for number, pace in counted.items()}
        _PACES.keep(db, campaign_id, paces)
    return found | counted


def _counted(db: Session, assessors: Collection[int]) -> dict[int, AssessorPace | None]:
    event, timed = JudgmentEventRow, JudgmentEventRow.active_ms > 0
    found: dict[int, AssessorPace | None] = dict.fromkeys(assessors)
    mean, count = func.avg(event.active_ms).filter(timed), func.count().filter(timed)
    for part in chunks(list(assessors)):
        for number, milliseconds, times, latest in db.execute(
            _at_the_desk(part, mean, count, func.max(event.recorded_at))
        ):
            seconds = float(milliseconds) / 1000 if milliseconds is not None else None
            found[number] = AssessorPace(seconds, times, latest)
    return found


def _recent(
    db: Session, assessors: Collection[int], begin: datetime
) -> dict[int, tuple[int, datetime | None]]:
    """How many answers came since, and when the first of them."""
    event = JudgmentEventRow
    found: dict[int, tuple[int, datetime | None]] = {}
    for part in chunks(list(assessors)):
        statement = _at_the_desk(part, func.count(), func.min(event.recorded_at))
        for number, count, since in db.execute(statement.where(event.recorded_at >= begin)):
            found[number] = count, since
    return found


def _at_the_desk(assessors: Collection[int], *figures: Any) -> Select[Any]:
    """Figures of the answers of each assessor: imported ones tell nothing of anybody's pace."""
    event = JudgmentEventRow
    return (
        select(event.assessor_id, *figures)
        .where(
            event.assessor_id.in_(assessors),
            event.source == SCREEN,
            event.purpose.in_(CURRENT_PURPOSES),
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        .group_by(event.assessor_id)
    )


_ANSWERED: Cache[Hashable, _Answered] = Cache(5000)
_PACES = KeptResults(KeptPace, "workflow/overview/activity.py")
