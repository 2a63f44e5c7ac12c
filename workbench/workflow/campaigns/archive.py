"""Campaigns at their end: archived and restored, duplicated, and deleted with all that they contain.

An archived campaign is refused at the two doors, where it is looked up: every page that changes something
  in `web.access`, every command in `campaign_by_slug`. Only answers of a judging desk come by another way;
  `Task.closed` treats an archived campaign as a closed pool, so they are kept for the organiser.

Decisions, on deleting in short transactions, so that nobody who saves waits:

- The first transaction hides the campaign: it has a slug that no campaign can have, no members and no open
  invitations, and it is archived. From then on it cannot be shown and takes no answers.
- Its rows are deleted in portions, rows before those that they refer to, and none without the rows that
  belong to the campaign through it. The campaign's own row comes last: an interrupted deletion can be
  completed.
- `finish_deletions` completes what was interrupted: at the start of a server and with every deletion.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from sqlalchemy import Column, ColumnElement, Table, case, delete, func, literal_column, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound, rejected
from workbench.frozen import frozen_dataclass
from workbench.storage import locks
from workbench.storage.engine import Database
from workbench.storage.tables import (
    AssessorRow,
    Base,
    CampaignRow,
    DocumentRow,
    InvitationRow,
    JudgmentEventRow,
    MemberRow,
    PoolRow,
    ReleaseRow,
    RunRow,
    TopicRow,
)
from workbench.workflow.campaigns.campaigns import DELETED, Campaign, create_campaign, scale_from_json
from workbench.workflow.clock import utc_now

# Rules of desks that name assignments (who need not train), which another campaign does not have.
OF_ASSIGNMENTS = frozenset({"let_through"})


@frozen_dataclass
class CampaignContents:
    """How much of each kind a campaign contains, which is lost when it is deleted.

    Of the releases `public` ones have an address that works without an account.
    """

    topics: int
    documents: int
    runs: int
    pools: int
    judgments: int
    assessors: int
    members: int
    releases: int
    public: int


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
        releases=count(ReleaseRow),
        public=count(ReleaseRow, case((ReleaseRow.public_at.is_not(None), ReleaseRow.id))),
    )


def locked_campaign(db: Session, campaign_id: int) -> CampaignRow:
    """The row of a campaign, which nobody else changes meanwhile; raises NotFound, also for a deleted one."""
    locks.change(db, campaign_id)
    row = db.get(CampaignRow, campaign_id, populate_existing=True, with_for_update=True)
    if row is None or row.slug.startswith(DELETED):
        raise NotFound("there is no such campaign", remedy="see the list of your campaigns")
    return row


FIRST_PORTION = 20
"""Rows in the first transaction of a table: some, such as runs, have megabytes."""
MOST_ROWS = 2_000
SECONDS = 0.02
"""How long one transaction should take; portions grow and shrink accordingly."""
PAUSE = 1
"""Between two portions the database is left to others, for so many times as long as one takes."""
LONGEST_SLUG = 80
PLACES = {"sqlite": "rowid", "postgresql": "ctid"}

CAMPAIGN: Table = Base.metadata.tables[CampaignRow.__tablename__]


def delete_campaign(database: Database, campaign_id: int, *, typed_name: str) -> None:
    """Delete a campaign with everything in it, archived or not; accounts stay.

    Raises InvalidInput unless `typed_name` is its name, NotFound if it was deleted meanwhile.
    """
    with database.writing() as db:
        _hide(db, campaign_id, typed_name)
    finish_deletions(database)


def finish_deletions(database: Database) -> tuple[str, ...]:
    """Complete every deletion that was begun; returns the former slugs of these campaigns."""
    with database.reading() as db:
        begun = db.execute(
            select(CampaignRow.id, CampaignRow.slug).where(CampaignRow.slug.startswith(DELETED))
        ).all()
    for campaign_id, _ in begun:
        for table in _tables():
            delete_in_portions(database, partial(_delete_some, table, campaign_id))
        with database.deleting() as db:
            # What somebody wrote in the meantime, and then nobody can any more.
            db.execute(select(CampaignRow.id).where(CampaignRow.id == campaign_id).with_for_update())
            for table in _tables():
                _delete_some(table, campaign_id, db)
            db.execute(delete(CampaignRow).where(CampaignRow.id == campaign_id))
    return tuple(former for _, slug in begun if (former := slug.split(DELETED, 2)[2]))


def _hide(db: Session, campaign_id: int, typed_name: str) -> None:
    row = locked_campaign(db, campaign_id)
    if _plain(typed_name) != _plain(row.name):
        message = "this is not the name of the campaign"
        raise rejected("Name", None, "name", message, f"type: {_plain(row.name)}")
    row.slug = f"{DELETED}{row.id}{DELETED}{row.slug}"[:LONGEST_SLUG]
    row.archived_at = row.archived_at or utc_now()
    for table in (MemberRow, InvitationRow):
        db.execute(delete(table).where(table.campaign_id == campaign_id))
    db.flush()


def delete_in_portions(database: Database, delete_some: Callable[[Session, int], int]) -> None:
    """Delete rows in short transactions, until fewer are there than asked for; then another has to be synced.

    `delete_some` is given how many at most, and gives how many it has deleted.
    """
    number = FIRST_PORTION
    while True:
        begun = time.monotonic()
        with database.deleting() as db:
            deleted = delete_some(db, number)
        seconds = time.monotonic() - begun
        if deleted < number:
            return
        number = min(MOST_ROWS, 2 * number) if seconds < SECONDS else max(1, number // 2)
        time.sleep(PAUSE * seconds)


def _delete_some(table: Table, campaign_id: int, db: Session, number: int | None = None) -> int:
    """Delete so many rows of a campaign from a table, all without a number; returns how many there were."""
    if not _dependants(table):
        # By the place of the row: by a key of several columns SQLite would look through the table each time.
        place: ColumnElement[Any] = literal_column(PLACES[db.get_bind().dialect.name])
        some = select(place).select_from(table).where(_inside(table, campaign_id)).limit(number)
        return db.connection().execute(delete(table).where(place.in_(some))).rowcount
    (key,) = table.primary_key
    keys = db.scalars(select(key).where(_inside(table, campaign_id)).limit(number)).all()
    for column in _dependants(table):  # which came in the meantime
        db.execute(delete(column.table).where(column.in_(keys)))
    db.execute(delete(table).where(key.in_(keys)))
    return len(keys)


@cache
def _tables() -> tuple[Table, ...]:
    """The tables whose rows belong to campaigns, each before those that it refers to."""
    return tuple(
        table
        for table in reversed(Base.metadata.sorted_tables)
        if table is not CAMPAIGN and _owner(table) is not None
    )


@cache
def _owner(table: Table) -> Column[Any] | None:
    """The column by which rows of a table belong to a campaign: their own, or that of the row that owns them.

    An owner is what a row cannot do without, so optional references are followed by nobody. None for tables
    whose rows belong to no campaign.
    """
    # The trail names campaigns without referring to them: its entries stay.
    if "campaign_id" in table.c and table.c.campaign_id.foreign_keys:
        return table.c.campaign_id
    for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
        if not key.parent.nullable and _owner(key.column.table) is not None:
            return key.parent
    return None


def _inside(table: Table, campaign_id: int) -> ColumnElement[bool]:
    """Which rows of a table belong to a campaign."""
    column = _owner(table)
    if column is None:
        raise ValueError(f"rows of {table.name} belong to no campaign")
    if column.name == "campaign_id":
        return column == campaign_id
    (key,) = column.foreign_keys
    return column.in_(select(key.column).where(_inside(key.column.table, campaign_id)))


@cache
def _dependants(table: Table) -> tuple[Column[Any], ...]:
    """The columns by which rows of other tables belong to a campaign through rows of this one."""
    return tuple(
        column
        for other in _tables()
        if "campaign_id" not in other.c
        and (column := _owner(other)) is not None
        and any(key.column.table is table for key in column.foreign_keys)
    )


def _plain(name: str) -> str:
    return " ".join(name.split())
