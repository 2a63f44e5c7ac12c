"""Campaigns that arrive from a release: written unseen in portions, then shown at once.

Decisions:

- Until it is complete a campaign is hidden as one that is being deleted is: it has a slug that no campaign
  can have, no members and no invitations, and it is archived.
- One transaction at the end gives it its slug and members. What fails before is deleted in portions.
- The slug says when a portion was written last. What a killed process left is deleted by `remove_leftovers`;
  a process that finds its campaign deleted stops.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Unavailable, WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow
from workbench.workflow.campaigns.campaigns import ARRIVING, DELETED, require_free, slug_conflict
from workbench.workflow.campaigns.deletion import finish_deletions
from workbench.workflow.clock import utc_now

FIRST_PORTION = 20
"""Rows in the first transaction of a table: some, such as runs, have megabytes."""
MOST_ROWS = 500
SECONDS = 0.02
"""How long one transaction should take; portions grow and shrink accordingly."""
PAUSE = 1
"""After a portion the database is left to others, for so many times as long as it took."""
LEFT_AFTER = timedelta(hours=12)
"""A campaign of which nothing has come for so long was left by a process that ended."""


@dataclass(slots=True)
class Arrival:
    """A hidden campaign that is being written, the next time with so many `rows` at most."""

    database: Database
    campaign_id: int
    rows: int = FIRST_PORTION

    @contextmanager
    def portion(self) -> Iterator[Session]:
        """A transaction that writes some of the campaign, after which others have their turn.

        Raises WorkbenchError if the campaign was deleted meanwhile.
        """
        begun = time.monotonic()
        # Nobody counts on it before the last transaction, which waits for the disk.
        with self.database.writing(synced=False) as db:
            self._change(db, slug=self._slug())
            yield db
        seconds = time.monotonic() - begun
        if seconds > SECONDS:
            self.rows = max(1, self.rows // 2)
        elif seconds < SECONDS / 2:
            self.rows = min(MOST_ROWS, 2 * self.rows)
        time.sleep(PAUSE * seconds)

    def hide(self, db: Session) -> None:
        """Have nobody see the campaign that was made in this transaction."""
        row = CampaignRow
        hidden = update(row).where(row.id == self.campaign_id)
        db.connection().execute(hidden.values(slug=self._slug(), archived_at=utc_now(None)))
        db.expire_all()

    def show(self, db: Session, slug: str) -> None:
        """Have the campaign be there after this transaction.

        Raises Conflict for a slug that is taken; the transaction goes on, and may show it under another.
        """
        require_free(db, slug)
        try:
            with db.begin_nested():
                self._change(db, slug=slug, archived_at=None)
        except IntegrityError:
            # PostgreSQL waits for whoever is about to take it.
            raise slug_conflict(slug) from None

    def _change(self, db: Session, **values: object) -> None:
        row = CampaignRow
        hidden = update(row).where(row.id == self.campaign_id, row.slug.startswith(self._prefix))
        # By the connection: the trail has the command as such.
        if db.connection().execute(hidden.values(values)).rowcount:
            return
        raise WorkbenchError("the campaign was deleted before it was complete", remedy="start again")

    @property
    def _prefix(self) -> str:
        return f"{ARRIVING}{self.campaign_id}{DELETED}"

    def _slug(self) -> str:
        return f"{self._prefix}{int(utc_now(None).timestamp())}"

    def abandon(self) -> None:
        """Delete the campaign, unless it is complete."""
        _abandon(self.database, self.campaign_id, CampaignRow.slug.startswith(self._prefix))


@contextmanager
def arriving(database: Database, make: Callable[[Session], int]) -> Iterator[Arrival]:
    """Have a campaign written in portions, hidden; `make` writes its row.

    If it is not shown at the end, nothing of it is kept.
    """
    remove_leftovers(database)
    with database.writing() as db:
        arrival = Arrival(database, make(db))
        arrival.hide(db)
    try:
        yield arrival
    except BaseException:
        with suppress(Unavailable):
            arrival.abandon()
        raise


def remove_leftovers(database: Database, *, older: timedelta = LEFT_AFTER) -> None:
    """Delete the campaigns that a process began to write and left."""
    with database.reading() as db:
        found = db.execute(
            select(CampaignRow.id, CampaignRow.slug).where(CampaignRow.slug.startswith(ARRIVING))
        ).all()
    for campaign_id, slug in found:
        written = datetime.fromtimestamp(int(slug.rpartition(DELETED)[2]), UTC)
        if written <= utc_now(None) - older:
            _abandon(database, campaign_id, CampaignRow.slug == slug)


def _abandon(database: Database, campaign_id: int, incomplete: ColumnElement[bool]) -> None:
    """Delete a campaign that is not complete, if its slug still says so."""
    with database.writing() as db:
        hidden = update(CampaignRow).where(CampaignRow.id == campaign_id, incomplete)
        # For the next `finish_deletions`.
        hiding = hidden.values(slug=f"{DELETED}{campaign_id}{DELETED}")
        if not db.connection().execute(hiding).rowcount:
            return
    finish_deletions(database)
