"""The assignments that are in force, by topic, kept as long as none is made or removed.

A queue of some hundred topics that everybody has is a hundred thousand assignments, which every page would
read whole to add up a figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from workbench.storage.engine import WRITES
from workbench.storage.tables import AssignmentRow, CampaignRow, PoolRow
from workbench.workflow.caching import Cache


@dataclass(frozen=True, slots=True, eq=False)
class GivenTopic:
    """A topic of a pool, the assessors to whom it is given (in the order of their numbers)."""

    pool_id: int
    topic: str
    assessors: NDArray[np.int64]


Given = tuple[GivenTopic, ...]


def given_topics(db: Session, campaign_id: int) -> Given:
    """The topics of a campaign's pools that are given to anybody."""
    if WRITES in db.info:
        return _read(db, campaign_id)
    row = db.get_one(CampaignRow, campaign_id)
    key = str(db.get_bind().engine.url), campaign_id, row.created_at
    return _KEPT.get(key, lambda: _read(db, campaign_id), version=_version(db, campaign_id), patience=0)


def given_to(db: Session, campaign_id: int, assessor_id: int) -> Given:
    """The topics that are given to one assessor."""
    who = np.array([assessor_id], np.int64)
    rows = db.execute(
        select(AssignmentRow.pool_id, AssignmentRow.topic)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            AssignmentRow.assessor_id == assessor_id,
            AssignmentRow.revoked_at.is_(None),
        )
    )
    return tuple(GivenTopic(pool_id, topic, who) for pool_id, topic in rows)


def _version(db: Session, campaign_id: int) -> tuple[tuple[object, ...], ...]:
    """What differs after every change: a removal is later than all before, and what comes back is fewer."""
    row = AssignmentRow
    removed = case((row.revoked_at.is_not(None), row.id), else_=0)
    rows = db.execute(
        select(
            row.pool_id,
            func.count(),
            func.max(row.id),
            func.count(row.revoked_at),
            func.max(row.revoked_at),
            func.sum(removed),
        )
        .where(row.pool_id.in_(select(PoolRow.id).where(PoolRow.campaign_id == campaign_id)))
        .group_by(row.pool_id)
        .order_by(row.pool_id)
    )
    return tuple(tuple(one) for one in rows)


def _read(db: Session, campaign_id: int) -> Given:
    rows = db.connection().execute(
        select(AssignmentRow.pool_id, AssignmentRow.topic, AssignmentRow.assessor_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(PoolRow.campaign_id == campaign_id, AssignmentRow.revoked_at.is_(None))
    )
    found: dict[tuple[int, str], list[int]] = {}
    for pool_id, topic, assessor_id in rows:
        found.setdefault((pool_id, topic), []).append(assessor_id)
    return tuple(
        GivenTopic(pool_id, topic, np.array(sorted(who), np.int64)) for (pool_id, topic), who in found.items()
    )


_KEPT: Cache[tuple[object, ...], Given] = Cache(
    32, bytes_of=lambda given: sum(one.assessors.nbytes for one in given)
)


def all_by_topic(given: Given) -> Mapping[str, list[GivenTopic]]:
    """The same by topic."""
    found: dict[str, list[GivenTopic]] = {}
    for one in given:
        found.setdefault(one.topic, []).append(one)
    return found
