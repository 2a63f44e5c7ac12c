"""The current answers of a campaign by topic, as arrays: read once, and anew only where an answer was added.

What pages count is a sum over topics, and a saved answer changes one of them. So each process keeps the
answers of every topic, some bytes an answer, and reads of the events after the last one that it knows only to
which topics they belong; these topics are read again by the index. Whatever is computed of a topic can be
kept as long as its `TopicAnswers` are (see `TopicAnswers.keep`).

A process begins with what the database keeps, packed by topic, and the events since. `keep_current` brings
that up to date once enough events have come; saving an answer has nothing to do with it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from weakref import WeakKeyDictionary

from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from workbench.errors import Unavailable
from workbench.records import id_bytes
from workbench.storage.answer_columns import answer_columns, topic_columns
from workbench.storage.engine import ROWS_GONE, WRITES, Database
from workbench.storage.events import events_after, newest_events
from workbench.storage.kept_answers import (
    UNSETTLED,
    KeptAnswers,
    keep_answers,
    kept_answers,
    kept_mark,
    settled_event,
)
from workbench.storage.tables import CampaignRow
from workbench.workflow.pools.topic_answers import TopicAnswers
from workbench.workflow.pools.topic_reading import TopicReading

FEWEST_NEW = 500
"""After so many events what the database keeps is brought up to date; a new process reads as many."""

PORTION_BYTES = 500_000
"""Of packed answers in one transaction: SQLite's other writers wait some milliseconds."""

SETTLED_SECONDS = 60.0
"""After so long no event of a lower number can appear any more where several write at once."""

LOG = logging.getLogger(__name__)


def answers_by_topic(db: Session, campaign_id: int) -> Mapping[str, TopicAnswers]:
    """The current answers of the topics that have any, by topic in the order of bytes."""
    if WRITES in db.info:
        # What is not committed yet must not be kept for others.
        return _read_now(db, campaign_id)
    return _store(db, campaign_id).by_topic(db)


def changes_of(db: Session, campaign_id: int) -> int:
    """A number that grows, in this process, with every event that appears in a campaign."""
    return 0 if WRITES in db.info else _store(db, campaign_id).changes(db)


def states_of_assessors(db: Session, campaign_id: int) -> Mapping[int, int]:
    """By assessor a number that stands in this process for their events; with the next event it is another.

    Of what only this transaction sees nobody else has the numbers.
    """
    if WRITES in db.info:
        return {assessor: next(_NUMBERS) for assessor in newest_events(db, campaign_id)}
    return _store(db, campaign_id).states(db)


def keep_current(database: Database) -> None:
    """Have the database keep the answers that this process knows, where many came since it last did.

    For the time after a response: what cannot be written now can be at another time.
    """
    with _MAKING:
        stores = list(_STORES.get(database.engine.pool, {}).values())
    for store in stores:
        store.keep(database)


def differing_topics(db: Session, campaign_id: int) -> tuple[str, ...]:
    """The topics of which the database keeps something else than their events say, counting all anew.

    Raises ValueError where what is kept cannot be read.
    """
    kept = kept_answers(db, campaign_id)
    if not kept.mark:
        return ()
    known = {topic: TopicAnswers.unpacked(topic, one) for topic, one in kept.topics.items()}
    who = newest_events(db, campaign_id)
    since = {row[2] for row in events_after(db, who, kept.mark)}
    counted = _read_all(db, campaign_id)
    nothing = TopicReading("").arrays()
    return tuple(
        topic
        for topic in sorted({*known, *counted} - since, key=id_bytes)
        if not known.get(topic, nothing).same(counted.get(topic, nothing))
    )


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
        self._settled = 0
        self._seen: set[int] = set()
        self._passed: deque[tuple[float, int]] = deque()
        self._changes = 0
        self._states: dict[int, int] = {}
        self._unkept = 0
        self._keeping = threading.Lock()

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
        last = max(newest.values(), default=0)
        several = db.get_bind().dialect.name != "sqlite"
        if self._topics is None:
            self._topics = self._begin_with_kept(db)
        if self._topics is None:
            self._topics = self._begin_with_all(db, newest)
            return True
        who = [number for number, one in newest.items() if one > self._settled]
        rows = events_after(db, who, self._settled)
        current = last >= self._settled and self._seen <= {row[0] for row in rows}
        for number, assessor, name in rows:
            if number not in self._seen:
                topic = self._topics.setdefault(name, _Topic())
                topic.answers, topic.changed = None, topic.changed + 1
                topic.assessors.add(assessor)
                self._states[assessor] = next(_NUMBERS)
                self._changes += 1
                self._unkept += 1
                self._seen.add(number)
        if current:
            self._settle(last, several)
        return current

    def _begin_with_kept(self, db: Session) -> dict[str, _Topic] | None:
        """What the database keeps, if that is anything; the events since are new ones."""
        kept = _unpacked(kept_answers(db, self._campaign_id))
        if kept is None:
            return None
        self._settled, topics = kept
        return topics

    def _begin_with_all(self, db: Session, newest: Mapping[int, int]) -> dict[str, _Topic]:
        everything = _read_all(db, self._campaign_id)
        self._settled = last = max(newest.values(), default=0)
        self._unkept = sum(len(one.codes) for one in everything.values())
        if db.get_bind().dialect.name != "sqlite":
            # What commits after this, under a lower number, is noticed all the same.
            self._settled = max(0, last - UNSETTLED)
            who = [number for number, one in newest.items() if one > self._settled]
            self._seen = {row[0] for row in events_after(db, who, self._settled)}
        return {name: _known(one) for name, one in everything.items()}

    def keep(self, database: Database) -> None:
        """Bring what the database keeps up to date, if enough events came; one thread does so at a time."""
        if self._unkept < FEWEST_NEW or not self._keeping.acquire(blocking=False):
            return
        try:
            if self._keep(database):
                self._unkept = 0
        except (Unavailable, *ROWS_GONE) as error:
            # It is tried again after as many events; meanwhile a new process reads more of them.
            LOG.info("the current answers cannot be kept now: %s", error)
            self._unkept = 0
        finally:
            self._keeping.release()

    def _keep(self, database: Database) -> bool:
        """Whether there is nothing to do any more; False at a moment when others write."""
        with database.reading() as db:
            since, mark = kept_mark(db, self._campaign_id), settled_event(db, self._campaign_id)
            if mark <= since:
                return mark > 0
            known = self.by_topic(db)
            changed = set(known)
            if since:
                who = newest_events(db, self._campaign_id)
                changed = {row[2] for row in events_after(db, who, since)}
        packed = {
            topic: known[topic].packed() if topic in known else TopicReading(topic).arrays().packed()
            for topic in sorted(changed)
        }
        parts = list(_portions(packed))
        for number, part in enumerate(parts, start=1):
            with database.writing() as db:
                kept = KeptAnswers(mark if number == len(parts) else since, part)
                if not keep_answers(db, self._campaign_id, kept, since=since):
                    return False
        return True

    def _settle(self, last: int, several: bool) -> None:
        """Forget the events after which no earlier one can appear."""
        now = time.monotonic()
        if not several:
            self._settled = last
        elif not self._passed or self._passed[-1][1] != last:
            self._passed.append((now, last))
        while self._passed and now - self._passed[0][0] > SETTLED_SECONDS:
            self._settled = max(self._settled, self._passed.popleft()[1])
        self._seen = {number for number in self._seen if number > self._settled}


def _known(answers: TopicAnswers) -> _Topic:
    return _Topic(answers, assessors=set(answers.assessors.tolist()), discussed=answers.discussed)


def _unpacked(kept: KeptAnswers) -> tuple[int, dict[str, _Topic]] | None:
    """The mark and the topics of what is kept; None where that is nothing, or damaged."""
    if not kept.mark:
        return None
    try:
        found = {topic: TopicAnswers.unpacked(topic, one) for topic, one in kept.topics.items()}
    except ValueError as error:
        LOG.warning("%s: all events are read instead", error)
        return None
    return kept.mark, {topic: _known(one) for topic, one in found.items()}


def _portions(packed: Mapping[str, bytes]) -> Iterator[dict[str, bytes]]:
    part: dict[str, bytes] = {}
    size = 0
    for topic, content in packed.items():
        part[topic] = content
        size += len(content)
        if size >= PORTION_BYTES:
            yield part
            part, size = {}, 0
    if part:
        yield part


_NUMBERS = count(1)
_STORES: WeakKeyDictionary[Pool, dict[Hashable, _Store]] = WeakKeyDictionary()
_MAKING = threading.Lock()


def _store(db: Session, campaign_id: int) -> _Store:
    """The store of a campaign in this database, which its connections tell from another of the same name."""
    row = db.get_one(CampaignRow, campaign_id)
    with _MAKING:
        stores = _STORES.setdefault(db.get_bind().engine.pool, {})
        return stores.setdefault((campaign_id, row.created_at), _Store(campaign_id))


def _read_now(db: Session, campaign_id: int) -> dict[str, TopicAnswers]:
    """What is current in this transaction: what is kept, with the topics that have events since."""
    kept = _unpacked(kept_answers(db, campaign_id))
    if kept is None:
        return _read_all(db, campaign_id)
    mark, topics = kept
    who = [number for number, one in newest_events(db, campaign_id).items() if one > mark]
    changed: dict[str, set[int]] = {}
    for _, assessor, name in events_after(db, who, mark):
        changed.setdefault(name, set()).add(assessor)
    found = {name: one.answers for name, one in topics.items() if one.answers}
    for name, assessors in changed.items():
        topic = topics.get(name, _Topic())
        topic.assessors |= assessors
        found[name] = _read_topic(db, campaign_id, name, topic)
    return {name: found[name] for name in sorted(found, key=id_bytes) if found[name]}


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
