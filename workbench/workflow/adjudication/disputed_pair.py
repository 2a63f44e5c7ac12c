"""Adjudicating: what lies on the desk of a disputed pair, and what becomes of each decision."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy.orm import Session

from workbench.consensus.disputes import Spread, spread_of
from workbench.consensus.rule import Pair
from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.records import Judgment, Scale, Topic
from workbench.storage.adjudications import latest_adjudication, latest_of_account, recorded_adjudication
from workbench.storage.events import WITHDRAWN
from workbench.storage.tables import AdjudicationEventRow, CampaignRow, TopicRow
from workbench.workflow.adjudication.decisions import (
    Decided,
    Decision,
    PastDecision,
    Person,
    answers_in_discussion,
    asked,
    changed_since,
    decided_of,
    history_of,
    names_of_accounts,
    people_of,
)
from workbench.workflow.adjudication.opinions import Opinion, latest_event, opinions_of, shown_document
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import checked_client_id, storable
from workbench.workflow.judging.desk_view import ShownDocument
from workbench.workflow.judging.recording import LONGEST_ACTIVE_MS, LONGEST_REASON


@dataclass(frozen=True, slots=True)
class DisputedPair:
    """A pair on the desk: statement, document, what each assessor says, and what was decided before.

    `seen` is the number of the latest event about the pair, 0 where there is none: a decision says by it what
    its adjudicator knew, as it does by `heard`, the number of the latest thing that an assessor said.
    `waiting` are the assessors to whom the pair was sent back who have not answered.
    """

    topic: Topic
    scale: Scale
    rules: AdjudicationRules
    document: ShownDocument
    opinions: tuple[Opinion, ...]
    spread: Spread
    decided: Decided | None
    history: tuple[PastDecision, ...]
    changed: bool
    waiting: int
    may_go_back: bool
    seen: int
    heard: int

    @property
    def pair(self) -> Pair:
        """The topic and the docno."""
        return self.topic.id, self.document.docno

    @property
    def own(self) -> bool:
        """Whether the adjudicator is one of the assessors of the pair."""
        return any(opinion.mine for opinion in self.opinions)


@dataclass(frozen=True, slots=True)
class DecisionRecorded:
    """What became of a decision: the event, or what somebody else had decided meanwhile (then none).

    `repeated` when this client id had been recorded before.
    """

    event_id: int | None
    repeated: bool = False
    overtaken: Decided | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """A decision as an adjudicator gives it; `grade` goes with the decision of that name only."""

    decision: Decision
    grade: int | None = None
    reason: str = ""


def disputed_pair(db: Session, campaign_id: int, pair: Pair, account_id: int) -> DisputedPair:
    """Everything that an adjudicator sees of a pair; raises NotFound where nobody has judged it."""
    campaign = db.get_one(CampaignRow, campaign_id)
    topic = db.get(TopicRow, (campaign_id, pair[0]))
    rules, scale = rules_from_json(campaign.adjudication_rules), scale_from_json(campaign.scale)
    people = people_of(db, campaign_id)
    heard = latest_event(db, campaign_id, pair)
    opinions = opinions_of(
        db, campaign_id, pair, people=people, rules=rules, account_id=account_id, until=heard
    )
    latest = latest_adjudication(db, campaign_id, *pair)
    if topic is None or not (opinions or latest):
        raise NotFound("nobody has judged this pair", remedy="follow the links of the queue")
    current = None if latest is None or latest.decision == WITHDRAWN else latest
    said = judgments_of(opinions, pair, people)
    waiting = asked(current, people) if current else {}
    answered = answers_in_discussion(db, campaign_id, pair).get(pair, {}) if waiting else {}
    return DisputedPair(
        topic=Topic(topic.topic, topic.title, topic.description, topic.narrative),
        scale=scale,
        rules=rules,
        document=shown_document(db, campaign_id, pair[1]),
        opinions=opinions,
        spread=spread_of(said, scale),
        decided=decided_of(current, names_of_accounts(db, [current])) if current else None,
        history=history_of(db, campaign_id, pair) if latest else (),
        changed=current is not None and current.grade is not None and changed_since(current, said, people),
        waiting=sum(answered.get(who, 0) <= event for who, event in waiting.items()),
        may_go_back=any(people[opinion.assessor_id].reachable for opinion in opinions),
        seen=latest.id if latest else 0,
        heard=heard,
    )


def decide(
    db: Session,
    campaign_id: int,
    account_id: int,
    pair: Pair,
    verdict: Verdict,
    *,
    client_id: str,
    seen: int,
    heard: int | None = None,
    active_ms: int | None = None,
) -> DecisionRecorded:
    """Append a decision about a pair; the same client id again changes nothing and gives the first event.

    Where somebody else has decided the pair since the event that was `seen`, nothing is recorded: what they
    decided comes back, and is overwritten only by a decision that has seen it. With the decision goes what
    the assessors had said until the event that was `heard` (None: until now), since that lay before the
    adjudicator: whoever says otherwise later is known to have done so since. Raises WorkbenchError for a
    grade outside the scale and a pair that nobody can discuss, NotFound for one that nobody judged, and
    Conflict for a client id that said something else before.
    """
    campaign = locked_campaign(db, campaign_id)
    _check(verdict, scale_from_json(campaign.scale))
    known = recorded_adjudication(db, campaign_id, checked_client_id(client_id))
    if known is not None:
        same = (known.topic, known.docno, known.decision, known.grade)
        if same != (*pair, str(verdict.decision), verdict.grade):
            raise Conflict(
                "this page's decision was recorded before, and was another one", remedy="load it again"
            )
        return DecisionRecorded(known.id, repeated=True)
    latest = latest_adjudication(db, campaign_id, *pair)
    if _overtaken(latest, seen, account_id) and latest is not None:
        return DecisionRecorded(None, overtaken=decided_of(latest, names_of_accounts(db, [latest])))
    people = people_of(db, campaign_id)
    rules = rules_from_json(campaign.adjudication_rules)
    opinions = opinions_of(
        db, campaign_id, pair, people=people, rules=rules, account_id=account_id, until=heard
    )
    if not opinions:
        raise NotFound("nobody has judged this pair", remedy="follow the links of the queue")
    if verdict.decision is Decision.BACK and not any(people[v.assessor_id].reachable for v in opinions):
        raise WorkbenchError(
            "none of its assessors has an account here, so nobody would see it",
            remedy="decide it, or discuss it elsewhere and import the answers",
        )
    row = _event(campaign_id, pair, account_id, client_id)
    row.decision, row.grade = str(verdict.decision), verdict.grade
    row.reason = storable(verdict.reason.strip())[:LONGEST_REASON]
    row.said = said_json(opinions)
    row.active_ms = None if active_ms is None else max(0, min(active_ms, LONGEST_ACTIVE_MS))
    db.add(row)
    db.flush()
    return DecisionRecorded(row.id)


def undo(db: Session, campaign_id: int, account_id: int, *, client_id: str) -> Pair | None:
    """Withdraw the latest decision of an account that holds and return its pair, if there is one.

    The pair is open again; both events stay. The same client id again withdraws no second decision and gives
    the same pair. Raises Conflict for a client id that decided something before.
    """
    locked_campaign(db, campaign_id)
    known = recorded_adjudication(db, campaign_id, checked_client_id(client_id))
    if known is not None:
        if known.decision != WITHDRAWN:
            raise Conflict("this page's undo was recorded before, and was a decision", remedy="load it again")
        return known.topic, known.docno
    last = latest_of_account(db, campaign_id, account_id)
    if last is None:
        return None
    row = _event(campaign_id, (last.topic, last.docno), account_id, client_id)
    row.decision, row.grade, row.reason, row.said = WITHDRAWN, None, "", last.said
    db.add(row)
    db.flush()
    return last.topic, last.docno


def locked_campaign(db: Session, campaign_id: int) -> CampaignRow:
    """The campaign, kept from other adjudicators until the transaction ends; who judges does not wait."""
    return db.get_one(CampaignRow, campaign_id, with_for_update={"key_share": True}, populate_existing=True)


def judgments_of(opinions: tuple[Opinion, ...], pair: Pair, people: dict[int, Person]) -> list[Judgment]:
    """What the opinions say, as judgments by the assessors' true names."""
    return [
        Judgment(people[opinion.assessor_id].name, *pair, opinion.now.grade, opinion.now.answer)
        for opinion in opinions
    ]


def said_json(opinions: tuple[Opinion, ...]) -> list[list[int | str | None]]:
    """What lies before an adjudicator, as it is kept: [judgment event, assessor, answer, grade] of each."""
    return [
        [opinion.event_id, opinion.assessor_id, str(opinion.now.answer), opinion.now.grade]
        for opinion in opinions
    ]


def _overtaken(latest: AdjudicationEventRow | None, seen: int, account_id: int) -> bool:
    if latest is None or latest.id <= seen or latest.decision == WITHDRAWN:
        return False
    return latest.account_id != account_id


def _check(verdict: Verdict, scale: Scale) -> None:
    if verdict.decision is Decision.GRADE:
        if verdict.grade is None:
            raise WorkbenchError("the decision is a grade, but no grade was given")
        scale.grade(verdict.grade)
    elif verdict.grade is not None:
        raise WorkbenchError(f"the decision {verdict.decision} carries no grade")


def _event(campaign_id: int, pair: Pair, account_id: int, client_id: str) -> AdjudicationEventRow:
    return AdjudicationEventRow(
        campaign_id=campaign_id,
        topic=pair[0],
        docno=pair[1],
        account_id=account_id,
        client_id=client_id,
        recorded_at=datetime.now(UTC),
    )
