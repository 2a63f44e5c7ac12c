"""The assignments that are in force, by topic: what is given to whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import AssignmentRow, PoolRow


@dataclass(frozen=True, slots=True, eq=False)
class GivenTopic:
    """A topic of a pool, the assessors to whom it is given (in the order of their numbers)."""

    pool_id: int
    topic: str
    assessors: NDArray[np.int64]


Given = tuple[GivenTopic, ...]


def given_topics(db: Session, campaign_id: int) -> Given:
    """The topics of a campaign's pools that are given to anybody."""
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


def all_by_topic(given: Given) -> Mapping[str, list[GivenTopic]]:
    """The same by topic."""
    found: dict[str, list[GivenTopic]] = {}
    for one in given:
        found.setdefault(one.topic, []).append(one)
    return found
