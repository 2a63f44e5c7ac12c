"""Assessors in training: what each is shown after an answer, and who still waits to start judging."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.events import CURRENT_PURPOSES, TRAINING, WITHDRAWN, CurrentEvent
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    KnownAnswerRow,
    PoolRow,
)
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.judging.quality_checks import CheckRules, check_rules
from workbench.workflow.judging.task import kind_of
from workbench.workflow.judging.training import (
    TrainingRound,
    grades_by_round,
    is_waived,
    known_grades,
    rounds_of,
    training_answers,
)
from workbench.workflow.pools.pooled_topics import NOTHING, pooled_by_topic


@frozen_dataclass
class Trainee:
    """Somebody in training: the rounds so far, and whether the organiser waived it."""

    assignment_id: int
    assessor: str
    topic: str
    pool: str
    rounds: tuple[TrainingRound, ...]
    waived: bool

    @property
    def now(self) -> TrainingRound:
        """The round that is open."""
        return self.rounds[-1]

    @property
    def last(self) -> TrainingRound | None:
        """The latest complete round, which was below the pass mark."""
        return self.rounds[-2] if len(self.rounds) > 1 else None

    @property
    def begun(self) -> bool:
        """Whether anything was answered."""
        return self.now.answered > 0 or self.last is not None


def trainees(db: Session, campaign_id: int) -> tuple[Trainee, ...]:
    """Everybody still in training; who failed most often first, who has not begun last.

    Whoever had the training waived is listed until the work is begun. Nobody without a pass mark.
    """
    campaign = db.get_one(CampaignRow, campaign_id)
    rules = check_rules(campaign.desk_rules) or CheckRules()
    known = {
        topic: grades
        for (purpose, topic), grades in known_grades(db, campaign_id).items()
        if purpose == TRAINING
    }
    if not rules.training or rules.least is None or not known:
        return ()
    trained = grades_by_round(training_answers(db, campaign_id))
    working = _working(db, campaign_id, set(known))
    found = []
    rows = db.execute(
        select(AssignmentRow, PoolRow, AssessorRow.name)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.closed_at.is_(None),
            AssignmentRow.topic.in_(set(known)),
            AssignmentRow.revoked_at.is_(None),
        )
        .order_by(AssessorRow.name, AssignmentRow.id)
    )
    for assignment, pool, name in rows:
        who = (assignment.assessor_id, assignment.topic)
        if who in working or not kind_of(pool).has_quality_checks:
            continue
        fresh = _fresh(db, pool, assignment.topic, known[assignment.topic])
        if not fresh:
            continue
        rounds = rounds_of(fresh, trained.get(who, {}), least=rules.least)
        opened = is_waived(campaign.desk_rules, assignment.id)
        if not rounds[-1].passed:
            found.append(Trainee(assignment.id, name, assignment.topic, pool.name, rounds, opened))
    return tuple(sorted(found, key=lambda one: (one.waived, not one.begun, -len(one.rounds), one.assessor)))


def _fresh(db: Session, pool: PoolRow, topic: str, known: Mapping[str, int]) -> dict[str, int]:
    """The training pairs of a topic with which assessors of a pool train: not those that they judge there."""
    pooled = pooled_by_topic(db, pool).get(topic, NOTHING).docnos
    return {docno: grade for docno, grade in known.items() if id_bytes(docno) not in pooled}


def _working(db: Session, campaign_id: int, topics: set[str]) -> set[tuple[int, str]]:
    """Assessors and the topics in which they have answered any of the work."""
    event = JudgmentEventRow
    answered = select(event.assessor_id, event.topic).where(
        event.campaign_id == campaign_id,
        event.topic.in_(topics),
        event.purpose.in_(CURRENT_PURPOSES),
        event.answer != WITHDRAWN,
    )
    return {(assessor_id, topic) for assessor_id, topic in db.execute(answered.distinct())}


@frozen_dataclass
class Feedback:
    """What is shown after an answer in training: the expected grade, its label, whether it was given, why.

    `round` is what the round came to, once it is complete and a share is asked for.
    """

    grade: int
    label: str
    same: bool
    why: str
    round: TrainingRound | None = None


def feedback_of(db: Session, event: CurrentEvent) -> Feedback | None:
    """The known answer to a pair of training that was answered; None for any other event."""
    if event.purpose != TRAINING:
        return None
    campaign_id = db.get_one(JudgmentEventRow, event.id).campaign_id
    known = db.get(KnownAnswerRow, (campaign_id, event.topic, event.docno, TRAINING))
    if known is None:
        return None
    scale = scale_from_json(db.get_one(CampaignRow, campaign_id).scale)
    labels = {grade.value: grade.label for grade in scale.grades}
    return Feedback(
        known.grade,
        labels.get(known.grade, str(known.grade)),
        event.grade == known.grade,
        known.feedback,
        _round_of(db, event, campaign_id),
    )


def _round_of(db: Session, event: CurrentEvent, campaign_id: int) -> TrainingRound | None:
    """What the round of an answer in training came to, once it is complete and a share is asked for."""
    desk_rules = db.get_one(CampaignRow, campaign_id).desk_rules
    rules, assignment_id = check_rules(desk_rules), db.get_one(JudgmentEventRow, event.id).assignment_id
    if rules is None or rules.least is None or not rules.training:
        return None
    if assignment_id is not None and is_waived(desk_rules, assignment_id):
        return None
    answers = list(training_answers(db, campaign_id, assessor_id=event.assessor_id, topic=event.topic))
    number = next((one.round for one in answers if one.event_id == event.id), 0)
    known = known_grades(db, campaign_id, event.topic)[TRAINING, event.topic]
    if assignment_id is not None:
        pool = db.get_one(PoolRow, db.get_one(AssignmentRow, assignment_id).pool_id)
        known = _fresh(db, pool, event.topic, known)
    trained = grades_by_round(iter(answers))[event.assessor_id, event.topic]
    rounds = rounds_of(known, trained, least=rules.least)
    return next((one for one in rounds if one.number == number and one.complete), None)
