"""The disputed pairs of a campaign, ordered by their influence on the ranking of its runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.disputes import Dispute, disputes, spread_of
from workbench.consensus.judgments import judgments_by_pair
from workbench.consensus.rule import Pair
from workbench.records import Judgment, Scale, id_bytes
from workbench.scoring.influence import NONE, Influence
from workbench.storage.adjudications import current_adjudications
from workbench.storage.tables import (
    AdjudicationEventRow,
    CampaignRow,
    DocumentRow,
    TopicRow,
)
from workbench.workflow.adjudication.decisions import Decision, decided_of, names_of_accounts
from workbench.workflow.adjudication.discussions import all_answered, answers_in_discussion
from workbench.workflow.adjudication.influence import dispute_influences, runs_that_count
from workbench.workflow.adjudication.opinions import changed_since, people_of
from workbench.workflow.adjudication.queue import Order, Queue, QueueLine, State
from workbench.workflow.adjudication.rules import AdjudicationRules, rules_from_json
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.current_judgments import current_judgments, recorded_version

ON_THE_DESK = 3600.0  # seconds for which an adjudicator at work keeps the order that was computed
FRESH = 30.0  # seconds after which new judgments are in the queue, however long it takes
KEPT = 8


@dataclass(frozen=True, slots=True)
class Disputed:
    """Current judgments by pair, and the disputes among them."""

    judgments: Mapping[Pair, tuple[Judgment, ...]]
    disputes: tuple[Dispute, ...]


_DISPUTED: Cache[object, Disputed] = Cache(KEPT)
_INFLUENCES: Cache[object, dict[Pair, Influence]] = Cache(KEPT, moment=0.05)


def dispute_queue(
    db: Session,
    campaign_id: int,
    *,
    order: Order = Order.INFLUENCE,
    influence: bool | None = None,
    patience: float | None = None,
) -> Queue:
    """The disputed pairs of a campaign.

    The influence is computed where the order needs it, or `influence` asks for it. Where judging goes on and
    the computation is long, an older state serves for a while, or for `patience` seconds; decisions are
    always current.
    """
    campaign = db.get_one(CampaignRow, campaign_id)
    scale = scale_from_json(campaign.scale)
    rules = rules_from_json(campaign.adjudication_rules)
    disputed = _disputed(db, campaign, rules, scale, None if patience is None else min(patience, FRESH))
    decisions = {(row.topic, row.docno): row for row in current_adjudications(db, campaign_id)}
    with_influence = order is Order.INFLUENCE if influence is None else influence
    moved = _influenced(db, campaign, rules, scale, disputed, decisions, patience) if with_influence else None
    lines = _lines(db, campaign_id, disputed, decisions, moved, scale)
    positions = _positions(db, campaign_id)
    lines.sort(key=_sorting(order, positions))
    by_topic, by_state = Counter(line.topic for line in lines), Counter(line.state for line in lines)
    return Queue(
        scale=scale,
        rules=rules,
        order=order,
        lines=tuple(lines),
        counts={state: by_state[state] for state in State},
        topics=tuple((topic, by_topic[topic]) for topic in positions if topic in by_topic),
    )


def _disputed(
    db: Session, campaign: CampaignRow, rules: AdjudicationRules, scale: Scale, patience: float | None
) -> Disputed:
    def make() -> Disputed:
        judgments = current_judgments(db, campaign.id, machines=rules.machines)
        return Disputed(judgments_by_pair(judgments), disputes(judgments, rule=rules.disputed, scale=scale))

    key = (*_place(db, campaign), rules.disputed, rules.machines)
    return _DISPUTED.get(key, make, version=recorded_version(db, campaign.id), patience=patience)


def _influenced(
    db: Session,
    campaign: CampaignRow,
    rules: AdjudicationRules,
    scale: Scale,
    disputed: Disputed,
    decisions: Mapping[Pair, AdjudicationEventRow],
    patience: float | None,
) -> dict[Pair, Influence]:
    decided = {pair: row.grade for pair, row in decisions.items() if row.grade is not None}

    def make() -> dict[Pair, Influence]:
        return dispute_influences(
            db,
            campaign.id,
            disputed.disputes,
            judgments=disputed.judgments,
            decided=decided,
            scale=scale,
            measure=rules.measure,
        )

    runs = tuple(runs_that_count(db, campaign.id).values())
    key = (*_place(db, campaign), rules, runs)
    version = (recorded_version(db, campaign.id), hash(frozenset(decided.items())))
    # On the desk the order stays: each decision would shuffle the rest otherwise.
    return _INFLUENCES.get(key, make, version=version, patience=patience, steady=patience is not None)


def _place(db: Session, campaign: CampaignRow) -> tuple[object, ...]:
    """What names a campaign in this process: there may be several databases."""
    return db.get_bind().engine.url, campaign.id, campaign.created_at, repr(campaign.scale)


def _lines(
    db: Session,
    campaign_id: int,
    disputed: Disputed,
    decisions: Mapping[Pair, AdjudicationEventRow],
    moved: Mapping[Pair, Influence] | None,
    scale: Scale,
) -> list[QueueLine]:
    of_pairs = {(one.topic, one.docno): one for one in disputed.disputes}
    pairs = [*of_pairs, *(pair for pair in decisions if pair not in of_pairs)]
    people = people_of(db, campaign_id)
    discussed = answers_in_discussion(db, campaign_id) if decisions else {}
    names = names_of_accounts(db, decisions.values())
    lines = []
    for pair in pairs:
        one, row = of_pairs.get(pair), decisions.get(pair)
        judgments = disputed.judgments.get(pair, ())
        answered = row is not None and all_answered(row, people, discussed.get(pair, {}))
        lines.append(
            QueueLine(
                topic=pair[0],
                docno=pair[1],
                judgments=judgments,
                spread=one.spread if one else spread_of(judgments, scale),
                state=state_of(
                    row, answered, agreed=one is None and sum(j.grade is not None for j in judgments) > 1
                ),
                decided=decided_of(row, names) if row else None,
                changed=row is not None and row.grade is not None and changed_since(row, judgments, people),
                discussed=answered or pair in discussed,
                influence=None if moved is None else moved.get(pair, NONE),
            )
        )
    return lines


def state_of(row: AdjudicationEventRow | None, answered: bool, *, agreed: bool) -> State:
    """The state of a pair; a discussion that leaves fewer than two grades has settled nothing."""
    if row is None:
        return State.OPEN
    if row.decision == Decision.GRADE:
        return State.DECIDED
    if row.decision == Decision.UNCLEAR:
        return State.UNCLEAR
    if agreed:
        return State.SETTLED
    return State.OPEN if answered else State.BACK


def titles_of(db: Session, campaign_id: int, lines: Iterable[QueueLine]) -> dict[str, str]:
    """The titles of the documents of some lines that are loaded, by docno."""
    docnos = sorted({line.docno for line in lines})
    titles: dict[str, str] = {}
    for start in range(0, len(docnos), 5000):
        chosen = select(DocumentRow.docno, DocumentRow.title).where(
            DocumentRow.campaign_id == campaign_id, DocumentRow.docno.in_(docnos[start : start + 5000])
        )
        titles.update(dict(db.execute(chosen).all()))
    return titles


def _positions(db: Session, campaign_id: int) -> dict[str, int]:
    chosen = select(TopicRow.topic, TopicRow.position).where(TopicRow.campaign_id == campaign_id)
    return dict(db.execute(chosen.order_by(TopicRow.position)).all())


def _sorting(order: Order, positions: Mapping[str, int]) -> Callable[[QueueLine], tuple[object, ...]]:
    def by_topic(line: QueueLine) -> tuple[object, ...]:
        return positions.get(line.topic, len(positions)), id_bytes(line.docno)

    def by_distance(line: QueueLine) -> tuple[object, ...]:
        return -line.spread.distance, not line.spread.crosses, -line.spread.mean, *by_topic(line)

    def by_influence(line: QueueLine) -> tuple[object, ...]:
        moved = line.influence or NONE
        return -moved.swaps, -moved.uneven, *by_distance(line)

    return {Order.TOPIC: by_topic, Order.DISTANCE: by_distance, Order.INFLUENCE: by_influence}[order]
