"""The current answers of a campaign by topic, as arrays: read once, and anew only where an answer was added.

What pages count is a sum over topics, and a saved answer changes one of them. So each process keeps the
answers of every topic, some bytes an answer, and reads of the events after the last one that it knows only to
which topics they belong; these topics are read again by the index. Whatever is computed of a topic can be
kept as long as its `TopicAnswers` are (see `of_topics`).
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.records import Answer, id_bytes
from workbench.storage.engine import WRITES
from workbench.storage.events import (
    DISCUSSION,
    LATER,
    WITHDRAWN,
    AnswerRow,
    answers_in_order,
    answers_of_topic,
    events_after,
    newest_events,
)
from workbench.storage.tables import CampaignRow

SETTLED_SECONDS = 60.0
"""After so long no event of a lower number can appear any more where several write at once."""

CODES: Mapping[str, int] = {Answer.UNSURE: UNSURE, Answer.CANNOT_JUDGE: CANNOT_JUDGE}
"""How answers that are no grade stand in arrays of grades."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class TopicAnswers:
    """The current answers of one topic, those that are withdrawn or postponed left out.

    Answer number i is that of `assessors[i]`, an id, to the document `docnos[places[i]]`: a grade, UNSURE or
    CANNOT_JUDGE. They stand by document, then assessor; the documents are sorted by bytes. `discussed` says
    whether any answer was given in a discussion, withdrawn since or not.
    """

    topic: str
    joined: bytes
    documents: int
    places: NDArray[np.int32]
    assessors: NDArray[np.int64]
    codes: NDArray[np.int64]
    discussed: bool
    _kept: dict[Hashable, object] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.documents) or self.discussed

    @property
    def docnos(self) -> tuple[str, ...]:
        """The documents that have an answer."""
        return tuple(self.joined.decode("utf-8", "surrogateescape").split("\n")) if self.documents else ()

    def of_people(self, machines: Set[int]) -> NDArray[np.bool_]:
        """Which of the answers are none of these machines'."""
        found: NDArray[np.bool_] = ~np.isin(self.assessors, np.fromiter(machines, np.int64, len(machines)))
        return found

    def keep(self, what: Hashable, make: Callable[[TopicAnswers], T]) -> T:
        """What is computed of these answers: made once for each key, and gone with them.

        `what` names the calculation and all that it depends on besides; of a calculation there should be few.
        """
        found = self._kept.get(what, self)
        if found is self:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            found = self._kept[what] = make(self)
        return found  # type: ignore[return-value]  # of one key always the same type


MOST_KEPT = 24
"""Values that are kept with a topic; when there are more, all are made anew as they are asked for."""


def answers_by_topic(db: Session, campaign_id: int) -> Mapping[str, TopicAnswers]:
    """The current answers of the topics that have any, by topic in the order of bytes."""
    if WRITES in db.info:
        # What is not committed yet must not be kept for others.
        return _read_all(db, campaign_id)
    return _store(db, campaign_id).by_topic(db)


def answers_in_topic(db: Session, campaign_id: int, topic: str) -> TopicAnswers:
    """The current answers of one topic, of which there may be none."""
    return answers_by_topic(db, campaign_id).get(topic) or _TopicReading(topic).arrays()


def changes_of(db: Session, campaign_id: int) -> int:
    """A number that grows, in this process, with every event that appears in a campaign."""
    return 0 if WRITES in db.info else _store(db, campaign_id).changes(db)


@dataclass(slots=True)
class _Topic:
    """A topic: what is known of it, or whose events must be read; `changed` counts its changes."""

    answers: TopicAnswers | None = None
    changed: int = 0
    assessors: set[int] = field(default_factory=set)


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

    def by_topic(self, db: Session) -> Mapping[str, TopicAnswers]:
        """The answers as this transaction sees them, or as a later one has."""
        with self._lock:
            current = self._follow(db)
            topics = dict(self._topics or {})
            stale = [(name, one, one.changed) for name, one in topics.items() if one.answers is None]
        found = {name: one.answers for name, one in topics.items() if one.answers is not None}
        for name, topic, changed in stale:
            answers = _read_topic(db, self._campaign_id, name, topic.assessors)
            found[name] = answers
            with self._lock:
                # Not where another thread has seen more meanwhile, or this transaction is an older one.
                if current and topic.changed == changed:
                    topic.answers = answers
        return {name: found[name] for name in sorted(found, key=id_bytes) if found[name]}

    def changes(self, db: Session) -> int:
        """How often anything changed; of a transaction that is behind others a number that nobody has."""
        with self._lock:
            return self._changes if self._follow(db) else -next(_NUMBERS)

    def _follow(self, db: Session) -> bool:
        """Take in the events since; False where this transaction sees fewer than are known."""
        newest = newest_events(db, self._campaign_id)
        last = max(newest.values(), default=0)
        several = db.get_bind().dialect.name != "sqlite"
        if self._topics is None:
            everything = _read_all(db, self._campaign_id)
            self._topics = {
                name: _Topic(one, assessors=set(one.assessors.tolist())) for name, one in everything.items()
            }
            self._settled = last
            if several:
                # What commits after this, under a lower number, is noticed all the same.
                self._settled = max(0, last - _UNSETTLED)
                who = [number for number, one in newest.items() if one > self._settled]
                self._seen = {row[0] for row in events_after(db, who, self._settled)}
            return True
        who = [number for number, one in newest.items() if one > self._settled]
        rows = events_after(db, who, self._settled) if who else ()
        current = last >= self._settled and self._seen <= {row[0] for row in rows}
        for number, assessor, name in rows:
            if number not in self._seen:
                topic = self._topics.setdefault(name, _Topic())
                topic.answers, topic.changed = None, topic.changed + 1
                topic.assessors.add(assessor)
                self._changes += 1
                self._seen.add(number)
        if current:
            self._settle(last, several)
        return current

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


_UNSETTLED = 1000


def _numbers() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


_NUMBERS = _numbers()
_STORES: WeakKeyDictionary[Pool, dict[Hashable, _Store]] = WeakKeyDictionary()
_MAKING = threading.Lock()


def _store(db: Session, campaign_id: int) -> _Store:
    """The store of a campaign in this database, which its connections tell from another of the same name."""
    row = db.get_one(CampaignRow, campaign_id)
    with _MAKING:
        stores = _STORES.setdefault(db.get_bind().engine.pool, {})
        return stores.setdefault((campaign_id, row.created_at), _Store(campaign_id))


def _read_all(db: Session, campaign_id: int) -> dict[str, TopicAnswers]:
    by_topic: dict[str, _TopicReading] = {}
    for row in answers_in_order(db, campaign_id):
        by_topic.setdefault(row[1], _TopicReading(row[1])).add(row)
    return {topic: by_topic[topic].arrays() for topic in sorted(by_topic, key=id_bytes)}


def _read_topic(db: Session, campaign_id: int, topic: str, assessors: Iterable[int]) -> TopicAnswers:
    reading = _TopicReading(topic)
    for row in answers_of_topic(db, campaign_id, topic, assessors):
        reading.add(row)
    return reading.arrays()


class _TopicReading:
    """The events of a topic while they are read: those of a pair come together, and the last counts."""

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.discussed = False
        self._assessor, self._docno = 0, ""
        self._rows: list[tuple[bytes, int, int]] = []
        self._answered = False

    def add(self, row: AnswerRow) -> None:
        """Take in the next event."""
        assessor, _, docno, answer, grade, purpose = row
        if purpose == DISCUSSION:
            self.discussed = True
        if self._answered and assessor == self._assessor and docno == self._docno:
            self._rows.pop()
        self._assessor, self._docno = assessor, docno
        self._answered = answer != WITHDRAWN and answer != LATER
        if self._answered:
            self._rows.append((id_bytes(docno), assessor, CODES[answer] if grade is None else grade))

    def arrays(self) -> TopicAnswers:
        """All of them."""
        found = sorted(self._rows)
        docnos = list(dict.fromkeys(docno for docno, _, _ in found))
        place = {docno: number for number, docno in enumerate(docnos)}
        count = len(found)
        return TopicAnswers(
            self.topic,
            b"\n".join(docnos),
            len(docnos),
            np.fromiter((place[docno] for docno, _, _ in found), np.int32, count),
            np.fromiter((assessor for _, assessor, _ in found), np.int64, count),
            np.fromiter((code for _, _, code in found), np.int64, count),
            self.discussed,
        )
