"""Standing: what decides whether an account may answer in an assignment, and how, read by one statement.

A standing is plain where it is what nearly every desk has: an open pool whose every assessor gets all pairs,
in a campaign without quality checks. Then nothing else need be read to know the documents.
"""

from __future__ import annotations

import json
from collections.abc import Hashable
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Select, Text, bindparam, cast, select
from sqlalchemy.engine import Connection

from workbench.storage.prepared import PreparedStatement
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    MemberRow,
    PoolRow,
)
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.fixed_orders import FixedOrder, fixed_order
from workbench.workflow.judging.known_orders import KnownOrder
from workbench.workflow.judging.quality_checks import CHECKS_RULE
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.pool_rows import REMOVED


class DeskStanding(NamedTuple):
    """An assignment that is or was an account's, with what its pool, campaign and account say of it now.

    A tuple, since the row of the statement is one. `role` is None for who is no assessor any more; `scale`
    and `desk_rules` are JSON; `removed` are pairs that were taken out of the pool.
    """

    assignment_id: int
    assessor_id: int
    topic: str
    order_rule: str
    seed: int
    revoked_at: datetime | None
    disabled_at: datetime | None
    role: str | None
    campaign_id: int
    archived_at: datetime | None
    scale: str
    desk_rules: str
    instructions: int
    pool_id: int
    created_at: datetime
    closed_at: datetime | None
    per_pair: int | None
    pairs: int
    adaptive: bool | None
    removed: list[Any] | None

    @property
    def may_judge(self) -> bool:
        """Whether the account is an assessor to whom the topic is assigned now."""
        return self.revoked_at is None and self.disabled_at is None and self.role is not None

    @property
    def is_plain(self) -> bool:
        """Whether every assessor gets all pairs of the pool, and no quality checks among them."""
        return self.per_pair is None and not self.adaptive and not _has_checks(self.desk_rules)

    @property
    def takes_answers(self) -> bool:
        """Whether the pool is not closed, nor the campaign archived."""
        return self.closed_at is None and self.archived_at is None

    @property
    def contents(self) -> Hashable:
        """What differs whenever the pairs of the pool do, as `contents_of` says it."""
        return self.created_at, self.pairs, len(self.removed or ())

    @property
    def grades(self) -> frozenset[int]:
        """The values of the scale."""
        return _grades(self.scale)

    def order(self, connection: Connection) -> KnownOrder:
        """The docnos of a plain standing as the assessor sees them."""
        return fixed_order(
            connection,
            FixedOrder(self.pool_id, self.contents, self.topic, self.order_rule, self.seed),
        )


def standing_of(connection: Connection, assignment_id: int, account_id: int) -> DeskStanding | None:
    """The standing of an account in an assignment; None where it never was this account's."""
    asked = {"assignment_id": assignment_id, "account_id": account_id}
    row = _STANDING.row(connection, asked)
    return None if row is None else DeskStanding._make(row)


def standings(*more: Any) -> Select[*tuple[Any, ...]]:
    """The statement behind `standing_of`, with further columns after those of a standing."""
    return (
        select(
            AssignmentRow.id,
            AssignmentRow.assessor_id,
            AssignmentRow.topic,
            AssignmentRow.order_rule,
            AssignmentRow.seed,
            AssignmentRow.revoked_at,
            AccountRow.disabled_at,
            MemberRow.role,
            CampaignRow.id,
            CampaignRow.archived_at,
            # As text: each is read once for all requests, and not at each.
            cast(CampaignRow.scale, Text),
            cast(CampaignRow.desk_rules, Text),
            CampaignRow.instructions,
            PoolRow.id,
            PoolRow.created_at,
            PoolRow.closed_at,
            PoolRow.per_pair,
            PoolRow.pairs,
            # A recipe lists all runs: only what is asked of it is read.
            PoolRow.recipe["adaptive"].as_boolean(),
            PoolRow.recipe[REMOVED],
            *more,
        )
        .select_from(AssignmentRow)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .join(AccountRow, AccountRow.id == AssessorRow.account_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(CampaignRow, CampaignRow.id == AssessorRow.campaign_id)
        .outerjoin(
            MemberRow,
            (MemberRow.campaign_id == AssessorRow.campaign_id)
            & (MemberRow.account_id == AssessorRow.account_id)
            & (MemberRow.role == Role.ASSESSOR),
        )
        .where(
            AssignmentRow.id == bindparam("assignment_id"), AssessorRow.account_id == bindparam("account_id")
        )
    )


@lru_cache(maxsize=256)
def _grades(scale: str) -> frozenset[int]:
    return frozenset(grade.value for grade in scale_from_json(json.loads(scale)).grades)


@lru_cache(maxsize=256)
def _has_checks(desk_rules: str) -> bool:
    return CHECKS_RULE in json.loads(desk_rules)


_STANDING = PreparedStatement.of(standings())
