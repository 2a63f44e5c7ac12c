"""The current answers of a campaign by topic, as arrays: read once, and anew only where an answer was added.

What pages count is a sum over topics, and a saved answer changes one of them. So each process keeps the
answers of every topic, some bytes an answer, and reads of the events after the last one that it knows only to
which topics they belong; these topics are read again by the index. Whatever is computed of a topic can be
kept as long as its `TopicAnswers` are (see `TopicAnswers.keep`).

What is known ends with an event of each assessor: of one assessor no earlier event appears later
(`storage.locks`), of several together it may.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from workbench.records import id_bytes
from workbench.storage.answer_columns import answer_columns, topic_columns
from workbench.storage.engine import WRITES
from workbench.storage.events import events_after, newest_events
from workbench.storage.tables import CampaignRow
from workbench.workflow.pools.topic_answers import TopicAnswers
from workbench.workflow.pools.topic_reading import TopicReading


def answers_by_topic(db: Session, campaign_id: int) -> Mapping[str, TopicAnswers]:
    """The current answers of the topics that have any, by topic in the order of bytes."""
    store = _store(db, campaign_id)
    # What is not committed yet must not be kept for others.
    return store.for_writer(db) if WRITES in db.info else store.by_topic(db)


def changes_of(db: Session, campaign_id: int) -> int:
    """A number that grows, in this process, with every event that appears in a campaign."""
    return 0 if WRITES in db.info else _store(db, campaign_id).changes(db)


@dataclass(slots=True)
class _Topic:
    """A topic: what is known of it, or whose events must be read; `changed` counts its changes."""

    answers: TopicAnswers | None = None
    changed: int = 0
    assessors: set[int] = field(default_factory=set)
    discussed: bool = False


class _Store:
    """The answers of a campaign that a process knows; several threads may ask."""

    def __init__(self, campaign_id: int) -> None:
        self._campaign_id = campaign_id
        self._lock = threading.RLock()
        self._topics: dict[str, _Topic] | None = None
        self._newest: Mapping[int, int] = {}
        self._changes = 0
        self._states: dict[int, int] = {}

    def by_topic(self, db: Session) -> Mapping[str, TopicAnswers]:
        """The answers as this transaction sees them, or as a later one has."""
        with self._lock:
            current = self._follow(db)
            topics = dict(self._topics or {})
            stale = [(name, one, one.changed) for name, one in topics.items() if one.answers is None]
        found = {name: one.answers for name, one in topics.items() if one.answers is not None}
        for name, topic, changed in stale:
            answers = _read_topic(db, self._campaign_id, name, topic)
            found[name] = answers
            with self._lock:
                # Not where another thread has seen more meanwhile, or this transaction is an older one.
                if current and topic.changed == changed:
                    topic.answers, topic.discussed = answers, answers.discussed
        return {name: found[name] for name in sorted(found, key=id_bytes) if found[name]}

    def for_writer(self, db: Session) -> Mapping[str, TopicAnswers]:
        """The answers as a transaction that writes sees them: what is known, and topics with events since."""
        newest = newest_events(db, self._campaign_id)
        with self._lock:
            if self._topics is None or not self._sees_all(newest):
                return _read_all(db, self._campaign_id)
            topics, known = dict(self._topics), self._newest
        further: dict[str, set[int]] = {}
        for _, assessor, name in _events_since(db, known, newest):
            further.setdefault(name, set()).add(assessor)
        found = {name: one.answers for name, one in topics.items() if one.answers is not None}
        for name in {*further, *(topics.keys() - found.keys())}:
            topic = topics.get(name, _Topic())
            assessors = topic.assessors | further.get(name, set())
            found[name] = _read_topic(db, self._campaign_id, name, replace(topic, assessors=assessors))
        return {name: found[name] for name in sorted(found, key=id_bytes) if found[name]}

    def changes(self, db: Session) -> int:
        """How often anything changed; of a transaction that is behind others a number that nobody has."""
        with self._lock:
            return self._changes if self._follow(db) else -next(_NUMBERS)

    def states(self, db: Session) -> dict[int, int]:
        """By assessor the number of what is known; of a transaction that is behind others new numbers."""
        newest = newest_events(db, self._campaign_id)
        with self._lock:
            if not self._follow(db):
                return {assessor: next(_NUMBERS) for assessor in newest}
            for assessor in newest.keys() - self._states.keys():
                self._states[assessor] = next(_NUMBERS)
            return {assessor: self._states[assessor] for assessor in newest}

    def _follow(self, db: Session) -> bool:
        """Take in the events since; False where this transaction sees fewer than are known."""
        newest = newest_events(db, self._campaign_id)
        if self._topics is None:
            everything = _read_all(db, self._campaign_id)
            self._topics = {name: _known(one) for name, one in everything.items()}
            self._newest = newest
            return True
        if not self._sees_all(newest):
            return False
        for _, assessor, name in _events_since(db, self._newest, newest):
            topic = self._topics.setdefault(name, _Topic())
            topic.answers, topic.changed = None, topic.changed + 1
            topic.assessors.add(assessor)
            self._states[assessor] = next(_NUMBERS)
            self._changes += 1
        self._newest = newest
        return True

    def _sees_all(self, newest: Mapping[int, int]) -> bool:
        """Whether a transaction with these newest events sees all that is known."""
        return all(newest.get(assessor, 0) >= known for assessor, known in self._newest.items())


def _events_since(
    db: Session, known: Mapping[int, int], newest: Mapping[int, int]
) -> Iterator[tuple[int, int, str]]:
    """Number, assessor and topic of the events after the known ones of each assessor."""
    since = {one: known.get(one, 0) for one, number in newest.items() if number > known.get(one, 0)}
    for number, assessor, name in events_after(db, since, min(since.values(), default=0)):
        if number > since[assessor]:
            yield number, assessor, name


def _known(answers: TopicAnswers) -> _Topic:
    return _Topic(answers, assessors=set(answers.assessors.tolist()), discussed=answers.discussed)


_NUMBERS = count(1)
_STORES: WeakKeyDictionary[Pool, dict[Hashable, _Store]] = WeakKeyDictionary()
_MAKING = threading.Lock()


def _store(db: Session, campaign_id: int) -> _Store:
    """The store of a campaign in this database, which its connections tell from another of the same name."""
    row = db.get_one(CampaignRow, campaign_id)
    with _MAKING:
        stores = _STORES.setdefault(db.get_bind().engine.pool, {})
        return stores.setdefault((campaign_id, row.created_at), _Store(campaign_id))


def _read_all(db: Session, campaign_id: int) -> dict[str, TopicAnswers]:
    by_topic: dict[str, TopicReading] = {}
    for columns in answer_columns(db, campaign_id):
        by_topic.setdefault(columns.topic, TopicReading(columns.topic)).add(columns)
    return {topic: by_topic[topic].arrays() for topic in sorted(by_topic, key=id_bytes)}


def _read_topic(db: Session, campaign_id: int, name: str, topic: _Topic) -> TopicAnswers:
    # Of an assessor whose answers were all withdrawn nothing may be known any more.
    reading = TopicReading(name, discussed=topic.discussed)
    for columns in topic_columns(db, campaign_id, name, topic.assessors):
        reading.add(columns)
    return reading.arrays()
