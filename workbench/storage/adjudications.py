"""Adjudication events: appended once, never changed; the latest event of a pair is its current decision."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Select, Subquery, func, select
from sqlalchemy.orm import Session

from workbench.storage.tables import AdjudicationEventRow


def current_adjudications(
    db: Session, campaign_id: int, *, decision: str | None = None
) -> tuple[AdjudicationEventRow, ...]:
    """The latest decision of every pair of a campaign that has one, in the order of the decisions.

    Withdrawn decisions are left out; with `decision`, so are all of another kind. The rows are for use-cases
    to read, not to return.
    """
    event, newest = AdjudicationEventRow, _newest(campaign_id)
    kind = event.decision != "withdrawn" if decision is None else event.decision == decision
    found = select(event).join(newest, event.id == newest.c.id).where(kind).order_by(event.id)
    return tuple(db.scalars(found))


class CurrentDecision(NamedTuple):
    """What is decided about a pair now, without why and by whom."""

    id: int
    topic: str
    docno: str
    decision: str
    grade: int | None


def current_decisions(db: Session, campaign_id: int) -> Sequence[CurrentDecision]:
    """The same as `current_adjudications`, at a tenth of the time."""
    event, newest = AdjudicationEventRow, _newest(campaign_id)
    columns = (getattr(event, name) for name in CurrentDecision._fields)
    chosen = select(*columns).join(newest, event.id == newest.c.id).where(event.decision != "withdrawn")
    return [CurrentDecision._make(row) for row in db.connection().execute(chosen.order_by(event.id))]


def adjudicated_grades(db: Session, campaign_id: int) -> dict[tuple[str, str], int]:
    """The adjudicated grade of every (topic, docno) that has one."""
    return {
        (row.topic, row.docno): row.grade
        for row in current_adjudications(db, campaign_id)
        if row.grade is not None
    }


def latest_adjudication(db: Session, campaign_id: int, topic: str, docno: str) -> AdjudicationEventRow | None:
    """The latest event of a pair, also if it is a withdrawal."""
    newest_first = _of_pair(campaign_id, topic, docno).order_by(AdjudicationEventRow.id.desc())
    return db.scalars(newest_first.limit(1)).one_or_none()


def adjudications_of(
    db: Session, campaign_id: int, topic: str, docno: str
) -> tuple[AdjudicationEventRow, ...]:
    """All events of a pair, in the order in which they were recorded."""
    return tuple(db.scalars(_of_pair(campaign_id, topic, docno).order_by(AdjudicationEventRow.id)))


def _of_pair(campaign_id: int, topic: str, docno: str) -> Select[AdjudicationEventRow]:
    event = AdjudicationEventRow
    return select(event).where(event.campaign_id == campaign_id, event.topic == topic, event.docno == docno)


def latest_of_account(db: Session, campaign_id: int, account_id: int) -> AdjudicationEventRow | None:
    """The latest current decision of an account, neither overwritten nor withdrawn."""
    event, newest = AdjudicationEventRow, _newest(campaign_id)
    chosen = (
        select(event)
        .join(newest, event.id == newest.c.id)
        .where(event.account_id == account_id, event.decision != "withdrawn")
    )
    return db.scalars(chosen.order_by(event.id.desc()).limit(1)).one_or_none()


def recorded_adjudication(db: Session, campaign_id: int, client_id: str) -> AdjudicationEventRow | None:
    """The event that this client id recorded, or None."""
    event = AdjudicationEventRow
    chosen = select(event).where(event.campaign_id == campaign_id, event.client_id == client_id)
    return db.scalars(chosen).one_or_none()


def decision_counts(db: Session, campaign_id: int) -> dict[str, int]:
    """How many pairs have each kind of current decision (grade, back, unclear); one query."""
    event, newest = AdjudicationEventRow, _newest(campaign_id)
    counted = select(event.decision, func.count()).join(newest, event.id == newest.c.id)
    found = dict(db.execute(counted.group_by(event.decision)).all())
    return {decision: number for decision, number in found.items() if decision != "withdrawn"}


def _newest(campaign_id: int) -> Subquery:
    """The ids of the latest events of all pairs."""
    event = AdjudicationEventRow
    newest = select(func.max(event.id).label("id")).where(event.campaign_id == campaign_id)
    return newest.group_by(event.topic, event.docno).subquery()
