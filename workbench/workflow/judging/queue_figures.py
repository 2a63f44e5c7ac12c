"""Queues in figures: what assessors have and can get of each topic, counted in arrays.

The same as `QueueHandout` says pair by pair. What is counted of a topic is kept until its answers change, or
something of it is handed out or given back: a queue of a million pairs is not looked through for every page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.ratings import UNSURE
from workbench.records import id_bytes
from workbench.storage.events import current_events, put_off_docnos
from workbench.storage.tables import AssessorRow, CampaignRow, PoolRow
from workbench.workflow.judging.queue_handout import NOTHING as NOTHING_OUT
from workbench.workflow.judging.queue_handout import ByTopic as HandedOutByTopic
from workbench.workflow.judging.queue_handout import Hold, TopicHandedOut, handed_out_by_topic, lease_minutes
from workbench.workflow.log import TopicAnswers, no_answers
from workbench.workflow.people.assessors import able_ids
from workbench.workflow.pools.pooled_topics import NOTHING, ByTopic, TopicDocnos, pooled_by_topic

Numbers = NDArray[np.int64]


class Shares(NamedTuple):
    """Of some assessors, each: how many documents they have, have answered, can be handed, may ever get."""

    has: Numbers
    answered: Numbers
    left: Numbers
    may_come: Numbers


@dataclass(frozen=True, slots=True, eq=False)
class OutPair:
    """A pair that is out, with those who take a place of it and those who answered it."""

    hold: Hold
    takers: frozenset[int]
    answered: frozenset[int]
    waits: bool
    """Whether somebody can still be handed the pair."""


@dataclass(frozen=True, slots=True, eq=False)
class TopicFigures:
    """A topic of a queue: `waiting` pairs have a place left, `wanting` pairs lack grades.

    `who` are the assessors who answered something of it, sorted; `answered` of each how many pairs, of which
    `graded` and `unsure`, and `in_waiting`, `in_wanting` how many of these. `places` are the waiting ones of
    the answered documents.
    """

    pairs: int
    done: int
    given: int
    waiting: int
    wanting: int
    who: Numbers
    answered: Numbers
    graded: Numbers
    unsure: Numbers
    in_waiting: Numbers
    in_wanting: Numbers
    places: NDArray[np.bool_]
    out: tuple[OutPair, ...]
    unanswered: frozenset[tuple[str, int]]
    """What is handed out and not answered, asked for or not: document and assessor."""
    full: frozenset[str]
    """The documents without an answer that have all their places taken."""

    def of(self, values: Numbers, assessors: Numbers) -> Numbers:
        """The values, which belong to `who`, of these assessors; 0 of others."""
        if not len(self.who):
            return np.zeros(len(assessors), np.int64)
        at = np.minimum(np.searchsorted(self.who, assessors), len(self.who) - 1)
        return np.where(self.who[at] == assessors, values[at], 0)

    def out_with(self, assessors: Numbers, *, waiting: bool = False) -> Numbers:
        """How many pairs these assessors have and have not answered, be it only those that wait."""
        if not self.out:
            return np.zeros(len(assessors), np.int64)
        numbers = Counter(one.hold.assessor_id for one in self.out if one.waits or not waiting)
        return np.array([numbers[one] for one in assessors.tolist()], np.int64)

    def recoverable(self, assessor_id: int, per_pair: int, abandoned: Collection[OutPair]) -> int:
        """How many pairs that colleagues have abandoned an assessor could get instead."""
        mine = {one.hold.docno for one in self.out if one.hold.assessor_id == assessor_id}
        return len(
            {
                one.hold.docno
                for one in abandoned
                if one.hold.docno not in mine
                and assessor_id not in one.answered
                and len(one.takers - {assessor_id}) >= per_pair
                and len(one.takers - {assessor_id, one.hold.assessor_id}) < per_pair
            }
        )


@dataclass(slots=True)
class QueueFigures:
    """The topics of a queue as they stand; made for one transaction."""

    db: Session
    campaign_id: int
    pool: PoolRow
    answers: Mapping[str, TopicAnswers]
    pooled: ByTopic
    handed_out: HandedOutByTopic
    machines: frozenset[int]
    lease: timedelta
    able: Set[int]
    now: datetime
    _empty: dict[str, TopicAnswers] = field(default_factory=dict)

    def topic(self, topic: str) -> TopicFigures:
        """The figures of a topic."""
        docnos, handed_out = self.pooled.get(topic, NOTHING), self.handed_out.get(topic, NOTHING_OUT)
        per_pair = self.pool.per_pair or 1
        make = partial(_figures, docnos, handed_out, self.machines, per_pair)
        return self.answers_of(topic).keep(
            ("queue", self.pool.id, docnos, handed_out.number, self.machines, per_pair), make
        )

    def answers_of(self, topic: str) -> TopicAnswers:
        """The answers of a topic, which may have none."""
        found = self.answers.get(topic) or self._empty.get(topic)
        if found is None:
            found = self._empty[topic] = no_answers(topic)
        return found

    def shares(self, topic: str, assessors: Numbers) -> Shares:
        """What these assessors, to whom a topic is given, have of it and can get."""
        found = self.topic(topic)
        answered, out = found.of(found.answered, assessors), found.out_with(assessors)
        if self.pool.closed_at is not None:
            nothing = np.zeros(len(assessors), np.int64)
            return Shares(answered + out, answered, nothing, nothing)
        free = found.waiting - found.of(found.in_waiting, assessors)
        abandoned = self.abandoned(topic)
        if found.out:
            free = free - found.out_with(assessors, waiting=True)
        if abandoned:
            per_pair = self.pool.per_pair or 1
            free = free + np.array(
                [found.recoverable(one, per_pair, abandoned) for one in assessors.tolist()], np.int64
            )
        may_come = found.wanting - found.of(found.in_wanting, assessors) - out
        return Shares(answered + out, answered, free, may_come)

    def docnos(self, topic: str, assessor_id: int) -> TopicDocnos:
        """What an assessor has of a topic."""
        found, answers = self.topic(topic), self.answers_of(topic)
        among = self.pooled.get(topic, NOTHING).among(answers)
        own = answers.places[(answers.assessors == assessor_id) & among[answers.places]]
        answered_docnos = answers.joined.split(b"\n")
        out = (id_bytes(one.hold.docno) for one in found.out if one.hold.assessor_id == assessor_id)
        mine = [answered_docnos[place] for place in own.tolist()] if assessor_id not in self.machines else []
        return TopicDocnos.of([*mine, *out])

    def stuck(self, topic: str, given: Numbers) -> int:
        """How many of the waiting pairs nobody can take, of the assessors to whom a topic is given."""
        found = self.topic(topic)
        given = given[np.isin(given, list(self.able))]
        if not len(given) or not found.waiting:
            return found.waiting
        # Somebody who has answered nothing of a topic can take any of its pairs: the others need no look.
        order = np.argsort(found.of(found.in_waiting, given), kind="stable")
        spoken: set[str] | None = None
        for assessor_id in given[order].tolist():
            theirs = self._spoken(topic, assessor_id)
            spoken = theirs if spoken is None else spoken & theirs
            if not spoken:
                return 0
        place = {docno: number for number, docno in enumerate(self.answers_of(topic).docnos)}
        pooled = self.pooled.get(topic, NOTHING).docnos
        return sum(
            bool(found.places[place[docno]])
            if docno in place
            else docno not in found.full and id_bytes(docno) in pooled
            for docno in spoken or ()
        )

    def _spoken(self, topic: str, assessor_id: int) -> set[str]:
        """The documents that an assessor has, answered or put off."""
        found, answers = self.topic(topic), self.answers_of(topic)
        spoken = {docno for docno, who in found.unanswered if who == assessor_id}
        put_off = answers.keep("put off", _nobody)
        if assessor_id not in put_off:
            put_off[assessor_id] = put_off_docnos(self.db, self.campaign_id, assessor_id, topic)
        spoken |= put_off[assessor_id]
        own = answers.places[answers.assessors == assessor_id]
        if len(own) and assessor_id not in self.machines:
            docnos = answers.docnos
            spoken |= {docnos[place] for place in own.tolist()}
        return spoken

    def abandoned(self, topic: str) -> tuple[OutPair, ...]:
        """What is out with who cannot judge now, or answered nothing there for longer than the lease."""
        until = self.now - self.lease
        return tuple(
            one
            for one in self.topic(topic).out
            if one.hold.assessor_id not in self.able
            or (one.hold.since < until and not self._active(topic, one.hold.assessor_id, until))
        )

    def _active(self, topic: str, assessor_id: int, until: datetime) -> bool:
        """Whether an assessor has answered in a topic since, or put something off."""
        latest = self.answers_of(topic).keep(("latest", self.pool.id, self.pooled.get(topic, NOTHING)), _none)
        if assessor_id not in latest:
            pooled = self.pooled.get(topic, NOTHING).docnos
            events = current_events(
                self.db, self.campaign_id, assessor_ids=[assessor_id], topic=topic, put_off=True
            )
            moments = [one.recorded_at for one in events if id_bytes(one.docno) in pooled]
            latest[assessor_id] = max(moments, default=None)
        last = latest[assessor_id]
        return last is not None and last >= until


def queue_figures(
    db: Session, pool: PoolRow, answers: Mapping[str, TopicAnswers], *, now: datetime | None = None
) -> QueueFigures:
    """The figures of a queue, of these answers of its campaign."""
    campaign = db.get_one(CampaignRow, pool.campaign_id)
    machines = select(AssessorRow.id).where(AssessorRow.campaign_id == campaign.id, AssessorRow.machine)
    return QueueFigures(
        db,
        campaign.id,
        pool,
        answers,
        pooled_by_topic(db, pool),
        handed_out_by_topic(db, pool),
        frozenset(db.scalars(machines)),
        timedelta(minutes=lease_minutes(campaign.desk_rules)),
        able_ids(db, campaign.id),
        now or datetime.now(UTC),
    )


def _nobody(_: TopicAnswers) -> dict[int, frozenset[str]]:
    return {}


def _none(_: TopicAnswers) -> dict[int, datetime | None]:
    return {}


def _figures(
    docnos: TopicDocnos,
    handed_out: TopicHandedOut,
    machines: frozenset[int],
    per_pair: int,
    answers: TopicAnswers,
) -> TopicFigures:
    among = docnos.among(answers)
    mine = among[answers.places] & answers.of_people(machines)
    places, people = answers.places[mine], answers.assessors[mine]
    graded = answers.codes[mine] >= 0
    graders = np.bincount(places[graded], minlength=answers.documents)
    takers = graders.copy()
    placed = _pooled_handed_out(docnos, handed_out, answers)
    bare: dict[str, int] = {}
    spoken: dict[str, tuple[frozenset[int], frozenset[int]]] = {}
    unanswered: list[Hold] = []
    for hold, place in placed:
        if hold.docno not in spoken:
            here = places == place
            spoken[hold.docno] = (
                frozenset(people[here].tolist()),
                frozenset(people[here & graded].tolist()),
            )
        if hold.assessor_id in spoken[hold.docno][0]:
            continue
        unanswered.append(hold)
        if place < 0:
            bare[hold.docno] = bare.get(hold.docno, 0) + 1
        else:
            takers[place] += 1
    waits = among & (takers < per_pair)
    wants = among & (graders < per_pair)
    unsaid = docnos.count - int(among.sum())
    full = {docno for docno, count in bare.items() if count >= per_pair}
    who, at = np.unique(people, return_inverse=True)
    holders: dict[str, set[int]] = {}
    for hold in unanswered:
        holders.setdefault(hold.docno, set()).add(hold.assessor_id)
    place_of = {hold.docno: place for hold, place in placed}
    out = []
    for hold in unanswered:
        answered, grading = spoken[hold.docno]
        if len(grading - {hold.assessor_id}) < per_pair:
            place = place_of[hold.docno]
            is_waiting = bool(waits[place]) if place >= 0 else hold.docno not in full
            out.append(OutPair(hold, grading | holders[hold.docno], answered, is_waiting))
    return TopicFigures(
        pairs=docnos.count,
        done=int((among & (graders >= per_pair)).sum()),
        given=int(np.minimum(graders, per_pair).sum()),
        waiting=int(waits.sum()) + unsaid - len(full),
        wanting=int(wants.sum()) + unsaid,
        who=who,
        answered=np.bincount(at, minlength=len(who)),
        graded=np.bincount(at[graded], minlength=len(who)),
        unsure=np.bincount(at[answers.codes[mine] == UNSURE], minlength=len(who)),
        in_waiting=np.bincount(at[waits[places]], minlength=len(who)),
        in_wanting=np.bincount(at[wants[places]], minlength=len(who)),
        places=waits,
        out=tuple(out),
        full=frozenset(full),
        unanswered=frozenset((hold.docno, hold.assessor_id) for hold in unanswered),
    )


def _pooled_handed_out(
    docnos: TopicDocnos, handed_out: TopicHandedOut, answers: TopicAnswers
) -> list[tuple[Hold, int]]:
    """Holds of pooled documents, each with the place of its document among those answered, or -1."""
    if not handed_out.handed_out:
        return []
    pooled = docnos.docnos
    place = {docno: number for number, docno in enumerate(answers.docnos)}
    return [(one, place.get(one.docno, -1)) for one in handed_out.handed_out if id_bytes(one.docno) in pooled]
