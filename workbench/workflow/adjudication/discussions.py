"""Discussions: pairs that an adjudicator sent back, which their assessors look at together.

This is the one exception to blindness, and an adjudicator makes it on purpose, pair by pair: a pair that was
sent back shows its assessors, and nobody else, what the others said of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.rule import Pair
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import Answer, Scale, Topic
from workbench.storage.adjudications import current_adjudications, latest_adjudication
from workbench.storage.events import DISCUSSION, HOLDING, append_event, recorded_event
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    CampaignRow,
    DocumentRow,
    JudgmentEventRow,
    TopicRow,
)
from workbench.workflow.adjudication.decisions import (
    Decision,
    all_answered,
    answers_in_discussion,
    asked,
    people_of,
)
from workbench.workflow.adjudication.opinions import Opinion, Statement, opinions_of, shown_document
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.campaigns.names import topic_titles
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import checked_client_id, checked_sha256, storable
from workbench.workflow.judging.adaptive_handout import take_answer
from workbench.workflow.judging.desk_view import ShownDocument
from workbench.workflow.judging.recording import LONGEST_ACTIVE_MS, LONGEST_REASON


@dataclass(frozen=True, slots=True)
class DiscussionLine:
    """One pair sent back to an assessor: whether this one has answered, and whether everybody has."""

    topic: str
    topic_title: str
    docno: str
    title: str
    answered: bool
    all_answered: bool


@dataclass(frozen=True, slots=True)
class Discussion:
    """A pair under discussion before one of its assessors; `why` is the adjudicator's word on it.

    `mine` is what holds for this assessor, `answered` whether it was said since the pair was sent back.
    """

    topic: Topic
    scale: Scale
    guidelines: str
    rules: AdjudicationRules
    document: ShownDocument
    opinions: tuple[Opinion, ...]
    mine: Statement
    answered: bool
    why: str

    @property
    def pair(self) -> Pair:
        """The topic and the docno."""
        return self.topic.id, self.document.docno


def discussions(db: Session, campaign_id: int, account_id: int) -> tuple[DiscussionLine, ...]:
    """The pairs that were sent back to an account as an assessor, those without its answer first."""
    number = _assessor(db, campaign_id, account_id)
    if number is None:
        return ()
    back = current_adjudications(db, campaign_id, decision=Decision.BACK)
    people = people_of(db, campaign_id) if back else {}
    rows = [row for row in back if number in asked(row, people)]
    if not rows:
        return ()
    answered = answers_in_discussion(db, campaign_id)
    docnos = [row.docno for row in rows]
    titles = dict(
        db.execute(
            select(DocumentRow.docno, DocumentRow.title).where(
                DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(docnos)
            )
        ).all()
    )
    topics = topic_titles(db, campaign_id)
    lines = []
    for row in rows:
        events = answered.get((row.topic, row.docno), {})
        lines.append(
            DiscussionLine(
                topic=row.topic,
                topic_title=topics.get(row.topic, ""),
                docno=row.docno,
                title=titles.get(row.docno, ""),
                answered=events.get(number, 0) > asked(row, people)[number],
                all_answered=all_answered(row, people, events),
            )
        )
    return tuple(sorted(lines, key=lambda line: line.answered))


def discussion(db: Session, campaign_id: int, account_id: int, pair: Pair) -> Discussion:
    """A pair that was sent back, as one of its assessors sees it.

    Raises NotFound for any pair that was not sent back to this account, or was decided since.
    """
    number, row = _sent_back(db, campaign_id, account_id, pair)
    campaign = db.get_one(CampaignRow, campaign_id)
    rules = rules_from_json(campaign.adjudication_rules)
    people = people_of(db, campaign_id)
    topic = db.get_one(TopicRow, (campaign_id, pair[0]))
    # Whoever has judged the pair since it was sent back is no part of this discussion.
    then = {who for _, who, _, _ in row.said}
    opinions = opinions_of(
        db, campaign_id, pair, people=people, rules=rules, account_id=account_id, only=then
    )
    mine = next((one for one in opinions if one.mine), None)
    if mine is None:
        raise NotFound("you have taken your answer about this document back", remedy="judge it again first")
    answered = answers_in_discussion(db, campaign_id, pair).get(pair, {})
    return Discussion(
        topic=Topic(topic.topic, topic.title, topic.description, topic.narrative),
        scale=scale_from_json(campaign.scale),
        guidelines=campaign.guidelines,
        rules=rules,
        document=shown_document(db, campaign_id, pair[1]),
        opinions=opinions,
        mine=mine.now,
        answered=answered.get(number, 0) > asked(row, people)[number],
        why=row.reason,
    )


def discuss(
    db: Session,
    campaign_id: int,
    account_id: int,
    pair: Pair,
    *,
    answer: Answer,
    grade: int | None,
    comment: str,
    client_id: str,
    active_ms: int | None = None,
    shown_sha256: str | None = None,
) -> bool:
    """Append what an assessor says after the discussion, kept or changed; returns whether it is new.

    What was said before stays beside it. The same client id again changes nothing. Raises NotFound as
    `discussion`, WorkbenchError for a grade outside the scale, Conflict for a client id that said something
    else before.
    """
    number = _assessor(db, campaign_id, account_id)
    known = recorded_event(db, number, checked_client_id(client_id)) if number is not None else None
    if known is not None:
        if (known.topic, known.docno, known.answer, known.grade) != (*pair, str(answer), grade):
            raise Conflict(
                "this page's answer was recorded before, and was another one", remedy="load it again"
            )
        return False
    number, _ = _sent_back(db, campaign_id, account_id, pair)
    _check(db, campaign_id, answer, grade)
    held = _held(db, campaign_id, number, pair)
    event, new = append_event(
        db,
        {
            "campaign_id": campaign_id,
            "assessor_id": number,
            "topic": pair[0],
            "docno": pair[1],
            "answer": str(answer),
            "grade": grade,
            "reason": held.reason if held and answer == held.answer and grade == held.grade else "",
            "client_id": client_id,
            "source": DISCUSSION,
            "assignment_id": held.assignment_id if held else None,
            "document_sha256": checked_sha256(shown_sha256),
            "position": None,
            "order_rule": None,
            "seed": None,
            "active_ms": None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS)),
            "recorded_at": datetime.now(UTC),
            "purpose": DISCUSSION,
            "comment": storable(comment.strip())[:LONGEST_REASON],
            # What holds is the latest event: what was marked and ticked before goes on with it.
            "evidence": held.evidence if held else None,
            "ratings": held.ratings if held else None,
            "subtopics": held.subtopics if held else None,
        },
    )
    if new:
        take_answer(db, campaign_id, event)
    return new


def _sent_back(
    db: Session, campaign_id: int, account_id: int, pair: Pair
) -> tuple[int, AdjudicationEventRow]:
    """The assessor that an account is, and the event by which the pair was sent back."""
    number = _assessor(db, campaign_id, account_id)
    row = latest_adjudication(db, campaign_id, *pair)
    if (
        number is None
        or row is None
        or row.decision != Decision.BACK
        or number not in asked(row, people_of(db, campaign_id))
    ):
        raise NotFound("this document is not (or no longer) to be discussed by you", remedy="see the list")
    return number, row


def _assessor(db: Session, campaign_id: int, account_id: int) -> int | None:
    chosen = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.account_id == account_id
    )
    return db.scalars(chosen).one_or_none()


def _held(db: Session, campaign_id: int, assessor_id: int, pair: Pair) -> JudgmentEventRow | None:
    event = JudgmentEventRow
    chosen = select(event).where(
        event.campaign_id == campaign_id,
        event.assessor_id == assessor_id,
        event.topic == pair[0],
        event.docno == pair[1],
        event.purpose.in_(HOLDING),
    )
    return db.scalars(chosen.order_by(event.id.desc()).limit(1)).one_or_none()


def _check(db: Session, campaign_id: int, answer: Answer, grade: int | None) -> None:
    if answer is Answer.GRADE:
        if grade is None:
            raise WorkbenchError("the answer is a grade, but no grade was given")
        scale_from_json(db.get_one(CampaignRow, campaign_id).scale).grade(grade)
    elif grade is not None:
        raise WorkbenchError(f"{answer} carries no grade")
