"""Discussions: pairs that an adjudicator sent back, on which their assessors see each other's opinions.

This is the one exception to blindness, and an adjudicator makes it on purpose, pair by pair: a pair that was
sent back shows its assessors, and nobody else, the opinions of the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.consensus.votes import Pair
from workbench.errors import Conflict, NotFound, WorkbenchError, rejected
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.records import Scale, Topic
from workbench.storage.adjudications import current_adjudications, latest_adjudication
from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION, recorded_event
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    CampaignRow,
    JudgmentEventRow,
    TopicRow,
)
from workbench.workflow.adjudication.decisions import Decision
from workbench.workflow.adjudication.opinions import (
    Opinion,
    OpinionReader,
    Person,
    Statement,
    opinions_of,
    people_of,
    shown_document,
)
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import as_topic, document_titles, topic_titles
from workbench.workflow.judging.desk_settings import desk_settings_part, save_desk_settings
from workbench.workflow.judging.desk_view import ShownDocument
from workbench.workflow.judging.record import Place, append
from workbench.workflow.judging.submission import (
    LARGEST,
    Submission,
    SubmissionKind,
    read_submission,
    sent_number,
    sent_text,
    stored_annotations,
)
from workbench.workflow.judging.sync import Event, Outcome, Receipt, receive_other, require_assessor
from workbench.workflow.judging.unrecorded import DISCUSSION_FIELD
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.membership import assessor_of


@frozen_dataclass
class DiscussionLine:
    """One pair sent back to an assessor: whether this one has answered, and whether everybody has.

    `replied` says that another assessor's new answer can be seen that this one has not read.
    """

    topic: str
    topic_title: str
    docno: str
    title: str
    answered: bool
    all_answered: bool
    replied: bool

    @property
    def waiting(self) -> bool:
        """Whether it asks for something: an answer, or reading one."""
        return self.replied or not self.answered


@frozen_dataclass
class Discussion:
    """A pair under discussion before one of its assessors; `why` is the adjudicator's reason.

    `mine` is this assessor's current answer, `answered` whether it was given since the pair was sent back.
    `hidden` counts new answers that are not shown until everybody has answered, `latest` is the number of the
    latest one that is shown, 0 for none.
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
    hidden: int
    latest: int


def discussions(db: Session, campaign_id: int, account_id: int) -> tuple[DiscussionLine, ...]:
    """The pairs that were sent back to an account as an assessor, those without its answer first."""
    number = assessor_of(db, campaign_id, account_id)
    if number is None:
        return ()
    back = current_adjudications(db, campaign_id, decision=Decision.BACK)
    people = people_of(db, campaign_id) if back else {}
    rows = [row for row in back if number in asked(row, people)]
    if not rows:
        return ()
    answered = answers_in_discussion(db, campaign_id)
    blind = rules_from_json(db.get_one(CampaignRow, campaign_id).adjudication_rules).blind_discussion
    read = desk_settings_part(db, account_id, READ_PART)
    titles = document_titles(db, campaign_id, {row.docno for row in rows})
    topics = topic_titles(db, campaign_id)
    lines = []
    for row in rows:
        replies = Replies.to(row, people, answered)
        lines.append(
            DiscussionLine(
                row.topic,
                topics.get(row.topic, ""),
                row.docno,
                titles.get(row.docno, ""),
                answered=number in replies.new,
                all_answered=replies.complete,
                replied=replies.latest_before(number, blind=blind) > _read(read, row),
            )
        )
    return tuple(sorted(lines, key=lambda line: (line.answered, not line.replied)))


Answered = Mapping[Pair, Mapping[int, int]]
"""The number of the latest event of every assessor in a discussion, by pair."""


@frozen_dataclass
class Replies:
    """The event of each assessor who has answered since a pair was sent back, of so many who were asked."""

    new: Mapping[int, int]
    asked: int

    @classmethod
    def to(cls, row: AdjudicationEventRow, people: Mapping[int, Person], answered: Answered) -> Replies:
        """Those to the event by which a pair was sent back."""
        events, asked_for = answered.get((row.topic, row.docno), {}), asked(row, people)
        new = {who: events[who] for who, event in asked_for.items() if events.get(who, 0) > event}
        return cls(new, len(asked_for))

    @property
    def complete(self) -> bool:
        """Whether everybody who was asked has answered."""
        return len(self.new) == self.asked

    def latest_before(self, reader: int, *, blind: bool) -> int:
        """The number of the latest new answer of another assessor that `reader` may see, 0 for none."""
        if blind and not self.complete:
            return 0
        return max((event for who, event in self.new.items() if who != reader), default=0)


READ_PART = "replies_read"
MOST_READ = 500


def _read(stored: Mapping[str, object], row: AdjudicationEventRow) -> int:
    number = stored.get(str(row.id), 0)
    return number if isinstance(number, int) else 0


def mark_read(db: Session, campaign_id: int, account_id: int, pair: Pair, *, latest: int) -> None:
    """Note that an assessor has read the others' new answers up to the event `latest`.

    Raises NotFound as `discussion`.
    """
    _, row = _sent_back(db, campaign_id, account_id, pair)
    stored = desk_settings_part(db, account_id, READ_PART)
    if latest <= _read(stored, row):
        return
    others = [(name, value) for name, value in stored.items() if name != str(row.id)]
    save_desk_settings(
        db, account_id, READ_PART, {**dict(others[1 - MOST_READ :]), str(row.id): min(latest, LARGEST)}
    )


def discussion(db: Session, campaign_id: int, account_id: int, pair: Pair) -> Discussion:
    """A pair that was sent back, as one of its assessors sees it.

    Raises NotFound for any pair that was not sent back to this account, or was decided since.
    """
    number, row = _sent_back(db, campaign_id, account_id, pair)
    campaign = db.get_one(CampaignRow, campaign_id)
    rules = rules_from_json(campaign.adjudication_rules)
    people = people_of(db, campaign_id)
    replies = Replies.to(row, people, answers_in_discussion(db, campaign_id, pair))
    hides = rules.blind_discussion and not replies.complete
    # Whoever has judged the pair since it was sent back is no part of this discussion. Of the others what
    # they said before, until everybody has answered.
    until = {who: event if hides and who != number else None for event, who, _, _ in row.seen}
    opinions = opinions_of(db, campaign_id, pair, OpinionReader(account_id, people, rules), until)
    mine = next((one for one in opinions if one.mine), None)
    if mine is None:
        raise NotFound("you have withdrawn your answer about this document", remedy="judge it again first")
    return Discussion(
        topic=as_topic(db.get_one(TopicRow, (campaign_id, pair[0]))),
        scale=scale_from_json(campaign.scale),
        guidelines=campaign.guidelines,
        rules=rules,
        document=shown_document(db, campaign_id, pair[1]),
        opinions=opinions,
        mine=mine.now,
        answered=number in replies.new,
        why=row.reason,
        hidden=len(replies.new.keys() - {number}) if hides else 0,
        latest=replies.latest_before(number, blind=rules.blind_discussion),
    )


def discuss(db: Session, campaign_id: int, account_id: int, topic: str, submission: Submission) -> bool:
    """Append an assessor's answer after the discussion, kept or changed; returns whether it is new.

    Earlier answers stay in the history. The same client id again changes nothing. Raises NotFound as
    `discussion`, InvalidInput where the campaign asks for a reason and there is none, WorkbenchError for a
    grade outside the scale, Conflict for a client id that was used for another answer.
    """
    pair = (topic, submission.docno)
    number = assessor_of(db, campaign_id, account_id)
    known = recorded_event(db, number, submission.client_id) if number is not None else None
    if known is not None:
        sent = (*pair, submission.stored_answer, submission.grade)
        if (known.topic, known.docno, known.answer, known.grade) != sent:
            raise Conflict("this page already recorded another answer", remedy="reload the page")
        return False
    number, _ = _sent_back(db, campaign_id, account_id, pair)
    campaign = db.get_one(CampaignRow, campaign_id)
    if submission.grade is not None:
        scale_from_json(campaign.scale).grade(submission.grade)
    if rules_from_json(campaign.adjudication_rules).reasons_required and not submission.comment.strip():
        raise rejected("Comment", None, "comment", "every answer needs a reason here", "write one")
    before = _before(db, campaign_id, number, pair)
    assignment_id = before.assignment_id if before else None
    place = Place(campaign_id, number, *pair, DISCUSSION, DISCUSSION, assignment_id)
    if before is not None:
        same = (before.answer, before.grade) == (submission.stored_answer, submission.grade)
        submission = replace(
            submission,
            reason=submission.reason or (before.reason if same else ""),
            # What was marked and ticked before goes on with the latest answer.
            annotations=stored_annotations(before.evidence, before.ratings, before.subtopics),
        )
    return not append(db, place, submission).repeated


def _sent_back(
    db: Session, campaign_id: int, account_id: int, pair: Pair
) -> tuple[int, AdjudicationEventRow]:
    """The assessor that an account is, and the event by which the pair was sent back."""
    number = assessor_of(db, campaign_id, account_id)
    row = latest_adjudication(db, campaign_id, *pair)
    if (
        number is None
        or row is None
        or row.decision != Decision.BACK
        or number not in asked(row, people_of(db, campaign_id))
    ):
        raise NotFound(
            "you are not asked (or no longer asked) to discuss this document", remedy="see the list"
        )
    return number, row


def _before(db: Session, campaign_id: int, assessor_id: int, pair: Pair) -> JudgmentEventRow | None:
    event = JudgmentEventRow
    chosen = select(event).where(
        event.campaign_id == campaign_id,
        event.assessor_id == assessor_id,
        event.topic == pair[0],
        event.docno == pair[1],
        event.purpose.in_(CURRENT_PURPOSES),
    )
    return db.scalars(chosen.order_by(event.id.desc()).limit(1)).one_or_none()


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
    else:
        # Few topics have any, and the index has those of an assessor and topic together.
        topics = [topic for topic, one in answers_by_topic(db, campaign_id).items() if one.discussed]
        assessors = select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id)
        if not topics:
            return {}
        chosen = chosen.where(event.assessor_id.in_(assessors), event.topic.in_(topics))
    rows = db.execute(chosen.group_by(event.topic, event.docno, event.assessor_id))
    found: dict[Pair, dict[int, int]] = {}
    for topic, docno, assessor_id, number in rows:
        found.setdefault((topic, docno), {})[assessor_id] = number
    return found


def asked(row: AdjudicationEventRow, people: Mapping[int, Person]) -> dict[int, int]:
    """To whom a pair was sent back, each with the number of the event that was current then."""
    if row.decision != Decision.BACK:
        return {}
    return {who: event for event, who, _, _ in row.seen if who in people and people[who].reachable}


def receive_discussed(db: Session, account_id: int, event: Event) -> Receipt:
    """Record an answer about a pair that was sent back; refuse what was never sent back to this account."""
    client_id = sent_text(event, "client_id")
    # An id that no database stores is nobody's.
    slug, topic, docno = (storable(sent_text(event, name)) for name in (DISCUSSION_FIELD, "topic", "docno"))
    pair = topic, docno
    assessor = db.scalar(
        select(AssessorRow)
        .join(CampaignRow, CampaignRow.id == AssessorRow.campaign_id)
        .where(CampaignRow.slug == slug, AssessorRow.account_id == account_id)
    )
    if assessor is None or not _was_asked(db, assessor, pair):
        return Receipt(client_id, Outcome.REFUSED, "this document was never returned to you for discussion")
    campaign_id = assessor.campaign_id

    def act() -> bool:
        submission = read_submission(event)
        if submission.kind is not SubmissionKind.ANSWER:
            raise WorkbenchError("a discussion takes answers only")
        # What was recorded before is recognised whatever has become of the discussion since.
        if recorded_event(db, assessor.id, client_id) is None:
            require_assessor(db, campaign_id, account_id)
        new = discuss(db, campaign_id, account_id, topic, submission)
        if new:
            mark_read(db, campaign_id, account_id, pair, latest=sent_number(event, "latest") or 0)
        return new

    return receive_other(db, campaign_id, account_id, event, act)


def _was_asked(db: Session, assessor: AssessorRow, pair: Pair) -> bool:
    """Whether a pair was ever sent back to an assessor."""
    row = AdjudicationEventRow
    back = select(row.seen).where(
        row.campaign_id == assessor.campaign_id,
        row.topic == pair[0],
        row.docno == pair[1],
        row.decision == Decision.BACK,
    )
    return any(who == assessor.id for seen in db.scalars(back) for _, who, _, _ in seen)
