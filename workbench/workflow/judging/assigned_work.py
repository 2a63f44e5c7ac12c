"""What assessors have to judge and have answered, summed over what is kept of topics."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.records import id_bytes
from workbench.storage.tables import AssignmentRow, PoolRow
from workbench.workflow.judging.handout import FixedHandout, Handouts, handouts_of_pools, kind_of
from workbench.workflow.pools.pooled_topics import NOTHING, ByTopic, TopicDocnos, pooled_by_topic
from workbench.workflow.pools.topic_answers import TopicAnswers


class AssignedShare(NamedTuple):
    """Pairs assigned to an assessor, those answered, those left in open pools, and in how many topics."""

    assigned: int = 0
    answered: int = 0
    left: int = 0
    topics_left: int = 0


class _Given(NamedTuple):
    """A topic that an assessor has in a pool, which may be closed."""

    pool_id: int
    topic: str
    assessor_id: int
    open: bool


@dataclass(frozen=True, slots=True)
class AssignedWork:
    """The share of each assessor, by id, and how many assessors each topic is assigned to."""

    shares: Mapping[int, AssignedShare]
    assessors: Mapping[str, int]

    def share(self, assessor_id: int) -> AssignedShare:
        """The share of an assessor, who may have none."""
        return self.shares.get(assessor_id, AssignedShare())


def assigned_work(db: Session, campaign_id: int, answers: Mapping[str, TopicAnswers]) -> AssignedWork:
    """What all assessors of a campaign have; a pair of several pools counts once."""
    rows = db.execute(
        select(
            AssignmentRow.pool_id, AssignmentRow.topic, AssignmentRow.assessor_id, PoolRow.closed_at.is_(None)
        )
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(PoolRow.campaign_id == campaign_id, AssignmentRow.revoked_at.is_(None))
    )
    given: dict[tuple[int, str], list[_Given]] = {}
    for row in rows:
        one = _Given(*row)
        given.setdefault((one.assessor_id, one.topic), []).append(one)
    handed = handed_documents(db, {one.pool_id for several in given.values() for one in several})
    shares: dict[int, list[int]] = {}
    assessors: dict[str, int] = {}
    for (assessor, topic), several in given.items():
        parts = [handed.of(one.pool_id, topic, assessor) for one in several]
        waiting = [part for part, one in zip(parts, several, strict=True) if one.open]
        every = _union(parts)
        done = answered(answers.get(topic), assessor, every)
        left = 0
        if waiting:
            open_ones = every if len(waiting) == len(parts) else _union(waiting)
            left = open_ones.count - (
                done if open_ones is every else answered(answers.get(topic), assessor, open_ones)
            )
        share = shares.setdefault(assessor, [0, 0, 0, 0])
        for place, number in enumerate((every.count, done, left, bool(left))):
            share[place] += number
        assessors[topic] = assessors.get(topic, 0) + 1
    return AssignedWork({who: AssignedShare(*share) for who, share in shares.items()}, assessors)


def answered(answers: TopicAnswers | None, assessor_id: int, docnos: TopicDocnos) -> int:
    """How many of these documents an assessor has answered."""
    if answers is None or not docnos.count:
        return 0
    return answers.keep(("answered", docnos), partial(_answered, docnos)).get(assessor_id, 0)


def _answered(docnos: TopicDocnos, answers: TopicAnswers) -> dict[int, int]:
    who, counts = np.unique(answers.assessors[docnos.among(answers)[answers.places]], return_counts=True)
    return dict(zip(who.tolist(), counts.tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class HandedDocuments:
    """What assessors have of some pools: of fixed ones all that are pooled, of others as handed out."""

    fixed: Mapping[int, ByTopic]
    others: Handouts

    def of(self, pool_id: int, topic: str, assessor_id: int) -> TopicDocnos:
        """What an assessor to whom a topic of a pool is assigned has of it."""
        if pool_id in self.fixed:
            return self.fixed[pool_id].get(topic, NOTHING)
        return TopicDocnos.of(map(id_bytes, self.others.docnos(pool_id, topic, assessor_id)))

    def left(self, pool_id: int, topic: str, assessor_id: int) -> int:
        """How many documents the assessor can still be handed; 0 where the pool is closed."""
        return self.others.left(pool_id, topic, assessor_id)


def handed_documents(db: Session, pool_ids: Iterable[int]) -> HandedDocuments:
    """What assessors have of these pools of one campaign."""
    fixed: dict[int, ByTopic] = {}
    others = []
    for pool_id in sorted(pool_ids):
        pool = db.get_one(PoolRow, pool_id)
        if kind_of(pool) is FixedHandout:
            fixed[pool_id] = pooled_by_topic(db, pool)
        else:
            others.append(pool)
    return HandedDocuments(fixed, handouts_of_pools(db, others))


def _union(parts: Sequence[TopicDocnos]) -> TopicDocnos:
    if len(parts) == 1 or all(part == parts[0] for part in parts):
        return parts[0]
    return TopicDocnos.of(docno for part in parts for docno in part.docnos)
