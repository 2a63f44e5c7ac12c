"""The campaigns of one person, each with how far it has come and what is left for them to do."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import CampaignRow, MemberRow
from workbench.workflow.judging.assignments import left_to_judge
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.people.groups import own_run_count
from workbench.workflow.people.roles import Role
from workbench.workflow.pools.judged_pairs import judged_pairs, pooled_pairs


@dataclass(frozen=True, slots=True)
class CampaignCard:
    """A campaign in somebody's list; `mine_left` counts their own pairs without an answer.

    `own_runs` are those of a participant's groups, None for anybody else; who only sends runs or only judges
    is told nothing of how far colleagues have come.
    """

    slug: str
    name: str
    illustrative: bool
    roles: frozenset[Role]
    pairs: int
    judged: int
    mine_left: int
    own_runs: int | None

    @property
    def shows_judging(self) -> bool:
        """Whether this person may know how far judging has come."""
        return not _sees_own_only(self.roles)


def campaigns_of(db: Session, account_id: int) -> tuple[CampaignCard, ...]:
    """The campaigns in which an account has a role, by name."""
    rows = db.scalars(
        select(CampaignRow)
        .where(CampaignRow.id.in_(select(MemberRow.campaign_id).where(MemberRow.account_id == account_id)))
        .order_by(CampaignRow.name)
    )
    return tuple(_card(db, row, account_id) for row in rows)


def _card(db: Session, row: CampaignRow, account_id: int) -> CampaignCard:
    roles = effective_roles(db, row.id, account_id)
    blind = _sees_own_only(roles)
    return CampaignCard(
        slug=row.slug,
        name=row.name,
        illustrative=row.illustrative,
        roles=roles,
        pairs=0 if blind else pooled_pairs(db, row.id),
        judged=0 if blind else judged_pairs(db, row.id),
        mine_left=left_to_judge(db, row.id, account_id),
        own_runs=own_run_count(db, row.id, account_id) if Role.PARTICIPANT in roles else None,
    )


def _sees_own_only(roles: frozenset[Role]) -> bool:
    """Whether these roles open nothing but one's own part of a campaign."""
    return roles <= {Role.PARTICIPANT, Role.ASSESSOR}
