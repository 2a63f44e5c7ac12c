"""The disputed pairs of a campaign, ordered by their influence on the ranking, and one on the desk."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum

import numpy as np
from sqlalchemy.orm import Session

from workbench.consensus.disputes import Spread, spread_of
from workbench.consensus.votes import Pair
from workbench.errors import NotFound
from workbench.frozen import frozen_dataclass
from workbench.records import Scale, Topic
from workbench.storage.adjudications import adjudications_of
from workbench.storage.events import WITHDRAWN
from workbench.storage.tables import CampaignRow, TopicRow
from workbench.workflow.adjudication.decisions import Decided, decided_in
from workbench.workflow.adjudication.discussions import Replies, answers_in_discussion, asked
from workbench.workflow.adjudication.influence import InfluenceComputing, KnownInfluence
from workbench.workflow.adjudication.opinions import (
    Opinion,
    OpinionReader,
    changed_since,
    opinions_of,
    people_of,
    shown_document,
)
from workbench.workflow.adjudication.queue import Order, State
from workbench.workflow.adjudication.queue_table import STATES, LineReader, Queue, queue_table
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import as_topic
from workbench.workflow.jobs import result_bytes
from workbench.workflow.judging.desk_view import ShownDocument

ON_THE_DESK = timedelta(hours=1)
"""How long adjudicators at work keep the order that was computed: each decision would shuffle the rest."""
LONGEST_SHARE = 10
"""What takes a second is computed again after so many at the earliest, however fast judging goes on."""


class Waiting(StrEnum):
    """Whether somebody waits for the influence on the ranking."""

    EXACT = "exact"
    """However long it takes, as it is now."""
    PAGE = "page"
    """As it is now where that is quick; else as it was computed last, if it was."""
    DESK = "desk"
    """As it was computed in the last hour, so that the order stays; else as a page."""


def dispute_queue(
    db: Session,
    campaign_id: int,
    *,
    order: Order = Order.INFLUENCE,
    influence: bool | None = None,
    waiting: Waiting = Waiting.EXACT,
) -> Queue:
    """The disputed pairs of a campaign, with decisions and answers as they are now.

    The influence is there where the order needs it, or `influence` asks for it, as far as `waiting` allows;
    where it is not known, pairs with the largest difference come first. Raises WorkbenchError for a grade
    outside the scale.
    """
    table = queue_table(db, campaign_id)
    known: KnownInfluence | None = None
    behind = False
    if order is Order.INFLUENCE if influence is None else influence:
        known, behind = _known(InfluenceComputing(db, table), waiting)
    values = None if known is None else known.of(table)
    sizes = np.diff(table.starts).tolist()
    return Queue(
        scale=table.source.scale,
        rules=table.source.rules,
        order=order,
        counts=table.counts(),
        topics=tuple(zip(table.names, sizes, strict=True)),
        influence_at=known.at if known is not None else None,
        influence_behind=behind,
        alone=0 if values is None else int((values[table.states == STATES.index(State.OPEN), 0] > 0).sum()),
        together=0 if known is None else known.together,
        run_pairs=0 if known is None else known.run_pairs,
        reader=LineReader(db, table, values),
        numbers=table.ordered(order, values),
    )


def _known(computing: InfluenceComputing, waiting: Waiting) -> tuple[KnownInfluence | None, bool]:
    """What is known of the influence, and whether a job is to compute it for those who come next."""
    if waiting is Waiting.EXACT:
        return computing.compute(), False
    known = computing.known()
    if waiting is Waiting.DESK and known is not None and datetime.now(UTC) - known.at < ON_THE_DESK:
        return known, False
    if computing.small:
        return computing.compute(), waiting is Waiting.DESK
    return known, known is None or (known.digest != computing.digest and _may_be_renewed(known))


def _may_be_renewed(known: KnownInfluence) -> bool:
    """Whether so much time has passed that computing again takes a small share of it."""
    return (datetime.now(UTC) - known.at).total_seconds() >= LONGEST_SHARE * known.seconds


def influence_arguments(db: Session, campaign_id: int) -> dict[str, str]:
    """The arguments of the job that computes the influence as the rules are now."""
    return InfluenceComputing(db, queue_table(db, campaign_id)).arguments


def compute_influence(db: Session, campaign_id: int) -> bytes:
    """Compute the influence of all disputed pairs; as a job stores it."""
    return result_bytes(InfluenceComputing(db, queue_table(db, campaign_id)).compute())


@frozen_dataclass
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
