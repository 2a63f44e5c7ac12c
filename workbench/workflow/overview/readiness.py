"""Whether a campaign is ready to be judged: what is there, and the first step that is still missing."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.records import Verdict
from workbench.storage.tables import (
    CampaignRow,
    GroupRow,
    InvitationRow,
    MemberRow,
    PoolRow,
    RunRow,
    TopicRow,
)
from workbench.workflow.campaigns.collection import document_count
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.assigned_work import given_topics
from workbench.workflow.people.membership import Role, able_ids
from workbench.workflow.pools.pool_rows import PoolState, is_adaptive, state_of, topics_of_pool
from workbench.workflow.pools.pooled_topics import missing_count, pooled_by_topic, pooled_pairs


class SetupStep(StrEnum):
    """The steps before judging, in their order; `JUDGE` once nothing is missing."""

    TOPICS = "topics"
    RUNS = "runs"
    ACCEPT = "accept"
    POOL = "pool"
    OPEN = "open"
    DOCUMENTS = "documents"
    ASSESSORS = "assessors"
    ASSIGN = "assign"
    GUIDELINES = "guidelines"
    JUDGE = "judge"


@frozen_dataclass
class Readiness:
    """What a campaign has of what judging needs; all counts are of now.

    `runs` are those that can be pooled, `received` ones wait for acceptance first. `draft` is
    the number of the newest draft pool where no pool is open yet; `pairs` are pooled, and `missing` of their
    documents are not loaded. `assessors` have joined, `invited` not yet; `unassigned` topics of open pools
    belong to nobody.
    """

    topics: int
    documents: int
    runs: int
    received: int
    groups: int
    pools: int
    open_pools: int
    draft: int | None
    pairs: int
    missing: int
    assessors: int
    invited: int
    unassigned: frozenset[str]
    guidelines: bool

    @property
    def missing_steps(self) -> tuple[SetupStep, ...]:
        """The steps that are still to be done, in their order."""
        lacking = {
            SetupStep.TOPICS: not self.topics,
            SetupStep.RUNS: not (self.runs or self.received or self.pools or self.draft),
            SetupStep.ACCEPT: bool(self.received) and not (self.runs or self.pools or self.draft),
            SetupStep.POOL: not self.pools and self.draft is None,
            SetupStep.OPEN: not self.pools and self.draft is not None,
            SetupStep.DOCUMENTS: bool(self.missing) or not (self.documents or self.pools),
            SetupStep.ASSESSORS: not self.assessors,
            SetupStep.ASSIGN: not self.pools or bool(self.unassigned),
            SetupStep.GUIDELINES: not self.guidelines,
        }
        return tuple(step for step, is_lacking in lacking.items() if is_lacking)

    @property
    def ready(self) -> bool:
        """Whether assessors can judge all that is pooled; guidelines are advice."""
        return not set(self.missing_steps) - {SetupStep.GUIDELINES}

    @property
    def next(self) -> SetupStep:
        """The first step that can be done now."""
        for step in self.missing_steps:
            if step is SetupStep.DOCUMENTS and not self.missing:
                continue  # which of them are needed, the pool will say
            if step is SetupStep.ASSESSORS and self.invited:
                continue  # it is theirs to join
            if step is SetupStep.ASSIGN and not self.assessors:
                continue
            return step
        return SetupStep.JUDGE


def readiness(db: Session, campaign_id: int) -> Readiness:
    """What a campaign has of what judging needs."""
    pools = db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)).all()
    opened = [pool for pool in pools if pool.opened_at is not None]
    drafts = [pool.id for pool in pools if pool.opened_at is None]
    verdicts = dict(
        db.execute(
            select(RunRow.verdict, func.count())
            .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
            .group_by(RunRow.verdict)
        ).all()
    )
    waiting = (
        InvitationRow.used_at.is_(None),
        InvitationRow.withdrawn_at.is_(None),
        InvitationRow.expires_at > utc_now(),
    )
    invited = (InvitationRow.role == str(Role.ASSESSOR), *waiting)
    return Readiness(
        topics=_count(db, TopicRow, campaign_id),
        documents=document_count(db, campaign_id),
        runs=verdicts.get(Verdict.ACCEPTED, 0),
        received=verdicts.get(Verdict.RECEIVED, 0),
        groups=_count(db, GroupRow, campaign_id),
        pools=len(opened),
        open_pools=sum(state_of(pool) is PoolState.OPEN for pool in opened),
        draft=drafts[-1] if drafts and not opened else None,
        pairs=pooled_pairs(db, campaign_id) if opened else 0,
        missing=missing_count(db, campaign_id) if opened else 0,
        assessors=len(able_ids(db, campaign_id)),
        invited=_count(db, InvitationRow, campaign_id, *invited),
        unassigned=_unassigned(db, campaign_id, [pool for pool in opened if pool.closed_at is None]),
        guidelines=bool(db.get_one(CampaignRow, campaign_id).guidelines.strip()),
    )


def _unassigned(db: Session, campaign_id: int, pools: list[PoolRow]) -> frozenset[str]:
    """The topics of these pools that nobody who can judge has in any of them."""
    numbers = {pool.id for pool in pools}
    able = list(able_ids(db, campaign_id))
    given = {
        one.topic
        for one in given_topics(db, campaign_id)
        if one.pool_id in numbers and np.isin(one.assessors, able).any()
    }
    pooled = frozenset(
        topic
        for pool in pools
        for topic in (topics_of_pool(db, pool) if is_adaptive(pool) else pooled_by_topic(db, pool))
    )
    return pooled - given


def _count(
    db: Session,
    table: type[TopicRow | GroupRow | MemberRow | InvitationRow],
    campaign_id: int,
    *which: ColumnElement[bool],
) -> int:
    counted = select(func.count()).select_from(table).where(table.campaign_id == campaign_id, *which)
    return db.scalar(counted) or 0
