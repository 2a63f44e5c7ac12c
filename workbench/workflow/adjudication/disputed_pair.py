"""A disputed pair on the adjudicator's desk."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.consensus.disputes import Spread, spread_of
from workbench.consensus.rule import Pair
from workbench.errors import NotFound
from workbench.records import Scale, Topic
from workbench.storage.adjudications import adjudications_of
from workbench.storage.events import WITHDRAWN
from workbench.storage.tables import CampaignRow, TopicRow
from workbench.workflow.adjudication.decisions import Decided, decided_in
from workbench.workflow.adjudication.discussions import Replies, answers_in_discussion, asked
from workbench.workflow.adjudication.opinions import (
    Opinion,
    OpinionReader,
    changed_since,
    opinions_of,
    people_of,
    shown_document,
)
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.campaigns.collection import as_topic
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.desk_view import ShownDocument


@dataclass(frozen=True, slots=True)
class DisputedPair:
    """A pair on the desk: statement, document, the opinion of each assessor, and earlier decisions.

    `seen` is the number of the latest decision about the pair, 0 where there is none, and `heard` are those
    of the answers: a decision names both, so that it is known what its adjudicator had seen. `waiting` counts
    the assessors to whom the pair was sent back who have not answered.
    """

    topic: Topic
    scale: Scale
    rules: AdjudicationRules
    document: ShownDocument
    opinions: tuple[Opinion, ...]
    spread: Spread
    decided: Decided | None
    history: tuple[Decided, ...]
    changed: bool
    waiting: int
    may_go_back: bool
    seen: int
    heard: tuple[int, ...]

    @property
    def ungiven(self) -> bool:
        """Whether the decision is a grade that no assessor gives."""
        grade = None if self.decided is None else self.decided.grade
        return grade is not None and grade not in {one.now.grade for one in self.opinions}

    @property
    def own(self) -> bool:
        """Whether the adjudicator is one of the assessors of the pair."""
        return any(opinion.mine for opinion in self.opinions)


def disputed_pair(db: Session, campaign_id: int, pair: Pair, account_id: int) -> DisputedPair:
    """Everything that an adjudicator sees of a pair; raises NotFound where nobody has judged it."""
    campaign = db.get_one(CampaignRow, campaign_id)
    topic = db.get(TopicRow, (campaign_id, pair[0]))
    rules, scale = rules_from_json(campaign.adjudication_rules), scale_from_json(campaign.scale)
    people = people_of(db, campaign_id)
    reader = OpinionReader(account_id, people, rules)
    opinions = opinions_of(db, campaign_id, pair, reader)
    events = adjudications_of(db, campaign_id, *pair)
    latest = events[-1] if events else None
    if topic is None or not (opinions or latest):
        raise NotFound("nobody has judged this pair", remedy="follow the links of the queue")
    current = None if latest is None or latest.decision == WITHDRAWN else latest
    judgments = reader.judgments(opinions, pair)
    waiting = 0
    if current is not None and asked(current, people):
        replies = Replies.to(current, people, answers_in_discussion(db, campaign_id, pair))
        waiting = replies.asked - len(replies.new)
    past = decided_in(db, events)
    return DisputedPair(
        topic=as_topic(topic),
        scale=scale,
        rules=rules,
        document=shown_document(db, campaign_id, pair[1]),
        opinions=opinions,
        spread=spread_of(judgments, scale),
        decided=past[current.id] if current else None,
        history=tuple(past.values()),
        changed=(
            current is not None and current.grade is not None and changed_since(current, judgments, people)
        ),
        waiting=waiting,
        may_go_back=reader.may_send_back(opinions),
        seen=latest.id if latest else 0,
        heard=tuple(sorted(one.event_id for one in opinions)),
    )
