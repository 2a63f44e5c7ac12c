"""The campaigns of a person, each with what this person is to do there next."""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.frozen import frozen_dataclass
from workbench.storage.tables import CampaignRow, MemberRow
from workbench.workflow.adjudication.discussions import discussions
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.queue_table import dispute_counts
from workbench.workflow.judging.assigned_work import own_share
from workbench.workflow.judging.preference_tasks import left_to_compare
from workbench.workflow.judging.worklists import effective_roles
from workbench.workflow.overview.progress import graded_count
from workbench.workflow.overview.readiness import Readiness, readiness
from workbench.workflow.people.groups import own_run_count, participant
from workbench.workflow.people.membership import Role
from workbench.workflow.pools.pooled_topics import pooled_pairs
from workbench.workflow.runs.uploads import waiting_batches


class TaskKind(StrEnum):
    """What somebody is to do in a campaign."""

    JUDGE = "judge"
    WAIT = "wait"
    DISCUSS = "discuss"
    COMPARE = "compare"
    DECIDE = "decide"
    SUBMIT = "submit"
    SEND = "send"
    READ = "read"


@frozen_dataclass
class OwnTask:
    """Something that waits for one person, and how much of it there is; of `SEND` there is one."""

    kind: TaskKind
    count: int


@frozen_dataclass
class CampaignCard:
    """A campaign in a person's list with the `tasks` of this person; `ready` is what an organiser sees.

    `own_runs` counts the runs of a participant's groups, None for other roles. People who only submit runs or
    only judge do not learn about the progress of others. In an archived campaign nothing is left to do.
    """

    slug: str
    name: str
    illustrative: bool
    roles: frozenset[Role]
    pairs: int
    judged: int
    tasks: tuple[OwnTask, ...]
    own_runs: int | None
    ready: Readiness | None
    archived: bool = False

    @property
    def shows_judging(self) -> bool:
        """Whether this person may see the progress of judging."""
        return not _sees_own_only(self.roles)


def campaigns_of(db: Session, account_id: int) -> tuple[CampaignCard, ...]:
    """The campaigns in which an account has a role, by name."""
    rows = db.scalars(
        select(CampaignRow)
        .where(CampaignRow.id.in_(select(MemberRow.campaign_id).where(MemberRow.account_id == account_id)))
        .order_by(CampaignRow.name)
    )
    return tuple(_card(db, row, account_id) for row in rows)


def own_tasks(db: Session, campaign_id: int, account_id: int, roles: frozenset[Role]) -> tuple[OwnTask, ...]:
    """What waits for an account in these roles, most urgent first."""
    counts: dict[TaskKind, int] = {}
    if Role.ASSESSOR in roles:
        waiting = discussions(db, campaign_id, account_id)
        share = own_share(db, campaign_id, account_id)
        counts[TaskKind.JUDGE] = share.now
        counts[TaskKind.WAIT] = 0 if share.now else share.may_come
        counts[TaskKind.DISCUSS] = sum(not line.answered for line in waiting)
        counts[TaskKind.COMPARE] = left_to_compare(db, campaign_id, account_id)
    if Role.ADJUDICATOR in roles:
        counts[TaskKind.DECIDE] = dispute_counts(db, campaign_id).get(State.OPEN, 0)
    if Role.PARTICIPANT in roles:
        batches = waiting_batches(db, campaign_id, participant(db, campaign_id, account_id))
        counts[TaskKind.SUBMIT] = sum(batch.files for batch in batches)
        if not counts[TaskKind.SUBMIT] and not own_run_count(db, campaign_id, account_id):
            counts[TaskKind.SEND] = 1
    if roles == {Role.VIEWER}:
        counts[TaskKind.READ] = graded_count(db, campaign_id)
    return tuple(OwnTask(kind, count) for kind, count in counts.items() if count)


def _card(db: Session, row: CampaignRow, account_id: int) -> CampaignCard:
    roles = effective_roles(db, row.id, account_id)
    if row.archived_at is not None:
        return CampaignCard(row.slug, row.name, row.illustrative, roles, 0, 0, (), None, None, archived=True)
    blind = _sees_own_only(roles)
    return CampaignCard(
        slug=row.slug,
        name=row.name,
        illustrative=row.illustrative,
        roles=roles,
        pairs=0 if blind else pooled_pairs(db, row.id),
        judged=0 if blind else graded_count(db, row.id),
        tasks=own_tasks(db, row.id, account_id, roles),
        own_runs=own_run_count(db, row.id, account_id) if Role.PARTICIPANT in roles else None,
        ready=readiness(db, row.id) if Role.ORGANISER in roles else None,
    )


def _sees_own_only(roles: frozenset[Role]) -> bool:
    """Whether these roles give access to one's own work only."""
    return roles <= {Role.PARTICIPANT, Role.ASSESSOR}
