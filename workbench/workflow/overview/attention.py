"""What needs the organiser while judging goes on: the pace and its end, who lags, disputes, late runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from workbench.records import Verdict
from workbench.storage.chunks import chunks
from workbench.storage.events import CURRENT_PURPOSES, LATER, WITHDRAWN
from workbench.storage.tables import AssessorRow, AssignmentRow, JudgmentEventRow, PoolRow
from workbench.workflow.adjudication.dispute_counts import dispute_counts
from workbench.workflow.adjudication.queue import State
from workbench.workflow.caching import Cache
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.judging.record import SCREEN
from workbench.workflow.kept_results import KeptResults
from workbench.workflow.overview.progress import Overview, pooled_or_graded
from workbench.workflow.people.invitations import InvitationState, invitations
from workbench.workflow.pools.pace import Pace, pace_of
from workbench.workflow.runs.packed_store import tops_of
from workbench.workflow.runs.run_records import runs_of

FEWEST_ANSWERS = 20
"""From so many answers in that time on an end is expected."""

FARTHEST = timedelta(days=3 * 365)
"""An end that is farther away is none."""

LAGS_AFTER = timedelta(days=4)
"""An assessor lags who has pairs left and has judged nothing for so long."""

LATE_DEPTH = 10
MOST_LATE = 100


@dataclass(frozen=True, slots=True)
class Lagging:
    """An assessor with pairs left, without a judgment for `days`, or not `started` since the assignment."""

    assessor: str
    left: int
    topics: int
    days: int
    started: bool


@dataclass(frozen=True, slots=True)
class Gone:
    """An assessor with pairs left who cannot judge any more."""

    assessor: str
    left: int
    topics: int


@dataclass(frozen=True, slots=True)
class LateRun:
    """A run that came after the pools: how much of its first LATE_DEPTH is neither pooled nor judged."""

    tag: str
    holes: int
    retrieved: int

    @property
    def share(self) -> float:
        """The holes as a share of what was retrieved that far."""
        return self.holes / self.retrieved


@dataclass(frozen=True, slots=True)
class Attention:
    """What needs somebody; `end` is the day on which judging ends at the pace of late, None where unknown."""

    activity: Activity
    pace: Pace
    a_day: float
    end: datetime | None
    disputes: Mapping[State, int]
    lagging: tuple[Lagging, ...]
    gone: tuple[Gone, ...]
    late: tuple[LateRun, ...]
    invited: int
    expired: int


def attention(
    db: Session,
    campaign_id: int,
    view: Overview,
    *,
    now: datetime | None = None,
) -> Attention:
    """What needs somebody in a campaign with this progress."""
    moment = utc_now(now)
    version = recorded_version(db, campaign_id)
    activity = activity_of(db, campaign_id, moment)
    rate = _rate(activity, moment)
    asked = Counter(one.state for one in invitations(db, campaign_id, now=moment))
    return Attention(
        activity=activity,
        # The median of very many hardly moves: where it takes long, one of a moment ago serves for a while.
        pace=_PACE.get(version[:2], lambda: pace_of(db, campaign_id), version=version),
        a_day=rate,
        end=_end(view.left, rate, moment),
        disputes=dispute_counts(db, campaign_id),
        lagging=tuple(_lagging(db, campaign_id, view, activity, moment)),
        gone=tuple(Gone(one.name, one.left, one.topics_left) for one in view.by_assessor if one.gone),
        late=_late(db, campaign_id),
        invited=asked[InvitationState.OPEN],
        expired=asked[InvitationState.EXPIRED],
    )


def _rate(activity: Activity, moment: datetime) -> float:
    """Answers a day; of less than a day of judging nobody knows what the next day brings."""
    if activity.since is None or activity.recent < FEWEST_ANSWERS:
        return 0.0
    return activity.recent / max((moment - activity.since) / timedelta(days=1), 1.0)


def _end(left: int, rate: float, moment: datetime) -> datetime | None:
    if not left or not rate:
        return None
    takes = timedelta(days=min(left / rate, 2 * FARTHEST.days))
    return moment + takes if takes <= FARTHEST else None


def _lagging(
    db: Session, campaign_id: int, view: Overview, activity: Activity, moment: datetime
) -> Iterator[Lagging]:
    """Those who lag, the longest silence first."""
    assigned = dict(
        db.execute(
            select(AssessorRow.name, func.min(AssignmentRow.assigned_at))
            .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
            .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
            .where(
                PoolRow.campaign_id == campaign_id,
                PoolRow.closed_at.is_(None),
                AssignmentRow.revoked_at.is_(None),
            )
            .group_by(AssessorRow.name)
        ).all()
    )
    found = []
    for line in view.by_assessor:
        if line.left and line.name in assigned and not line.gone:
            pace = activity.by_assessor.get(line.name)
            silent = moment - max(assigned[line.name], pace.latest if pace else assigned[line.name])
            if silent >= LAGS_AFTER:
                found.append(
                    Lagging(line.name, line.left, line.topics_left, silent.days, started=pace is not None)
                )
    yield from sorted(found, key=lambda one: (-one.days, -one.left))


def _late(db: Session, campaign_id: int) -> tuple[LateRun, ...]:
    """The runs with holes that came after the first pool was opened, most holes first."""
    opened = db.scalar(select(func.min(PoolRow.opened_at)).where(PoolRow.campaign_id == campaign_id))
    if opened is None:
        return ()
    added = runs_of(db, campaign_id, added_after=opened)
    tags = [run.tag for run in added if run.verdict is Verdict.ACCEPTED and not run.pools][:MOST_LATE]
    if not tags:
        return ()
    known = pooled_or_graded(db, campaign_id)
    found = []
    for one in tops_of(db, campaign_id, tags, depth=LATE_DEPTH):
        of_topics = [known.get(topic, set()) for topic in one.topics]
        pairs = zip(one.numbers.tolist(), one.docnos.tolist(), strict=True)
        holes = sum(docno not in of_topics[number] for number, docno in pairs)
        if holes:
            found.append(LateRun(one.tag, holes, len(one.docnos)))
    return tuple(sorted(found, key=lambda run: -run.share))


_PACE: Cache[Hashable, Pace] = Cache(8)


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
_PACES = KeptResults(KeptPace, "workflow/overview/attention.py")
