"""The rounds of learner's pools, made apart from judging: candidates, vectors of texts, training, rankings.

Several hosts may do it at once: a round has a number, and the second of two with the same number is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Lock

from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.learning.review import Review, ReviewRound, next_round
from workbench.learning.vectors import Vectors, topic_text, vectors_of
from workbench.pooling.adaptive_pool import Happening, PoolEvent
from workbench.records import Document, sorted_ids
from workbench.storage.chunks import CHUNK, chunks
from workbench.storage.engine import Database
from workbench.storage.tables import (
    CampaignRow,
    DocumentRow,
    LearnerRoundRow,
    PoolEventRow,
    PoolRow,
    TopicRow,
)
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import as_topic, read_texts
from workbench.workflow.pools.learner_pools import (
    LearnerCandidates,
    StoredRound,
    candidates_of,
    is_learner,
    list_candidates,
    review_after,
    review_settings,
    round_values,
)
from workbench.workflow.pools.pool_log import TopicFold, append_pool_events, events_of, lock_topic
from workbench.workflow.pools.pool_rows import totals
from workbench.workflow.pools.pooled_topics import relevant_pairs

MOST_COLLECTIONS = 2
MOST_REVIEWS = 100


class CollectionVectors:
    """What this process has made: vectors of the few collections used last, and the reviews it goes on with.

    A review of 2,000 judgments takes a fifth of a second from its first event on, and is looked at three
    times a second.
    """

    def __init__(self) -> None:
        # One thread makes vectors, since those of a collection may be large.
        self._lock = Lock()
        self._made: Cache[tuple[int, str, int], Vectors] = Cache(MOST_COLLECTIONS)
        self._reviews: Cache[tuple[int, str, str], TopicFold[Review]] = Cache(MOST_REVIEWS)

    def of(
        self, database: Database, campaign_id: int, candidates: LearnerCandidates, changes: int
    ) -> Vectors:
        """The vectors of candidates as their texts were after so many changes of the documents."""
        key = (campaign_id, candidates.sha256, changes)
        with self._lock:
            return self._made.get(key, lambda: vectors_of(_texts(database, campaign_id, candidates.docnos)))

    def review(self, pool: PoolRow, topic: str) -> TopicFold[Review]:
        """A topic's review as this process left it."""
        key = (pool.id, pool.created_at.isoformat(), topic)  # SQLite gives the numbers of deleted pools again
        return self._reviews.get(key, TopicFold[Review])


def _texts(database: Database, campaign_id: int, docnos: Sequence[str]) -> Iterator[Document]:
    """Documents in this order, read in short transactions."""
    for some in chunks(docnos, CHUNK):
        with database.reading() as db:
            found = texts_of(db, campaign_id, some)
        yield from found


def texts_of(db: Session, campaign_id: int, docnos: Sequence[str]) -> list[Document]:
    """Documents in this order; one that is not stored any more is empty."""
    found = read_texts(db, campaign_id, docnos)
    return [found.get(docno) or Document(docno) for docno in docnos]


def make_rounds(database: Database, campaign_id: int, vectors: CollectionVectors) -> int:
    """Make the rounds for which it is time in the open pools of a campaign; returns how many were made."""
    with database.reading() as db:
        rows = db.scalars(
            select(PoolRow)
            .join(CampaignRow)
            .where(
                PoolRow.campaign_id == campaign_id,
                PoolRow.opened_at.is_not(None),
                PoolRow.closed_at.is_(None),
                CampaignRow.archived_at.is_(None),
            )
            .order_by(PoolRow.id)
        )
        pools = [row.id for row in rows if is_learner(row)]
    return sum(_make_rounds_of(database, campaign_id, number, vectors) for number in pools)


def _make_rounds_of(database: Database, campaign_id: int, pool_id: int, vectors: CollectionVectors) -> int:
    with database.reading() as db:
        pool = db.get(PoolRow, pool_id)
        topics = _topics_to_rank(db, pool) if pool is not None else []
    if not topics:
        return 0
    candidates = _listed(database, campaign_id, pool_id)
    return sum(_make_round(database, pool_id, topic, candidates, vectors) for topic in topics)


def _listed(database: Database, campaign_id: int, pool_id: int) -> LearnerCandidates:
    """The candidates of a pool, which are listed now unless they were: all documents that are stored."""
    with database.reading() as db:
        known = candidates_of(db, pool_id)
        if known is not None:
            return known
        stored = db.scalars(select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)).all()
    with database.writing() as db:
        list_candidates(db, pool_id, sorted_ids(stored))
        listed = candidates_of(db, pool_id)
    if listed is None:
        raise LookupError("the pool is gone")
    return listed


def _topics_to_rank(db: Session, pool: PoolRow) -> list[str]:
    """Topics with events since their last round, or without a round."""
    event, made = PoolEventRow, LearnerRoundRow
    last = dict(
        db.execute(
            select(event.topic, func.max(event.number)).where(event.pool_id == pool.id).group_by(event.topic)
        ).all()
    )
    since = dict(
        db.execute(
            select(made.topic, func.max(made.since)).where(made.pool_id == pool.id).group_by(made.topic)
        ).all()
    )
    asked = (topic for topic, total in totals(pool).items() if total)
    return [topic for topic in asked if topic not in since or last.get(topic, 0) > since[topic]]


def _make_round(
    database: Database, pool_id: int, topic: str, candidates: LearnerCandidates, vectors: CollectionVectors
) -> bool:
    """Make the next round of a topic if it is time for one; False where it is not, or another host did."""
    with database.reading() as db:
        live = vectors.review(db.get_one(PoolRow, pool_id), topic)
    with live.lock:
        with database.reading() as db:
            pool = db.get_one(PoolRow, pool_id)
            review = review_after(live, db, pool, topic, candidates)
            if not review.round_is_over:
                return False
            found = _found_elsewhere(db, pool, topic, candidates)
            if not (review.left or found):
                return False
        if found:
            with database.writing() as db:
                lock_topic(db, pool.campaign_id, topic)
                append_pool_events(db, pool_id, found)
        with database.reading() as db:
            pool = db.get_one(PoolRow, pool_id)
            review = review_after(live, db, pool, topic, candidates)
            changes = db.get_one(CampaignRow, pool.campaign_id).document_changes
            row = db.get_one(TopicRow, (pool.campaign_id, topic))
            text, settings, campaign_id = topic_text(as_topic(row)), review_settings(pool), pool.campaign_id
        collection = vectors.of(database, campaign_id, candidates, changes)
        made = next_round(review, collection, collection.vector(text), settings)
        known = live.last.number if live.last else 0
        return _keep_round(database, pool_id, topic, made, known=known, changes=changes)


def _keep_round(
    database: Database, pool_id: int, topic: str, made: ReviewRound, *, known: int, changes: int
) -> bool:
    try:
        with database.writing() as db:
            pool = db.get(PoolRow, pool_id)
            if pool is None:
                return False
            lock_topic(db, pool.campaign_id, topic)
            since = max((event.number for event in events_of(db, pool_id, topic, since=known)), default=0)
            values = round_values(StoredRound(made, known, since, changes))
            db.execute(insert(LearnerRoundRow).values(pool_id=pool_id, topic=topic, **values))
    except IntegrityError:
        return False
    return True


def _found_elsewhere(
    db: Session, pool: PoolRow, topic: str, candidates: LearnerCandidates
) -> list[PoolEvent]:
    """What people judged outside the pool, such as documents that they found by searching.

    The highest grade counts. What the pool handed out has its answer from its assessor.
    """
    events = events_of(db, pool.id, topic)
    handed_out = {one.docno for one in events if one.happening == Happening.HANDED_OUT}
    known = {one.docno: one.relevant for one in events if one.happening == Happening.JUDGED}
    return [
        PoolEvent(Happening.JUDGED, topic, docno, relevant)
        for (_, docno), relevant in sorted(relevant_pairs(db, pool.campaign_id, topic).items())
        if docno in candidates.places and docno not in handed_out and known.get(docno) is not relevant
    ]
