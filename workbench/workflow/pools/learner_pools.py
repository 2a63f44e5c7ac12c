"""Learner's pools: their recipe, the documents they choose from, their rankings as rows, reviews in memory.

A pool begins with its candidates, which never change, and a first ranking of each topic, both made apart from
judging (`learner_rounds`). What is handed out then depends on these rows and the pool's events alone.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, WorkbenchError, rejected
from workbench.learning.learners import BMI, LEARNERS
from workbench.learning.review import Origin, Review, ReviewRound, ReviewSettings
from workbench.pooling.adaptive_pool import Happening
from workbench.pooling.strategies import LEARNER, RELEVANCE, UNCERTAINTY
from workbench.records import id_bytes
from workbench.storage.tables import CampaignRow, LearnerCandidatesRow, LearnerRoundRow, PoolRow, TopicRow
from workbench.workflow.pools.pool_log import TopicEvent, TopicFold
from workbench.workflow.pools.pool_rows import locked_pool, pool_row, require_open

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


def packed_candidates(docnos: Sequence[str]) -> dict[str, Any]:
    """The values of the row of these candidates."""
    listed = b"\n".join(map(id_bytes, docnos))
    return {
        "docnos_packed": zlib.compress(listed, 1),
        "documents": len(docnos),
        "sha256": hashlib.sha256(listed).hexdigest(),
        "made_at": datetime.now(UTC),
    }


def candidates_of(db: Session, pool_id: int) -> LearnerCandidates | None:
    """The candidates of a pool; None before they were listed."""
    row = db.get(LearnerCandidatesRow, pool_id)
    if row is None:
        return None
    listed = zlib.decompress(row.docnos_packed).decode("utf-8", "surrogateescape")
    return LearnerCandidates(tuple(listed.split("\n")), row.sha256)


@dataclass(frozen=True, slots=True)
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
