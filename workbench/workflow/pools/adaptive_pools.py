"""Adaptive pools: how a recipe marks one, its state at the start, and its numbered events."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, WorkbenchError
from workbench.pooling.adaptive.live import Adaptive, Happening, PoolEvent
from workbench.pooling.strategies import ADAPTIVE, start
from workbench.pooling.strategy import named
from workbench.records import Run, TieRule, sorted_pairs
from workbench.storage.events import current_events
from workbench.storage.tables import (
    AssessorRow,
    CampaignRow,
    JudgmentEventRow,
    PoolEntryRow,
    PoolEventRow,
    PoolRow,
    TopicRow,
)
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.clock import shared_now
from workbench.workflow.runs.packed_store import run_for_use


def is_adaptive(pool: PoolRow) -> bool:
    """Whether the documents of a pool are chosen while people judge."""
    return bool(pool.recipe.get("adaptive", False))


def totals(pool: PoolRow) -> dict[str, int]:
    """How many documents an adaptive pool asks for at most, by topic."""
    found: dict[str, int] = pool.recipe.get("totals", {})
    return found


def topics_of_pool(db: Session, pool: PoolRow) -> set[str]:
    """The topics in which a pool has something to judge, or will have."""
    if is_adaptive(pool):
        return {topic for topic, total in totals(pool).items() if total}
    return set(db.scalars(select(PoolEntryRow.topic).where(PoolEntryRow.pool_id == pool.id).distinct()))


@dataclass(frozen=True, slots=True)
class ChoiceReason:
    """Why a learner's pool handed a document out: `rank` from 1 in a round, or in a random order."""

    origin: str
    rank: int
    round: int | None = None
    score: float | None = None

    @property
    def in_words(self) -> str:
        """The reason for people."""
        if self.round is None:
            return f"{_ORIGINS.get(self.origin, self.origin)} {self.rank}"
        score = "" if self.score is None else f", score {self.score:.3f}".replace("-", "−")
        return f"learner, round {self.round}, rank {self.rank}{score}"


_ORIGINS = {"random": "random share, draw", "unranked": "no ranking left, draw"}


@dataclass(frozen=True, slots=True)
class PoolEventLine:
    """What happened in a topic, as the strategy saw it; `assessor` is None for what was known before.

    `reason` is why a learner's pool handed the document out.
    """

    topic: str
    number: int
    happening: str
    docno: str
    relevant: bool | None
    assessor: str | None
    at: datetime
    reason: ChoiceReason | None = None

    @property
    def event(self) -> PoolEvent:
        """The event as the strategy sees it."""
        return PoolEvent(Happening(self.happening), self.topic, self.docno, self.relevant)


def adaptive_recipe(pool: Adaptive) -> dict[str, Any]:
    """What the recipe of an adaptive pool adds: that it is one, and its number of documents by topic."""
    return {"adaptive": True, "totals": {topic: pool.left(topic) for topic in pool.topics}}


def most_pairs(pool: Adaptive) -> int:
    """How many documents a pool still asks for at most, in all topics."""
    return sum(pool.left(topic) for topic in pool.topics)


def record_known_pairs(db: Session, pool: PoolRow, known: Collection[tuple[str, str]]) -> None:
    """Start a supplementary pool: what is known of its documents is recorded first, and not handed out.

    A pair that people graded teaches the strategy by its highest grade, one that is only pooled nothing.
    """
    found = known_pairs(db, pool, known)
    append_pool_events(db, pool.id, found.events)
    begin_with(db, pool, found)


@dataclass(frozen=True, slots=True)
class KnownPairs:
    """What is known of the documents of a supplementary pool, computed while others write.

    `pool` has recorded the `events`; `latest` is the last judgment event that was looked at.
    """

    pool: Adaptive
    events: tuple[PoolEvent, ...]
    latest: int


def known_pairs(db: Session, pool: PoolRow, known: Collection[tuple[str, str]]) -> KnownPairs:
    """What `record_known_pairs` records; nothing is written."""
    latest = db.scalar(select(func.max(JudgmentEventRow.id))) or 0
    built = initial_adaptive_pool(db, pool)
    events = _record_known(built, known, relevant_pairs(db, pool.campaign_id))
    return KnownPairs(built, events, latest)


def begin_with(db: Session, pool: PoolRow, found: KnownPairs) -> None:
    """Let a pool begin with known pairs, whose events are written, and with what people judged since."""
    # By its number alone, so that not all events of the campaign are read while others wait.
    since = select(JudgmentEventRow.campaign_id, JudgmentEventRow.topic, JudgmentEventRow.docno).where(
        JudgmentEventRow.id > found.latest
    )
    touched = {(topic, docno) for number, topic, docno in db.execute(since) if number == pool.campaign_id}
    relevant: dict[tuple[str, str], bool] = {}
    for topic in {topic for topic, _ in touched}:
        relevant |= relevant_pairs(db, pool.campaign_id, topic)
    append_pool_events(db, pool.id, _record_known(found.pool, touched & relevant.keys(), relevant))
    pool.recipe = {**pool.recipe, **adaptive_recipe(found.pool)}
    pool.pairs = most_pairs(found.pool)
    db.flush()


def _record_known(
    built: Adaptive, known: Collection[tuple[str, str]], relevant: Mapping[tuple[str, str], bool]
) -> tuple[PoolEvent, ...]:
    events = []
    for topic, docno in sorted_pairs(known):
        if built.has(topic, docno):
            event = PoolEvent(Happening.JUDGED, topic, docno, relevant.get((topic, docno)))
            built.record(event)
            events.append(event)
    return tuple(events)


def pool_events(db: Session, campaign_id: int, name: str) -> tuple[PoolEventLine, ...]:
    """All that happened in an adaptive pool, by topic (bytes), in order; raises as `adaptive_pool_row`."""
    pool = adaptive_pool_row(db, campaign_id, name)
    event = PoolEventRow
    rows = db.execute(
        select(
            event.topic,
            event.number,
            event.happening,
            event.docno,
            event.relevant,
            AssessorRow.name,
            event.at,
            event.origin,
            event.rank,
            event.round,
            event.score,
        )
        .outerjoin(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(event.pool_id == pool.id)
        .order_by(event.topic, event.number)
    )
    return tuple(PoolEventLine(*row[:7], reason=_reason(*row[7:])) for row in rows)


def reasons_of(db: Session, pool_id: int, topic: str) -> dict[str, ChoiceReason]:
    """Why a learner's pool handed out each document of a topic, the last time; empty for other pools."""
    event = PoolEventRow
    rows = db.execute(
        select(event.docno, event.origin, event.rank, event.round, event.score)
        .where(event.pool_id == pool_id, event.topic == topic, event.origin.is_not(None))
        .order_by(event.number)
    )
    reasons = ((row[0], _reason(*row[1:])) for row in rows)
    return {docno: reason for docno, reason in reasons if reason is not None}


def _reason(
    origin: str | None, rank: int | None, made_in: int | None, score: float | None
) -> ChoiceReason | None:
    return None if origin is None else ChoiceReason(origin, rank or 0, made_in, score)


@dataclass(frozen=True, slots=True)
class TopicEvent:
    """An event of a pool's topic as the table has it; no other has all of this in common with it."""

    number: int
    happening: str
    docno: str
    relevant: bool | None
    assessor_id: int | None
    at: datetime
    origin: str | None


def topic_events(db: Session, pool_id: int, topic: str, *, since: int = 0) -> tuple[TopicEvent, ...]:
    """The events of a topic from this number on, in order."""
    event = PoolEventRow
    rows = db.execute(
        select(
            event.number,
            event.happening,
            event.docno,
            event.relevant,
            event.assessor_id,
            event.at,
            event.origin,
        )
        .where(event.pool_id == pool_id, event.topic == topic, event.number >= since)
        .order_by(event.number)
    )
    return tuple(TopicEvent(*row) for row in rows)


def adaptive_pool_row(db: Session, campaign_id: int, name: str) -> PoolRow:
    """The row of an adaptive pool; raises NotFound, and WorkbenchError where the pool is of another kind."""
    pool = db.scalar(select(PoolRow).where(PoolRow.campaign_id == campaign_id, PoolRow.name == name))
    if pool is None:
        raise NotFound(f"there is no pool {name!r} in this campaign")
    if not is_adaptive(pool):
        raise WorkbenchError(
            f"pool {name!r} is not adaptive", remedy="its documents were chosen when it was made"
        )
    return pool


def relevant_pairs(db: Session, campaign_id: int, topic: str | None = None) -> dict[tuple[str, str], bool]:
    """What people graded, in one topic or all: whether the highest grade of a pair is relevant."""
    relevant_from = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    machines = set(
        db.scalars(select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.machine))
    )
    found: dict[tuple[str, str], bool] = {}
    for event in current_events(db, campaign_id, topic=topic):
        if event.grade is not None and event.assessor_id not in machines:
            pair = (event.topic, event.docno)
            found[pair] = found.get(pair, False) or event.grade >= relevant_from
    return found


def initial_adaptive_pool(db: Session, pool: PoolRow) -> Adaptive:
    """An adaptive pool as its recipe makes it from its runs; raises Conflict where a run has changed."""
    recipe = pool.recipe
    values = named(ADAPTIVE, recipe["strategy"]).values(recipe["parameters"])
    ties = TieRule(recipe["ties"])
    runs = _runs(db, pool, values["depth"], ties)
    return start(runs, strategy=recipe["strategy"], ties=ties, parameters=values)


def _runs(db: Session, pool: PoolRow, depth: int, ties: TieRule) -> Iterator[Run]:
    for run in pool.recipe["runs"]:
        try:
            yield run_for_use(db, pool.campaign_id, run["tag"], depth=depth, ties=ties, sha256=run["sha256"])
        except NotFound:
            raise Conflict(
                f"run {run['tag']} is not what it was when pool {pool.name!r} was made",
                remedy="an adaptive pool chooses from the very runs that it was made from",
            ) from None


def lock_topic(db: Session, campaign_id: int, topic: str) -> None:
    """Wait until no other transaction hands out or takes answers in this topic, and keep others out.

    SQLite has one writer anyway.
    """
    db.execute(
        select(TopicRow.topic)
        .where(TopicRow.campaign_id == campaign_id, TopicRow.topic == topic)
        .with_for_update()
    )


def append_pool_event(
    db: Session,
    pool_id: int,
    event: PoolEvent,
    *,
    assessor_id: int | None = None,
    judgment_event_id: int | None = None,
    reason: ChoiceReason | None = None,
) -> None:
    """Append what happened, with the reason of a choice; the topic is locked (`lock_topic`)."""
    whose = {"assessor_id": assessor_id, "judgment_event_id": judgment_event_id}
    append_pool_events(db, pool_id, [event], **whose, reason=reason)


def append_pool_events(
    db: Session,
    pool_id: int,
    events: Sequence[PoolEvent],
    *,
    assessor_id: int | None = None,
    judgment_event_id: int | None = None,
    reason: ChoiceReason | None = None,
) -> None:
    """Append what happened, in order; the topics are locked."""
    if not events:
        return
    numbers = _last_numbers(db, pool_id, {event.topic for event in events})
    now = shared_now(db)
    why = {} if reason is None else asdict(reason)
    rows: list[dict[str, Any]] = []
    for event in events:
        numbers[event.topic] = numbers.get(event.topic, 0) + 1
        rows.append(
            {
                "pool_id": pool_id,
                "topic": event.topic,
                "number": numbers[event.topic],
                "happening": str(event.happening),
                "docno": event.docno,
                "relevant": event.relevant if event.happening is Happening.JUDGED else None,
                "assessor_id": assessor_id,
                "judgment_event_id": judgment_event_id,
                "at": now,
                **why,
            }
        )
    db.execute(insert(PoolEventRow), rows)


def _last_numbers(db: Session, pool_id: int, topics: Iterable[str]) -> dict[str, int]:
    event = PoolEventRow
    return dict(
        db.execute(
            select(event.topic, func.max(event.number))
            .where(event.pool_id == pool_id, event.topic.in_(list(topics)))
            .group_by(event.topic)
        ).all()
    )
