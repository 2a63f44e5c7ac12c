"""What the page of a discussion sends: answers, each recorded once, or stored for the organiser."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.rule import Pair
from workbench.errors import WorkbenchError
from workbench.storage.events import recorded_event
from workbench.storage.tables import AdjudicationEventRow, AssessorRow, CampaignRow
from workbench.workflow.adjudication.decisions import Decision
from workbench.workflow.adjudication.discussions import discuss, mark_read
from workbench.workflow.checks import storable
from workbench.workflow.judging.submission import SubmissionKind, read_submission, sent_number, sent_text
from workbench.workflow.judging.sync import Event, Outcome, Receipt, receive_other, require_assessor
from workbench.workflow.judging.unrecorded import DISCUSSION_FIELD


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
