"""The judgment log: what a process knows of a campaign's judgment events, folded into the current answers.

Events are only added. So a process keeps the answers that are current, some bytes each, and reads the events
after the last one of each assessor that it knows: of one assessor no earlier event appears later
(`storage.locks`), of several together it may. All of it can be thrown away at any time, and is where it
becomes too much. What pages show is computed of it whenever they are asked for.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session
from sqlalchemy.pool import Pool

from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.records import Answer, id_bytes
from workbench.storage.engine import WRITES
from workbench.storage.events import LATER, WITHDRAWN, AnswerColumns, answer_columns, newest_events
from workbench.storage.tables import CampaignRow

CODES: Mapping[str, int] = {Answer.UNSURE: UNSURE, Answer.CANNOT_JUDGE: CANNOT_JUDGE}
"""How answers that are no grade stand in arrays of grades."""
MOST_ANSWERS = 10_000_000
"""Answers of all campaigns that a process keeps, some 40 bytes each; the campaign asked for last stays."""

PUT_OFF = -(2**61)
"""The code of what is put off to the end of a topic: it is less than that of any answer."""
NOWHERE = -1
"""In the place of the number of a pair that nobody has answered."""
Pair = tuple[str, str]
"""A topic and a docno."""
_WITHDRAWN = 2 * PUT_OFF
_CODES = {**CODES, WITHDRAWN: _WITHDRAWN, LATER: PUT_OFF}


@dataclass(frozen=True, slots=True, eq=False)
class TopicAnswers:
    """The current answers of one topic, those that are withdrawn or postponed apart.

    Answer number i is that of `assessors[i]`, an id, to the document `docnos[places[i]]`: a grade, UNSURE or
    CANNOT_JUDGE. They stand by document, then assessor; the documents are sorted by bytes. `discussed` says
    whether any answer was given in a discussion, withdrawn since or not. `put_off` has document and assessor
    of what is postponed.
    """

    topic: str
    joined: bytes
    documents: int
    places: NDArray[np.int32]
    assessors: NDArray[np.int64]
    codes: NDArray[np.int64]
    discussed: bool
    put_off: frozenset[tuple[bytes, int]] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.documents or self.put_off) or self.discussed

    @property
    def docnos(self) -> tuple[str, ...]:
        """The documents that have an answer."""
        return tuple(self.joined.decode("utf-8", "surrogateescape").split("\n")) if self.documents else ()

    def of_people(self, machines: Set[int]) -> NDArray[np.bool_]:
        """Which of the answers are none of these machines'."""
        found: NDArray[np.bool_] = ~np.isin(self.assessors, np.fromiter(machines, np.int64, len(machines)))
        return found

    def coded(self) -> Iterator[tuple[str, int, int]]:
        """Document, assessor and code of each answer, and of what is postponed."""
        docnos = self.docnos
        rows = zip(self.places.tolist(), self.assessors.tolist(), self.codes.tolist(), strict=True)
        yield from ((docnos[place], who, code) for place, who, code in rows)
        for docno, who in self.put_off:
            yield docno.decode("utf-8", "surrogateescape"), who, PUT_OFF


@dataclass(frozen=True, slots=True, eq=False)
class CurrentAnswers:
    """The current answers of several topics as whole columns.

    Pairs are numbered by topic, then document: those of topic number t have the numbers from `starts[t]` to
    before `starts[t + 1]`. Answer number i is that of `assessors[i]`, an id, to pair `pairs[i]`; the answers
    stand by pair, then assessor, with the codes of `TopicAnswers`.
    """

    topics: tuple[str, ...]
    starts: NDArray[np.int64]
    docnos: list[bytes]
    pairs: NDArray[np.int64]
    assessors: NDArray[np.int64]
    codes: NDArray[np.int64]

    def only(self, which: NDArray[np.bool_]) -> CurrentAnswers:
        """The same with some of the answers only."""
        kept = self.pairs[which], self.assessors[which], self.codes[which]
        return CurrentAnswers(self.topics, self.starts, self.docnos, *kept)

    def rows(self, chosen: NDArray[np.bool_], beside: Iterable[Pair]) -> list[tuple[str, bytes, int]]:
        """Topic, document and number of some pairs and of others, of which nobody has answered any (NOWHERE).

        By topic, then document (bytes).
        """
        numbers = np.flatnonzero(chosen)
        of_pair = np.repeat(np.arange(len(self.topics)), np.diff(self.starts))[numbers]
        found = [
            (self.topics[topic], self.docnos[number], number)
            for topic, number in zip(of_pair.tolist(), numbers.tolist(), strict=True)
        ]
        others = [(topic, id_bytes(docno), NOWHERE) for topic, docno in beside]
        return sorted(found + others, key=lambda row: (id_bytes(row[0]), row[1])) if others else found

    def find(self, topic: str, docno: str) -> int | None:
        """The number of a pair, None where nobody has answered it."""
        if topic not in self.topics:
            return None
        number, sought = self.topics.index(topic), id_bytes(docno)
        begin, end = self.starts[number : number + 2].tolist()
        at = bisect_left(self.docnos, sought, begin, end)
        return at if at < end and self.docnos[at] == sought else None


def columns_of(topics: Iterable[TopicAnswers], without: Set[int] = frozenset()) -> CurrentAnswers:
    """The answers of some topics as whole columns, without those of some assessors."""
    several = [one for one in topics if one.documents]
    starts = np.cumsum([0, *(one.documents for one in several)])
    nothing = np.zeros(0, np.int64)
    found = CurrentAnswers(
        tuple(one.topic for one in several),
        starts,
        [docno for one in several for docno in one.joined.split(b"\n")],
        np.concatenate([nothing, *(start + one.places for start, one in zip(starts, several, strict=False))]),
        np.concatenate([nothing, *(one.assessors for one in several)]),
        np.concatenate([nothing, *(one.codes for one in several)]),
    )
    return found.only(~np.isin(found.assessors, np.fromiter(without, np.int64, len(without))))


def no_answers(topic: str) -> TopicAnswers:
    """A topic that nobody has answered anything of."""
    nothing = np.zeros(0, np.int64)
    return TopicAnswers(topic, b"", 0, nothing.astype(np.int32), nothing, nothing, False)


def folded(before: TopicAnswers, events: Sequence[AnswerColumns]) -> TopicAnswers:
    """The answers of a topic after further events of it, in whatever order these are given.

    Events that had been folded in before change nothing, where all later ones of their assessor are there.
    """
    known = before.joined.split(b"\n") if before.documents else []
    put_off = [docno for docno, _ in before.put_off]
    docnos = sorted({*known, *put_off, *chain.from_iterable(one.docnos for one in events)})
    place = {docno: number for number, docno in enumerate(docnos)}
    of_known = np.array([place[docno] for docno in known], np.int32)
    sizes = [len(one.docnos) for one in events]
    places = _numbers(place[docno] for docno in chain(put_off, *(one.docnos for one in events)))
    at = np.concatenate([of_known[before.places], places])
    people = _numbers(who for _, who in before.put_off)
    saying = np.repeat(_numbers(one.assessor for one in events), sizes)
    who = np.concatenate([before.assessors, people, saying])
    given = _numbers(code_of(answer) for one in events for answer in one.answers)
    what = np.concatenate([before.codes, np.full(len(people), PUT_OFF), given])
    earlier = np.zeros(len(before.codes) + len(people), np.int64)
    number = np.concatenate([earlier, *(one.numbers for one in events)])
    order = np.lexsort((number, who, at))
    at, who, what = at[order], who[order], what[order]
    # Of an assessor's events to a document the last one counts.
    newest = np.append((at[1:] != at[:-1]) | (who[1:] != who[:-1]), True)[: len(at)]
    postponed, last = newest & (what == PUT_OFF), newest & (what > PUT_OFF)
    postponed_by = zip(at[postponed].tolist(), who[postponed].tolist(), strict=True)
    used, at = np.unique(at[last], return_inverse=True)
    return TopicAnswers(
        before.topic,
        b"\n".join(docnos[number] for number in used.tolist()),
        len(used),
        at.astype(np.int32),
        who[last],
        what[last],
        before.discussed or any(one.discussed for one in events),
        frozenset((docnos[place], one) for place, one in postponed_by),
    )


def _numbers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.fromiter(values, np.int64)


def code_of(answer: str) -> int:
    """How an answer, or a grade in digits, stands in arrays; those that are no answer are PUT_OFF or less."""
    return _CODES[answer] if answer in _CODES else int(answer)


class JudgmentLog:
    """The current answers of a campaign as far as a process knows them; several threads may ask."""

    def __init__(self, campaign_id: int) -> None:
        self._campaign_id = campaign_id
        self._lock = threading.Lock()
        self._newest: Mapping[int, int] = {}
        self._topics: Mapping[str, TopicAnswers] = {}

    def __len__(self) -> int:
        return sum(len(one.codes) for one in self._topics.values())

    def topics(self, db: Session) -> Mapping[str, TopicAnswers]:
        """The answers by topic as this transaction sees them, or as a later one that reads has seen them."""
        newest = newest_events(db, self._campaign_id)
        with self._lock:
            known, topics = self._newest, self._topics
            if WRITES not in db.info:
                # An older transaction than another that has asked: what is known does not become less.
                if all(newest.get(one, 0) >= number for one, number in known.items()):
                    self._topics = after(db, self._campaign_id, topics, known, newest)
                    self._newest = newest
                return self._topics
        # What is not committed yet must not be kept for others.
        return after(db, self._campaign_id, topics, known, newest)


def after(
    db: Session,
    campaign_id: int,
    topics: Mapping[str, TopicAnswers],
    known: Mapping[int, int],
    newest: Mapping[int, int],
) -> Mapping[str, TopicAnswers]:
    """The answers after the events between the newest known ones of each assessor and the newest of all."""
    since = {one: known.get(one, 0) for one, number in newest.items() if number > known.get(one, 0)}
    if not since:
        return topics
    events: dict[str, list[AnswerColumns]] = {}
    for columns in answer_columns(db, campaign_id, since):
        events.setdefault(columns.topic, []).append(columns)
    found = dict(topics)
    for topic, several in events.items():
        found[topic] = folded(found.get(topic) or no_answers(topic), several)
    return {topic: found[topic] for topic in sorted(found, key=id_bytes)}


def answers_by_topic(db: Session, campaign_id: int) -> Mapping[str, TopicAnswers]:
    """The current answers of the topics that have any, by topic in the order of bytes."""
    row = db.get_one(CampaignRow, campaign_id)
    with _MAKING:
        logs = _LOGS.setdefault(db.get_bind().engine.pool, OrderedDict())
        # The moment at which the campaign was made tells it from a later one of the same number.
        log = logs.setdefault((campaign_id, row.created_at), JudgmentLog(campaign_id))
        logs.move_to_end((campaign_id, row.created_at))
        while len(logs) > 1 and sum(map(len, logs.values())) > MOST_ANSWERS:
            logs.popitem(last=False)
    return {topic: one for topic, one in log.topics(db).items() if one}


# By the connections of a database, which tell it from another of the same address.
_LOGS: WeakKeyDictionary[Pool, OrderedDict[Hashable, JudgmentLog]] = WeakKeyDictionary()
_MAKING = threading.Lock()
