"""Campaigns at their end: archived and restored, and duplicated; `deletion` deletes them.

An archived campaign is refused at the two doors, where it is looked up: every page that changes something
  in `web.access`, every command in `campaign_by_slug`. Only answers of a judging desk come by another way;
  `Task.closed` treats an archived campaign as a closed pool, so they are kept for the organiser.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.storage import locks
from workbench.storage.tables import (
    AssessorRow,
    Base,
    CampaignRow,
    DocumentRow,
    JudgmentEventRow,
    MemberRow,
    PoolRow,
    RunRow,
    TopicRow,
)
from workbench.workflow.campaigns.campaigns import DELETED, Campaign, create_campaign
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.clock import utc_now

# Rules of desks that name assignments (who need not train), which another campaign does not have.
OF_ASSIGNMENTS = frozenset({"let_through"})


@dataclass(frozen=True, slots=True)
class CampaignContents:
    """How much of each kind a campaign contains, which is lost when it is deleted."""

    topics: int
    documents: int
    runs: int
    pools: int
    judgments: int
    assessors: int
    members: int


def archive_campaign(db: Session, campaign_id: int) -> None:
    """Make a campaign read only; raises Conflict if it is archived already, or while judgments come in."""
    row = locked_campaign(db, campaign_id)
    if row.archived_at is not None:
        raise Conflict("this campaign is already archived", remedy="reload the page")
    row.archived_at = utc_now()
    db.flush()


def restore_campaign(db: Session, campaign_id: int) -> None:
    """Make an archived campaign what it was before; raises Conflict if it is not archived."""
    row = locked_campaign(db, campaign_id)
    if row.archived_at is None:
        raise Conflict("this campaign is not archived", remedy="reload the page")
    row.archived_at = None
    db.flush()


def duplicate_campaign(db: Session, campaign_id: int, *, name: str, organiser: int | None) -> Campaign:
    """Create a campaign with the scale, guidelines and rules of another, and nothing else of it.

    Rules are those for runs, the questions, breaks and quality checks of the desk, and those of adjudication.
    Raises as `create_campaign`.
    """
    source = db.get_one(CampaignRow, campaign_id)
    made = create_campaign(
        db,
        name=name,
        scale=scale_from_json(source.scale),
        guidelines=source.guidelines,
        organiser=organiser,
    )
    row = db.get_one(CampaignRow, made.id)
    row.run_rules = dict(source.run_rules)
    row.desk_rules = {k: v for k, v in source.desk_rules.items() if k not in OF_ASSIGNMENTS}
    row.adjudication_rules = dict(source.adjudication_rules)
    db.flush()
    return made


def contents_of(db: Session, campaign_id: int) -> CampaignContents:
    """What a campaign contains; `judgments` are all answers with their history, `members` accounts."""

    def count(table: type[Base], what: Any = None) -> int:
        number = func.count() if what is None else func.count(what.distinct())
        counted = select(number).select_from(table).where(table.__table__.c.campaign_id == campaign_id)
        return db.scalar(counted) or 0

    return CampaignContents(
        topics=count(TopicRow),
        documents=count(DocumentRow),
        runs=count(RunRow, RunRow.tag),
        pools=count(PoolRow),
        judgments=count(JudgmentEventRow),
        assessors=count(AssessorRow),
        members=count(MemberRow, MemberRow.account_id),
    )


def locked_campaign(db: Session, campaign_id: int) -> CampaignRow:
    """The row of a campaign, which nobody else changes meanwhile; raises NotFound, also for a deleted one."""
    locks.change(db, campaign_id)
    row = db.get(CampaignRow, campaign_id, populate_existing=True, with_for_update=True)
    if row is None or row.slug.startswith(DELETED):
        raise NotFound("there is no such campaign", remedy="see the list of your campaigns")
    return row
