"""Who is still at training where a share of right answers opens the work: the organiser's list."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.events import HOLDING, WITHDRAWN
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    KnownAnswerRow,
    PoolRow,
)
from workbench.workflow.judging.probe_places import TRAINING
from workbench.workflow.judging.quality_probes import ProbeRules, probe_rules
from workbench.workflow.judging.training import Round, is_let_through, rounds_of, trained_by, training_answers
from workbench.workflow.pools.adaptive_pools import is_adaptive


@dataclass(frozen=True, slots=True)
class Trainee:
    """Somebody before the work of a topic: the rounds so far, and whether the organiser opened the work."""

    assignment_id: int
    assessor: str
    topic: str
    pool: str
    rounds: tuple[Round, ...]
    let_through: bool

    @property
    def now(self) -> Round:
        """The round that is open."""
        return self.rounds[-1]

    @property
    def last(self) -> Round | None:
        """The latest round that was gone through to its end; it fell short."""
        return self.rounds[-2] if len(self.rounds) > 1 else None

    @property
    def begun(self) -> bool:
        """Whether anything was answered."""
        return self.now.answered > 0 or self.last is not None


def trainees(db: Session, campaign_id: int) -> tuple[Trainee, ...]:
    """Everybody whose work waits behind a training; who fell short most often first, who has not begun last.

    Whoever was let through is named until the work is begun. Nobody where no share is asked for.
    """
    campaign = db.get_one(CampaignRow, campaign_id)
    rules = probe_rules(campaign.desk_rules) or ProbeRules()
    known = _known(db, campaign_id)
    if not rules.training or rules.least is None or not known:
        return ()
    trained = trained_by(training_answers(db, campaign_id))
    working = _working(db, campaign_id, set(known))
    found = []
    for assignment, pool, name in _assignments(db, campaign_id, set(known)):
        who = (assignment.assessor_id, assignment.topic)
        if who in working or is_adaptive(pool) or pool.per_pair is not None:
            continue
        rounds = rounds_of(known[assignment.topic], trained.get(who, {}), least=rules.least)
        opened = is_let_through(campaign.desk_rules, assignment.id)
        if not rounds[-1].passed:
            found.append(Trainee(assignment.id, name, assignment.topic, pool.name, rounds, opened))
    return tuple(
        sorted(found, key=lambda one: (one.let_through, not one.begun, -len(one.rounds), one.assessor))
    )


def _known(db: Session, campaign_id: int) -> dict[str, dict[str, int]]:
    known = KnownAnswerRow
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for topic, docno, grade in db.execute(
        select(known.topic, known.docno, known.grade).where(
            known.campaign_id == campaign_id, known.purpose == TRAINING
        )
    ):
        found[topic][docno] = grade
    return found


def _working(db: Session, campaign_id: int, topics: set[str]) -> set[tuple[int, str]]:
    """Assessors and the topics in which they said anything of the work."""
    event = JudgmentEventRow
    said = select(event.assessor_id, event.topic).where(
        event.campaign_id == campaign_id,
        event.topic.in_(topics),
        event.purpose.in_(HOLDING),
        event.answer != WITHDRAWN,
    )
    return {(assessor_id, topic) for assessor_id, topic in db.execute(said.distinct())}


def _assignments(db: Session, campaign_id: int, topics: set[str]) -> list[tuple[AssignmentRow, PoolRow, str]]:
    rows = db.execute(
        select(AssignmentRow, PoolRow, AssessorRow.name)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.closed_at.is_(None),
            AssignmentRow.topic.in_(topics),
            AssignmentRow.revoked_at.is_(None),
        )
        .order_by(AssessorRow.name, AssignmentRow.id)
    )
    return [(assignment, pool, name) for assignment, pool, name in rows]
