"""What an adjudicator decides about a pair, what lay before, and whether it is still so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.consensus.rule import Pair
from workbench.records import Judgment
from workbench.storage.adjudications import (
    adjudications_of,
    current_adjudications,
    decision_counts,
    latest_adjudication,
)
from workbench.storage.events import DISCUSSION, WITHDRAWN
from workbench.storage.tables import (
    AccountRow,
    AdjudicationEventRow,
    AssessorRow,
    JudgmentEventRow,
    MemberRow,
)
from workbench.workflow.people.roles import Role


class Decision(StrEnum):
    """What becomes of a disputed pair."""

    GRADE = "grade"
    BACK = "back"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided about a pair, why, by whom (empty for an import) and when."""

    event_id: int
    decision: Decision
    grade: int | None
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class PastDecision:
    """One event about a pair as its history tells it; the decision is None where one was taken back."""

    decision: Decision | None
    grade: int | None
    reason: str
    by: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Person:
    """An assessor by number: the name, whether it is a machine, and whether a pair can be sent back there.

    That needs an account that is an assessor here now.
    """

    name: str
    machine: bool
    account_id: int | None
    reachable: bool


def last_decided(db: Session, campaign_id: int, pair: Pair) -> int:
    """The number of the latest adjudication event about a pair, 0 where there is none."""
    latest = latest_adjudication(db, campaign_id, *pair)
    return latest.id if latest else 0


def decided_of(row: AdjudicationEventRow, names: Mapping[int, str]) -> Decided:
    """What an event decided; the names are of accounts by number."""
    return Decided(
        event_id=row.id,
        decision=Decision(row.decision),
        grade=row.grade,
        reason=row.reason,
        by=names.get(row.account_id, "") if row.account_id is not None else "",
        at=row.recorded_at,
    )


def history_of(db: Session, campaign_id: int, pair: Pair) -> tuple[PastDecision, ...]:
    """Everything that was ever decided about a pair, the first first."""
    rows = adjudications_of(db, campaign_id, *pair)
    names = names_of_accounts(db, rows)
    return tuple(
        PastDecision(
            decision=None if row.decision == WITHDRAWN else Decision(row.decision),
            grade=row.grade,
            reason=row.reason,
            by=names.get(row.account_id, "") if row.account_id is not None else "",
            at=row.recorded_at,
        )
        for row in rows
    )


def names_of_accounts(db: Session, rows: Iterable[AdjudicationEventRow]) -> dict[int, str]:
    """The names of those who decided, by the number of their accounts."""
    numbers = sorted({row.account_id for row in rows if row.account_id is not None})
    if not numbers:
        return {}
    return dict(db.execute(select(AccountRow.id, AccountRow.name).where(AccountRow.id.in_(numbers))).all())


def decisions_so_far(db: Session, campaign_id: int) -> dict[str, int]:
    """How many pairs were decided, sent back or found unclear, by the name of the decision."""
    return decision_counts(db, campaign_id)


def unclear_of_topic(db: Session, campaign_id: int, topic: str) -> tuple[tuple[str, Decided], ...]:
    """The documents for which an adjudicator found a topic's statement unclear, and what was said of it."""
    rows = [
        row for row in current_adjudications(db, campaign_id, decision=Decision.UNCLEAR) if row.topic == topic
    ]
    names = names_of_accounts(db, rows)
    return tuple((row.docno, decided_of(row, names)) for row in rows)


def people_of(db: Session, campaign_id: int) -> dict[int, Person]:
    """The assessors of a campaign by number."""
    assessor = AssessorRow
    assessing = set(
        db.scalars(
            select(MemberRow.account_id).where(
                MemberRow.campaign_id == campaign_id, MemberRow.role == Role.ASSESSOR
            )
        )
    )
    rows = db.execute(
        select(assessor.id, assessor.name, assessor.machine, assessor.account_id).where(
            assessor.campaign_id == campaign_id
        )
    )
    return {
        number: Person(name, machine, account, account in assessing and not machine)
        for number, name, machine, account in rows
    }


def answers_in_discussion(
    db: Session, campaign_id: int, only: Pair | None = None
) -> dict[Pair, dict[int, int]]:
    """The number of the latest event of every assessor in a discussion, by pair (or of one pair only)."""
    event = JudgmentEventRow
    chosen = select(event.topic, event.docno, event.assessor_id, func.max(event.id)).where(
        event.campaign_id == campaign_id, event.purpose == DISCUSSION
    )
    if only is not None:
        chosen = chosen.where(event.topic == only[0], event.docno == only[1])
    rows = db.execute(chosen.group_by(event.topic, event.docno, event.assessor_id))
    found: dict[Pair, dict[int, int]] = {}
    for topic, docno, assessor_id, number in rows:
        found.setdefault((topic, docno), {})[assessor_id] = number
    return found


def asked(row: AdjudicationEventRow, people: Mapping[int, Person]) -> dict[int, int]:
    """To whom a pair was sent back, each with the number of the event that held then."""
    if row.decision != Decision.BACK:
        return {}
    return {who: event for event, who, _, _ in row.said if who in people and people[who].reachable}


def all_answered(
    row: AdjudicationEventRow, people: Mapping[int, Person], answered: Mapping[int, int]
) -> bool:
    """Whether everybody to whom a pair was sent back has answered since."""
    if row.decision != Decision.BACK:
        return False
    return all(answered.get(who, 0) > event for who, event in asked(row, people).items())


def changed_since(row: AdjudicationEventRow, said: Iterable[Judgment], people: Mapping[int, Person]) -> bool:
    """Whether assessors say otherwise than what lay before the adjudicator.

    Only people, and those machines that had a voice then and have one now: to give machines a voice, or to
    take it, changes no answer.
    """
    before = {people[who].name: (answer, grade) for _, who, answer, grade in row.said if who in people}
    now = {one.assessor: (str(one.answer), one.grade) for one in said}
    machines = {person.name for person in people.values() if person.machine}
    compared = {name for name in before.keys() | now.keys() if name not in machines}
    compared |= machines & before.keys() & now.keys()
    return any(before.get(name) != now.get(name) for name in compared)
