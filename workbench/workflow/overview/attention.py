"""What needs the organiser while judging goes on: the pace and its end, who lags, disputes, late runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from statistics import fmean

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import Verdict
from workbench.storage.events import CURRENT_PURPOSES, LATER, SCREEN, WITHDRAWN
from workbench.storage.tables import AssessorRow, AssignmentRow, JudgmentEventRow, PoolRow
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.clock import utc_now
from workbench.workflow.overview.progress import Overview, pooled_or_graded
from workbench.workflow.people.invitations import InvitationState, invitations
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.pools.planning import DeskAnswers, Pace, latest_answers, pace_of
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


@frozen_dataclass
class Lagging:
    """An assessor with pairs left, without a judgment for `days`, or not `started` since the assignment."""

    assessor: str
    left: int
    topics: int
    days: int
    started: bool


@frozen_dataclass
class Gone:
    """An assessor with pairs left who cannot judge any more."""

    assessor: str
    left: int
    topics: int


@frozen_dataclass
class LateRun:
    """A run that came after the pools: how much of its first LATE_DEPTH is neither pooled nor judged."""

    tag: str
    holes: int
    retrieved: int

    @property
    def share(self) -> float:
        """The holes as a share of what was retrieved that far."""
        return self.holes / self.retrieved


@frozen_dataclass
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
) -> Attention:
    """What needs somebody in a campaign with this progress."""
    moment = utc_now()
    found = latest_answers(db, campaign_id)
    activity = activity_of(db, campaign_id, moment, found)
    rate = _rate(activity, moment)
    asked = Counter(one.state for one in invitations(db, campaign_id))
    return Attention(
        activity=activity,
        pace=pace_of(db, campaign_id, found=found),
        a_day=rate,
        end=_end(view.left, rate, moment),
        disputes=dispute_counts(db, campaign_id),
        lagging=_lagging(db, campaign_id, view, activity, moment),
        gone=tuple(Gone(one.name, one.left, one.topics_left) for one in view.by_assessor if one.gone),
        late=_late(db, campaign_id),
        invited=asked[InvitationState.OPEN],
        expired=asked[InvitationState.EXPIRED],
    )


def _rate(activity: Activity, moment: datetime) -> float:
    """Answers a day; of less than a day of judging nobody knows what the next day brings."""
    if activity.since is None or activity.recent < FEWEST_ANSWERS:
        return 0.0
    days = (moment - activity.since) / timedelta(days=1)
    # Where earlier answers were left out, judging has gone on for longer than these show.
    return activity.recent / (max(days, 1.0) if activity.all else max(days, 1 / 24))


def _end(left: int, rate: float, moment: datetime) -> datetime | None:
    if not left or not rate:
        return None
    takes = timedelta(days=min(left / rate, 2 * FARTHEST.days))
    return moment + takes if takes <= FARTHEST else None


def _lagging(
    db: Session, campaign_id: int, view: Overview, activity: Activity, moment: datetime
) -> tuple[Lagging, ...]:
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
    return tuple(sorted(found, key=lambda one: (-one.days, -one.left)))


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


RECENT = timedelta(days=7)
"""The pace of judging is that of so many days."""


@frozen_dataclass
class AssessorPace:
    """The mean of the active seconds of an assessor's `timed` answers, and when the latest answer came."""

    seconds: float | None
    timed: int
    latest: datetime


@frozen_dataclass
class Activity:
    """What was answered at the desks: by assessor, and `recent` answers since the first of them, `since`.

    `all` says that no recent answer was left out.
    """

    by_assessor: Mapping[str, AssessorPace]
    recent: int
    since: datetime | None
    all: bool


def activity_of(db: Session, campaign_id: int, moment: datetime, found: DeskAnswers) -> Activity:
    """Who answered when, and how fast: of the latest answers, and of who gave none of these the newest."""
    names = {one.id: one.name for one in assessors_of(db, campaign_id) if not one.machine}
    times: dict[int, list[float]] = {}
    newest: dict[int, datetime] = {}
    for who, milliseconds, at in found.answers:
        newest[who] = at
        if milliseconds > 0:
            times.setdefault(who, []).append(milliseconds / 1000)
    if not found.all:
        newest |= _newest(db, [who for who in names if who not in newest])
    paces = {
        name: AssessorPace(fmean(times[who]) if who in times else None, len(times.get(who, ())), newest[who])
        for who, name in sorted(names.items(), key=lambda one: one[1])
        if who in newest
    }
    recent = [at for _, _, at in found.answers if at >= moment - RECENT]
    return Activity(
        paces, len(recent), min(recent, default=None), all=found.all or len(recent) < len(found.answers)
    )


def _newest(db: Session, assessors: Collection[int]) -> dict[int, datetime]:
    """When the newest answer at the desk came of each assessor who gave any."""
    event = JudgmentEventRow
    newest = (
        select(event.recorded_at)
        .where(
            event.assessor_id == AssessorRow.id,
            event.source == SCREEN,
            event.purpose.in_(CURRENT_PURPOSES),
            event.answer.not_in([WITHDRAWN, LATER]),
        )
        # In the order of the index by assessor, back from whose newest event few are looked at.
        .order_by(event.assessor_id.desc(), event.id.desc())
        .limit(1)
        .correlate(AssessorRow)
        .scalar_subquery()
    )
    found = db.execute(select(AssessorRow.id, newest).where(AssessorRow.id.in_(assessors)))
    return {who: at for who, at in found if at is not None}
