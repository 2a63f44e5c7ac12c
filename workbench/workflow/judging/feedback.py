"""What is told after an answer in training: the known answer, and what its round came to."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.storage.events import CurrentEvent
from workbench.storage.tables import CampaignRow, JudgmentEventRow, KnownAnswerRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.probe_places import TRAINING
from workbench.workflow.judging.quality_probes import probe_rules
from workbench.workflow.judging.training import (
    Round,
    is_let_through,
    known_grades,
    rounds_of,
    trained_by,
    training_answers,
)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is told after an answer in training: the known grade, its label, whether it was said, and why.

    `round` is what the round came to, once it is complete and a share is asked for.
    """

    grade: int
    label: str
    same: bool
    why: str
    round: Round | None = None


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


def _round_of(db: Session, event: CurrentEvent, campaign_id: int) -> Round | None:
    """What the round of an answer in training came to, once it is complete and a share is asked for."""
    desk_rules = db.get_one(CampaignRow, campaign_id).desk_rules
    rules, assignment_id = probe_rules(desk_rules), db.get_one(JudgmentEventRow, event.id).assignment_id
    if rules is None or rules.least is None or not rules.training:
        return None
    if assignment_id is not None and is_let_through(desk_rules, assignment_id):
        return None
    answers = list(training_answers(db, campaign_id, assessor_id=event.assessor_id, topic=event.topic))
    number = next((one.round for one in answers if one.event_id == event.id), 0)
    known = known_grades(db, campaign_id, event.topic)[TRAINING]
    trained = trained_by(iter(answers))[event.assessor_id, event.topic]
    rounds = rounds_of(known, trained, least=rules.least)
    return next((one for one in rounds if one.number == number and one.complete), None)
