"""Learner's pools: their recipe, the documents they choose from, their rankings as rows, when to stop.

A pool begins with its candidates, which never change, and a first ranking of each topic, both made apart from
judging (`learner_rounds`). What is handed out then depends on these rows and the pool's events alone.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError, rejected
from workbench.frozen import frozen_dataclass
from workbench.learning.learners import BMI, LEARNERS
from workbench.learning.review import (
    FurtherSample,
    Origin,
    Review,
    ReviewRound,
    ReviewSettings,
    StoppingAdvice,
    stopping_advice,
)
from workbench.learning.stopping import StoppingGoal
from workbench.pooling.adaptive_pool import Happening
from workbench.pooling.strategies import LEARNER, RELEVANCE, UNCERTAINTY
from workbench.records import id_bytes
from workbench.storage.tables import CampaignRow, LearnerRoundRow, PoolRow, TopicRow
from workbench.tables import Export
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.pools.pool_log import TopicEvent, TopicFold
from workbench.workflow.pools.pool_rows import adaptive_pool_row, locked_pool, pool_row, require_open, totals

MODES: Mapping[str, str] = {RELEVANCE: BMI.name, UNCERTAINTY: LEARNERS["uncertainty"].name}
"""The learner of each mode of a recipe."""


def is_learner(pool: PoolRow) -> bool:
    """Whether a learner chooses the documents of a pool."""
    return bool(pool.recipe.get("strategy") == LEARNER.name)


def review_settings(pool: PoolRow) -> ReviewSettings:
    """What a pool's recipe says of its reviews."""
    values = LEARNER.values(pool.recipe["parameters"])
    return ReviewSettings(
        MODES[values["mode"]], values["share"], values["batch"], values["seed"], values["budget"]
    )


def learner_recipe(db: Session, row: PoolRow) -> dict[str, Any]:
    """What the recipe of a learner's pool adds; raises WorkbenchError where no document is stored.

    The seed is one that no other learner's pool of the campaign has: by the same it would draw the documents
    that were judged there, and have no random sample of its own.
    """
    campaign_id, parameters = row.campaign_id, row.recipe["parameters"]
    documents = db.scalar(select(CampaignRow.documents).where(CampaignRow.id == campaign_id)) or 0
    if not documents:
        message = "the learner reads the texts of documents, and this campaign has none"
        raise WorkbenchError(message, remedy="load the documents of the collection first")
    values = LEARNER.values(parameters)
    most, seed = min(documents, values["budget"]), int(values["seed"])
    others = PoolRow.campaign_id == campaign_id, PoolRow.name != row.name
    with db.no_autoflush:
        pools = db.scalars(select(PoolRow).where(*others)).all()
    used = {review_settings(pool).seed for pool in pools if is_learner(pool)}
    while seed in used:
        seed += 1
    topics = db.scalars(select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id)).all()
    return {
        "runs": [],
        "largest_possible": dict.fromkeys(topics, documents),
        "adaptive": True,
        "totals": dict.fromkeys(topics, most),
        "parameters": {**parameters, "seed": str(seed)},
    }


def learner_budget(db: Session, campaign_id: int, name: str) -> int:
    """How many documents of each topic a learner's pool hands out; raises NotFound."""
    return review_settings(pool_row(db, campaign_id, name)).budget


def raise_budget(db: Session, campaign_id: int, name: str, budget: int) -> None:
    """Let a learner's pool that is open hand out more documents of each topic.

    Raises NotFound, Conflict for a pool that is not open or has no learner, and InvalidInput unless the
    budget is higher than before.
    """
    row = locked_pool(db, campaign_id, name)
    require_open(row)
    if not is_learner(row):
        raise Conflict(f"{name!r} has no learner", remedy="choose a pool with the strategy learner")
    before = review_settings(row).budget
    documents = max(row.recipe["largest_possible"].values(), default=0)
    if not before < budget:
        finding = f"the budget is already {before:,} documents per topic"
        raise rejected("Budget", None, "budget", finding, "give a higher number")
    totals = dict.fromkeys(row.recipe["totals"], min(budget, documents))
    parameters = {**row.recipe["parameters"], "budget": str(budget)}
    row.recipe = {**row.recipe, "parameters": parameters, "totals": totals}
    row.pairs = sum(totals.values())
    db.flush()


@dataclass(frozen=True)
class LearnerCandidates:
    """The documents that a pool chooses from, docnos ascending (bytes)."""

    docnos: tuple[str, ...]
    sha256: str

    @cached_property
    def places(self) -> dict[str, int]:
        """The place of each docno."""
        return {docno: place for place, docno in enumerate(self.docnos)}


def list_candidates(db: Session, pool_id: int, docnos: Sequence[str]) -> None:
    """Store the candidates of a pool, unless another host has listed them."""
    listed = zlib.compress(b"\n".join(map(id_bytes, docnos)), 1)
    unlisted = (PoolRow.id == pool_id) & PoolRow.candidates.is_(None)
    db.execute(update(PoolRow).where(unlisted).values(candidates=listed))


def candidates_of(db: Session, pool_id: int) -> LearnerCandidates | None:
    """The candidates of a pool; None before they were listed."""
    packed = db.scalar(select(PoolRow.candidates).where(PoolRow.id == pool_id))
    if packed is None:
        return None
    listed = zlib.decompress(packed)
    docnos = listed.decode("utf-8", "surrogateescape").split("\n")
    return LearnerCandidates(tuple(docnos), hashlib.sha256(listed).hexdigest())


@frozen_dataclass
class StoredRound:
    """A ranking as it is stored; see `LearnerRoundRow`."""

    round: ReviewRound
    known: int
    since: int
    document_changes: int


def round_values(new: StoredRound) -> dict[str, Any]:
    """The values of the row of a round, but for its pool and topic."""
    one = new.round
    return {
        "number": one.number,
        "known": new.known,
        "since": new.since,
        "batch": one.batch,
        "places": one.places.astype("<i4").tobytes(),
        "scores": one.scores.astype("<f4").tobytes(),
        "document_changes": new.document_changes,
        "made_at": datetime.now(UTC),
    }


def stored_rounds(db: Session, pool_id: int, topic: str, *, first: int = 0) -> tuple[StoredRound, ...]:
    """The rounds of a topic from this number on, in order."""
    row = LearnerRoundRow
    rows = db.scalars(
        select(row)
        .where(row.pool_id == pool_id, row.topic == topic, row.number >= first)
        .order_by(row.number)
        .execution_options(populate_existing=True)
    )
    return tuple(
        StoredRound(
            ReviewRound(
                one.number,
                np.frombuffer(one.places, "<i4").astype(np.intp),
                np.frombuffer(one.scores, "<f4").astype(np.float32),
                one.batch,
            ),
            one.known,
            one.since,
            one.document_changes,
        )
        for one in rows
    )


def last_rounds(db: Session, pool_id: int) -> dict[str, int]:
    """The number of the last round of each topic that has one."""
    row = LearnerRoundRow
    found = select(row.topic, func.max(row.number)).where(row.pool_id == pool_id).group_by(row.topic)
    return dict(db.execute(found).all())


def apply(review: Review, candidates: LearnerCandidates, event: TopicEvent) -> None:
    """Let one event happen in a review; what is none of the candidates concerns it not."""
    place = candidates.places.get(event.docno)
    if place is None:
        return
    if event.happening == Happening.HANDED_OUT:
        review.hand_out(place, Origin(event.reason.origin) if event.reason else Origin.UNRANKED)
    elif event.happening == Happening.GIVEN_BACK:
        review.give_back(place)
    else:
        review.judged(place, event.relevant)


def review_after(
    live: TopicFold[Review], db: Session, pool: PoolRow, topic: str, candidates: LearnerCandidates
) -> Review:
    """The review of a topic after all events in the table; raises Conflict for what cannot have happened."""
    settings, review = review_settings(pool), live.value
    first = review.round.number + 1 if review is not None and review.round is not None else 0
    coming = list(stored_rounds(db, pool.id, topic, first=first))
    if review is not None and (
        review.settings != settings or (coming and live.last and coming[0].since < live.last.number)
    ):
        # The budget was raised, or a round was not known when the events after it were seen.
        live.value = None

    def begin() -> Review:
        coming[:] = stored_rounds(db, pool.id, topic)
        return Review(len(candidates.docnos), topic, settings)

    def take(review: Review, event: TopicEvent) -> None:
        while coming and coming[0].since < event.number:
            review.begin(coming.pop(0).round)
        apply(review, candidates, event)

    review = live.after(db, pool.id, topic, begin, take)
    for one in coming:
        review.begin(one.round)
    return review


_POINTS = 200


@frozen_dataclass
class TopicAdvice:
    """A topic of a learner's pool as it stands; `used_up` says that its budget ended with some unread."""

    topic: str
    title: str
    advice: StoppingAdvice
    used_up: bool = False

    @property
    def curve(self) -> list[tuple[int, int]]:
        """Documents read and relevant ones found, in the order of the learner's reading; 201 at most."""
        found = self.advice.trace.found
        steps = np.unique(np.linspace(0, len(found) - 1, _POINTS + 1).astype(np.intp))
        return list(zip(steps.tolist(), found[steps].tolist(), strict=True))


def pool_advice(
    db: Session, campaign_id: int, name: str, goal: StoppingGoal, topics: Sequence[str] = ()
) -> tuple[TopicAdvice, ...]:
    """What the rules say of each topic of a learner's pool, or of these topics alone.

    Raises NotFound for an unknown pool or topic, WorkbenchError for a pool without a learner, and Conflict
    before its first ranking.
    """
    pool = adaptive_pool_row(db, campaign_id, name)
    if not is_learner(pool):
        message = f"pool {name!r} has no learner, so the rules for stopping do not apply to it"
        raise WorkbenchError(message, remedy="name a pool with the strategy learner")
    candidates = candidates_of(db, pool.id)
    if candidates is None:
        message = f"the learner is still ranking the documents of pool {name!r} for the first time"
        raise Conflict(message, remedy="ask again in a minute")
    known = totals(pool)
    unknown = [topic for topic in topics if topic not in known]
    if unknown:
        raise NotFound(f"pool {name!r} has no topic {unknown[0]!r}", remedy="name a topic of the pool")
    chosen = set(topics) or set(known)
    titles = topic_titles(db, campaign_id)
    found = []
    for topic, title in titles.items():
        if topic in chosen:
            review = review_after(TopicFold(), db, pool, topic, candidates)
            advice = stopping_advice(review, goal)
            found.append(TopicAdvice(topic, title, advice, advice.unread > 0 and review.left <= 0))
    return tuple(found)


def advice_export(topics: Sequence[TopicAdvice], further: int | None = None) -> Export:
    """One row a topic and rule for CSV; for JSON the topics with their rules, and a further sample."""
    columns = (
        *("topic", "collection", "judged", "found", "unread", "sampled", "sample_judged", "sample_relevant"),
        *("recall", "recall_low", "recall_high", "goal", "confidence"),
        *("rule", "stop_read", "stop_found", "reason"),
    )
    data = [_data(one, further) for one in topics]

    def rows() -> list[list[object]]:
        return [[{**one, **rule}.get(name) for name in columns] for one, rules in data for rule in rules]

    return Export(columns, rows, lambda: {"topics": [{**one, "rules": rules} for one, rules in data]})


def _data(of: TopicAdvice, further: int | None) -> tuple[dict[str, object], list[dict[str, object]]]:
    advice, sample, recall = of.advice, of.advice.sample, of.advice.recall
    topic: dict[str, object] = {
        "topic": of.topic,
        "collection": advice.trace.collection,
        "judged": advice.judged,
        "found": advice.found,
        "unread": advice.unread,
        "sampled": sample.drawn if sample else 0,
        "sample_judged": sample.judged if sample else 0,
        "sample_relevant": sample.relevant if sample else 0,
        "recall": recall.value,
        "recall_low": recall.low,
        "recall_high": recall.high,
        "goal": advice.goal.recall,
        "confidence": advice.goal.confidence,
    }
    more = further_sample(advice, further)
    if more is not None:
        topic["further"] = asdict(more)
    rules: list[dict[str, object]] = [
        {"rule": rule.name, "stop_read": stop.read, "stop_found": stop.found, "reason": stop.reason}
        for rule, stop in advice.stops
    ]
    return topic, rules


def further_sample(advice: StoppingAdvice, documents: int | None) -> FurtherSample | None:
    """What so many more random documents would say, or all where fewer are left; None for none."""
    most = min(documents or 0, advice.left_to_sample)
    return advice.further(most) if most > 0 else None
