"""Decisions about disputed pairs: recorded, withdrawn, and the history of a pair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.votes import Pair
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.formats.identifiers import storable
from workbench.frozen import frozen_dataclass
from workbench.records import Scale
from workbench.storage.adjudications import (
    current_adjudications,
    latest_adjudication,
    latest_of_account,
    recorded_adjudication,
)
from workbench.storage.events import WITHDRAWN
from workbench.storage.tables import AdjudicationEventRow, CampaignRow, JudgmentEventRow
from workbench.workflow.adjudication.opinions import OpinionReader, opinions_of, people_of
from workbench.workflow.adjudication.rules import rules_from_json
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.judging.submission import LONGEST_ACTIVE_MS, LONGEST_REASON, checked_client_id
from workbench.workflow.people.accounts import account_names


class Decision(StrEnum):
    """What becomes of a disputed pair."""

    GRADE = "grade"
    BACK = "back"
    UNCLEAR = "unclear"


@frozen_dataclass
class Decided:
    """What was decided about a pair, why, by whom (empty for an import) and when; None was withdrawn."""

    event_id: int
    decision: Decision | None
    grade: int | None
    reason: str
    by: str
    at: datetime


def last_decided(db: Session, campaign_id: int, pair: Pair) -> int:
    """The number of the latest adjudication event about a pair, 0 where there is none."""
    latest = latest_adjudication(db, campaign_id, *pair)
    return latest.id if latest else 0


def decided_in(db: Session, rows: Sequence[AdjudicationEventRow]) -> dict[int, Decided]:
    """What events decided, by their numbers."""
    names = account_names(db, (row.account_id for row in rows))
    return {
        row.id: Decided(
            row.id,
            None if row.decision == WITHDRAWN else Decision(row.decision),
            row.grade,
            row.reason,
            names.get(row.account_id or 0, ""),
            row.recorded_at,
        )
        for row in rows
    }


def unclear_of_topic(db: Session, campaign_id: int, topic: str) -> tuple[tuple[str, Decided], ...]:
    """The documents for which an adjudicator found a topic's statement unclear, and why."""
    rows = [
        row for row in current_adjudications(db, campaign_id, decision=Decision.UNCLEAR) if row.topic == topic
    ]
    decided = decided_in(db, rows)
    return tuple((row.docno, decided[row.id]) for row in rows)


@frozen_dataclass
class DecisionRecorded:
    """What became of a decision: the event, or what was decided meanwhile (then none).

    `repeated` when this client id had been recorded before.
    """

    event_id: int | None
    repeated: bool = False
    overtaken: Decided | None = None


@frozen_dataclass
class DecisionSubmission:
    """A decision as an adjudicator submits it; `grade` goes with the decision of that name only.

    `seen` is the number of the latest decision about the pair that was shown, 0 for none, and `heard` are
    those of the answers that were shown (None: all until now).
    """

    decision: Decision
    client_id: str
    grade: int | None = None
    reason: str = ""
    seen: int = 0
    heard: Collection[int] | None = None
    active_ms: int | None = None


def decide(
    db: Session, campaign_id: int, account_id: int, pair: Pair, submission: DecisionSubmission
) -> DecisionRecorded:
    """Append a decision about a pair; the same client id again changes nothing and gives the first event.

    Where the pair was decided since the event that was `seen`, by whomever, nothing is recorded: that
    decision is returned, and only a decision that has seen it overwrites it. The answers that the adjudicator
    saw are stored with it, so that later changes are known. Raises
    WorkbenchError for a grade outside the scale and a pair that nobody can discuss, NotFound for one that
    nobody judged, and Conflict for a client id that was used for another decision.
    """
    campaign = locked_campaign(db, campaign_id)
    _check(submission, scale_from_json(campaign.scale))
    known = recorded_adjudication(db, campaign_id, checked_client_id(submission.client_id))
    if known is not None:
        same = (known.topic, known.docno, known.decision, known.grade)
        if same != (*pair, str(submission.decision), submission.grade):
            raise Conflict("this page already recorded another decision", remedy="reload the page")
        return DecisionRecorded(known.id, repeated=True)
    latest = latest_adjudication(db, campaign_id, *pair)
    if latest is not None and latest.id > submission.seen and latest.decision != WITHDRAWN:
        return DecisionRecorded(None, overtaken=decided_in(db, [latest])[latest.id])
    rules = rules_from_json(campaign.adjudication_rules)
    reader = OpinionReader(account_id, people_of(db, campaign_id), rules)
    # Those that were shown, though others may have come since.
    heard = None if submission.heard is None else _last_heard(db, campaign_id, pair, submission.heard)
    opinions = opinions_of(db, campaign_id, pair, reader, heard)
    if not opinions:
        raise NotFound("nobody has judged this pair", remedy="follow the links of the queue")
    if submission.decision is Decision.BACK and not reader.may_send_back(opinions):
        raise WorkbenchError(
            "none of its assessors has an account here, so nobody would see it",
            remedy="decide it, or discuss it elsewhere and import the answers",
        )
    row = _event(campaign_id, pair, account_id, submission.client_id)
    row.decision, row.grade = str(submission.decision), submission.grade
    row.reason = storable(submission.reason.strip())[:LONGEST_REASON]
    row.seen = [[one.event_id, one.assessor_id, str(one.now.answer), one.now.grade] for one in opinions]
    if submission.active_ms is not None:
        row.active_ms = max(0, min(submission.active_ms, LONGEST_ACTIVE_MS))
    db.add(row)
    db.flush()
    return DecisionRecorded(row.id)


def _last_heard(db: Session, campaign_id: int, pair: Pair, heard: Collection[int]) -> dict[int, int]:
    """The last of these answers to a pair by each assessor."""
    event = JudgmentEventRow
    chosen = select(event.assessor_id, event.id).where(
        event.campaign_id == campaign_id, event.topic == pair[0], event.docno == pair[1], event.id.in_(heard)
    )
    return dict(db.execute(chosen.order_by(event.id)).all())


def undo(db: Session, campaign_id: int, account_id: int, *, client_id: str) -> Pair | None:
    """Withdraw the latest current decision of an account and return its pair, if there is one.

    The pair is open again; both events stay. The same client id again withdraws no second decision and
    returns the same pair. Raises Conflict for a client id that was used for a decision.
    """
    locked_campaign(db, campaign_id)
    known = recorded_adjudication(db, campaign_id, checked_client_id(client_id))
    if known is not None:
        if known.decision != WITHDRAWN:
            raise Conflict(
                "this page already recorded a decision instead of this undo", remedy="reload the page"
            )
        return known.topic, known.docno
    last = latest_of_account(db, campaign_id, account_id)
    if last is None:
        return None
    row = _event(campaign_id, (last.topic, last.docno), account_id, client_id)
    row.decision, row.grade, row.reason, row.seen = WITHDRAWN, None, "", last.seen
    db.add(row)
    db.flush()
    return last.topic, last.docno


def locked_campaign(db: Session, campaign_id: int) -> CampaignRow:
    """The campaign, locked against other adjudicators until the transaction ends."""
    return db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True}, populate_existing=True)


def _check(submission: DecisionSubmission, scale: Scale) -> None:
    if submission.decision is Decision.GRADE:
        if submission.grade is None:
            raise WorkbenchError("the decision is a grade, but no grade was given")
        scale.grade(submission.grade)
    elif submission.grade is not None:
        raise WorkbenchError(f"the decision {submission.decision} takes no grade")


def _event(campaign_id: int, pair: Pair, account_id: int, client_id: str) -> AdjudicationEventRow:
    return AdjudicationEventRow(
        campaign_id=campaign_id,
        topic=pair[0],
        docno=pair[1],
        account_id=account_id,
        client_id=client_id,
        recorded_at=datetime.now(UTC),
    )
