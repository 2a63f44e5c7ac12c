"""The assignments in force, and what assessors have to judge and have answered."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Text, cast, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.storage.tables import AssignmentRow, PoolRow
from workbench.workflow.judging.adaptive_handout import AdaptiveHandout
from workbench.workflow.judging.handout import FixedHandout
from workbench.workflow.judging.queue_handout import Numbers, QueueHandout, QueueTopics, Shares
from workbench.workflow.judging.task import kind_of
from workbench.workflow.log import TopicAnswers, answers_by_topic
from workbench.workflow.people.membership import assessor_of
from workbench.workflow.pools.pooled_topics import NOTHING, ByTopic, TopicDocnos, pooled_by_topic


class AssignedShare(NamedTuple):
    """Pairs assigned to an assessor, those answered, those left in open pools, and in how many topics.

    Of open pools `may_come` are pairs that this assessor may be handed yet, of which `free` ones at once and
    the others when colleagues give them back.
    """

    assigned: int = 0
    answered: int = 0
    left: int = 0
    topics_left: int = 0
    may_come: int = 0
    free: int = 0

    @property
    def now(self) -> int:
        """The pairs that this assessor can judge at once."""
        return self.left + self.free


@frozen_dataclass
class AssignedWork:
    """The share of each assessor, by id, and how many assessors each topic is assigned to."""

    shares: Mapping[int, AssignedShare]
    assessors: Mapping[str, int]

    def share(self, assessor_id: int) -> AssignedShare:
        """The share of an assessor, who may have none."""
        return self.shares.get(assessor_id, AssignedShare())


def assigned_work(db: Session, campaign_id: int, answers: Mapping[str, TopicAnswers]) -> AssignedWork:
    """What all assessors of a campaign have; a pair of several pools counts once."""
    return _work(db, given_topics(db, campaign_id), answers)


def left_to_judge(db: Session, campaign_id: int, account_id: int) -> int:
    """How many pairs assigned to an account in open pools have no answer of its yet."""
    share = own_share(db, campaign_id, account_id)
    return share.left + share.may_come


def own_share(db: Session, campaign_id: int, account_id: int) -> AssignedShare:
    """What is assigned to an account in a campaign."""
    assessor_id = assessor_of(db, campaign_id, account_id)
    given = () if assessor_id is None else given_topics(db, campaign_id, assessor_id)
    if assessor_id is None or not given:
        return AssignedShare()
    return _work(db, given, answers_by_topic(db, campaign_id), only=True).share(assessor_id)


def all_left_to_judge(db: Session, campaign_id: int) -> Mapping[int, int]:
    """The same of everybody who has a topic, by the assessor's number."""
    work = assigned_work(db, campaign_id, answers_by_topic(db, campaign_id))
    return {who: share.left + share.may_come for who, share in work.shares.items()}


def waiting_work(db: Session, campaign_id: int, answers: Mapping[str, TopicAnswers]) -> int:
    """How many judgments open queues and adaptive pools ask for that nobody has given or has in hand."""
    pool = PoolRow
    chosen = select(pool.id).where(
        pool.campaign_id == campaign_id, pool.opened_at.is_not(None), pool.closed_at.is_(None)
    )
    handed = handed_documents(db, db.scalars(chosen).all(), answers)
    waiting = 0
    for queue in handed.queues.values():
        for found in map(queue.topic, queue.pooled):
            waiting += max(0, found.needed - found.given - len(found.open))
    return waiting + sum(max(0, one.total - len(one.handed_out)) for one in handed.adaptive.values())


def _work(
    db: Session, given: Given, answers: Mapping[str, TopicAnswers], *, only: bool = False
) -> AssignedWork:
    """What the assessors of these topics have; `only` says that it is one, who has few of many topics."""
    handed = handed_documents(db, {one.pool_id for one in given}, answers, given if only else None)
    people = np.unique(np.concatenate([one.assessors for one in given] or [np.empty(0, np.int64)]))
    sums = np.zeros((6, len(people)), np.int64)
    assessors: dict[str, int] = {}
    for topic, several in all_by_topic(given).items():
        counts = np.bincount(np.searchsorted(people, np.concatenate([one.assessors for one in several])))
        assessors[topic] = int((counts > 0).sum())
        again = set(people[: len(counts)][counts > 1].tolist())
        for one in several:
            who = one.assessors
            if again:
                who = who[~np.isin(who, np.fromiter(again, np.int64, len(again)))]
            shares, is_open = handed.shares(one.pool_id, topic, who), one.pool_id in handed.open
            left = (shares.has - shares.answered) * is_open
            at = np.searchsorted(people, who)
            for place, numbers in enumerate((shares.has, shares.answered, left, left > 0)):
                sums[place, at] += numbers
            if is_open:
                sums[4, at] += shares.may_come
                sums[5, at] += shares.left
        for who_has in again:
            at_one = int(np.searchsorted(people, who_has))
            sums[:, at_one] += _of_several(handed, several, who_has)
    return AssignedWork(
        {who: AssignedShare(*share) for who, share in zip(people.tolist(), sums.T.tolist(), strict=True)},
        assessors,
    )


def _of_several(handed: HandedDocuments, several: Sequence[GivenTopic], assessor_id: int) -> Numbers:
    """What an assessor has of a topic in several pools, in the order of `AssignedShare`."""
    topic, answers = several[0].topic, handed.answers.get(several[0].topic)
    mine = [one for one in several if assessor_id in one.assessors]
    parts = {one.pool_id: handed.of(one.pool_id, topic, assessor_id) for one in mine}
    every = _union(list(parts.values()))
    done = answered(answers, assessor_id, every)
    waiting = {number: part for number, part in parts.items() if number in handed.open}
    left = may_come = free = 0
    if waiting:
        open_ones = every if len(waiting) == len(parts) else _union(list(waiting.values()))
        done_of_open = done if open_ones is every else answered(answers, assessor_id, open_ones)
        left = open_ones.count - done_of_open
        who = np.array([assessor_id], np.int64)
        shares = [handed.shares(number, topic, who) for number in waiting]
        may_come = sum(int(one.may_come[0]) for one in shares)
        free = sum(int(one.left[0]) for one in shares)
    return np.array([every.count, done, left, bool(left), may_come, free], np.int64)


def answered(answers: TopicAnswers | None, assessor_id: int, docnos: TopicDocnos) -> int:
    """How many of these documents an assessor has answered."""
    return int(answered_by(answers, np.array([assessor_id], np.int64), docnos)[0])


def answered_by(
    answers: TopicAnswers | None, assessors: NDArray[np.int64], docnos: TopicDocnos
) -> NDArray[np.int64]:
    """How many of these documents each of some assessors has answered."""
    if answers is None or not docnos.count:
        return np.zeros(len(assessors), np.int64)
    given = answers.assessors[docnos.among(answers)[answers.places]]
    found: NDArray[np.int64] = np.count_nonzero(given == assessors[:, np.newaxis], axis=1)
    return found


@frozen_dataclass
class HandedDocuments:
    """What assessors have of some pools: of fixed ones all that are pooled, of others as handed out.

    `open` are the pools that are not closed. `rests` says who took a topic over, from whom.
    """

    answers: Mapping[str, TopicAnswers]
    open: frozenset[int]
    fixed: Mapping[int, ByTopic]
    queues: Mapping[int, QueueTopics]
    adaptive: Mapping[tuple[int, str], AdaptiveHandout]
    rests: Mapping[tuple[int, str], Mapping[int, Sequence[int]]]

    def of(self, pool_id: int, topic: str, assessor_id: int) -> TopicDocnos:
        """What an assessor to whom a topic of a pool is assigned has of it."""
        if pool_id in self.fixed:
            docnos, answers = self.fixed[pool_id].get(topic, NOTHING), self.answers.get(topic)
            others = self.rests.get((pool_id, topic), {}).get(assessor_id, ())
            if answers is None or not others:
                return docnos
            theirs = np.unique(answers.places[np.isin(answers.assessors, others)]).tolist()
            answered = answers.joined.split(b"\n")
            return TopicDocnos.of(docnos.docnos.difference(answered[place] for place in theirs))
        if pool_id in self.queues:
            return self.queues[pool_id].docnos(topic, assessor_id)
        found = self.adaptive.get((pool_id, topic))
        return NOTHING if found is None else TopicDocnos.of(map(id_bytes, found.docnos(assessor_id)))

    def shares(self, pool_id: int, topic: str, assessors: Numbers) -> Shares:
        """What each of some assessors, to whom a topic of a pool is assigned, has of it and can get."""
        nothing = np.zeros(len(assessors), np.int64)
        if pool_id in self.fixed:
            docnos = self.fixed[pool_id].get(topic, NOTHING)
            done = answered_by(self.answers.get(topic), assessors, docnos)
            has = nothing + docnos.count
            for who in self.rests.get((pool_id, topic), ()):
                part, mine = self.of(pool_id, topic, who), assessors == who
                has[mine], done[mine] = part.count, answered(self.answers.get(topic), who, part)
            return Shares(has, done, nothing, nothing)
        if pool_id in self.queues:
            return self.queues[pool_id].shares(topic, assessors)
        found = self.adaptive.get((pool_id, topic))
        if found is None:
            return Shares(nothing, nothing, nothing, nothing)
        rows = [self._share(found, topic, assessor_id) for assessor_id in assessors.tolist()]
        return Shares(*np.array(rows, np.int64).reshape(-1, 4).T)

    def _share(self, handout: AdaptiveHandout, topic: str, assessor_id: int) -> tuple[int, int, int, int]:
        docnos = TopicDocnos.of(map(id_bytes, handout.docnos(assessor_id)))
        done = answered(self.answers.get(topic), assessor_id, docnos)
        left = handout.left(assessor_id)
        return docnos.count, done, left, left


def handed_documents(
    db: Session,
    pool_ids: Iterable[int],
    answers: Mapping[str, TopicAnswers],
    only: Collection[GivenTopic] | None = None,
) -> HandedDocuments:
    """What assessors have of these pools of one campaign, in all topics or in some only."""
    fixed: dict[int, ByTopic] = {}
    queues: dict[int, QueueTopics] = {}
    adaptive: dict[tuple[int, str], AdaptiveHandout] = {}
    pools = [db.get_one(PoolRow, pool_id) for pool_id in sorted(pool_ids)]
    for pool in pools:
        kind = kind_of(pool)
        if kind is FixedHandout:
            fixed[pool.id] = pooled_by_topic(db, pool)
        elif kind is QueueHandout:
            queues[pool.id] = QueueTopics.of(db, pool, answers)
        elif only is None:
            adaptive |= {(pool.id, topic): one for topic, one in AdaptiveHandout.by_topic(db, pool).items()}
        else:
            topics = [one.topic for one in only if one.pool_id == pool.id]
            adaptive |= {(pool.id, topic): AdaptiveHandout.load(db, pool, topic) for topic in topics}
    row = AssignmentRow
    parts = select(row.pool_id, row.topic, row.assessor_id, row.rest_of).where(
        row.pool_id.in_(list(fixed)), row.revoked_at.is_(None), cast(row.rest_of, Text) != "[]"
    )
    rests: dict[tuple[int, str], dict[int, Sequence[int]]] = {}
    for pool_id, topic, who, others in db.execute(parts):
        rests.setdefault((pool_id, topic), {})[who] = others
    still_open = frozenset(pool.id for pool in pools if pool.closed_at is None)
    return HandedDocuments(answers, still_open, fixed, queues, adaptive, rests)


def _union(parts: Sequence[TopicDocnos]) -> TopicDocnos:
    if len(parts) == 1 or all(part == parts[0] for part in parts):
        return parts[0]
    return TopicDocnos.of(docno for part in parts for docno in part.docnos)


@dataclass(frozen=True, slots=True, eq=False)
class GivenTopic:
    """A topic of a pool, the assessors to whom it is given (in the order of their numbers)."""

    pool_id: int
    topic: str
    assessors: NDArray[np.int64]


Given = tuple[GivenTopic, ...]


def given_topics(db: Session, campaign_id: int, assessor_id: int | None = None) -> Given:
    """The topics of a campaign's pools that are given to anybody, or to one assessor."""
    chosen = (
        select(AssignmentRow.pool_id, AssignmentRow.topic, AssignmentRow.assessor_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(PoolRow.campaign_id == campaign_id, AssignmentRow.revoked_at.is_(None))
    )
    if assessor_id is not None:
        chosen = chosen.where(AssignmentRow.assessor_id == assessor_id)
    found: dict[tuple[int, str], list[int]] = {}
    for pool_id, topic, who in db.connection().execute(chosen):
        found.setdefault((pool_id, topic), []).append(who)
    return tuple(
        GivenTopic(pool_id, topic, np.array(sorted(who), np.int64)) for (pool_id, topic), who in found.items()
    )


def all_by_topic(given: Given) -> Mapping[str, list[GivenTopic]]:
    """The same by topic."""
    found: dict[str, list[GivenTopic]] = {}
    for one in given:
        found.setdefault(one.topic, []).append(one)
    return found
