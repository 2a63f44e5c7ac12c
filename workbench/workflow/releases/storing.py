"""The bytes of a release, stored while people save: a part in each transaction, shown once all are there.

Until its last transaction a release belongs to no campaign and nobody sees it, so that a process that is
killed leaves nothing half-done.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.storage.engine import Database
from workbench.storage.releases import delete_part, parts_of, store_part
from workbench.storage.tables import ReleaseRow
from workbench.workflow.campaigns.archive import locked_campaign
from workbench.workflow.clock import utc_now

PAUSE = 1
"""Between two parts the database is left to others, for so many times as long as one takes."""
LEFT_AFTER = timedelta(hours=1)
"""A release that has been in the making for so long was left by a process that ended."""


def store_release(database: Database, campaign_id: int, row: ReleaseRow, content: Iterable[bytes]) -> None:
    """Store a new release, whose row names no campaign yet, with its bytes; then show it in this one.

    The size and the hash are counted while the bytes come. Raises Conflict, and leaves nothing, if the
    campaign has a release of this version by then; NotFound if the campaign was deleted; and whatever the
    content raises.
    """
    made_at = row.made_at
    # By this clock, whatever time the release states: what is older than LEFT_AFTER is removed.
    row.made_at = utc_now(None)
    row.sha256, row.size = "", 0
    with database.writing() as db:
        db.add(row)
        db.flush()
        release_id = row.id
    try:
        sha, size = hashlib.sha256(), 0
        for number, part in enumerate(parts_of(content)):
            sha.update(part)
            size += len(part)
            _alone(database, partial(store_part, release_id=release_id, number=number, content=part))
        _show(database, release_id, campaign_id, made_at, (sha.hexdigest(), size))
    except BaseException:
        _remove(database, release_id)
        raise


def remove_leftovers(database: Database, *, older: timedelta = LEFT_AFTER) -> None:
    """Remove releases that a process began to store, and that nobody sees."""
    with database.reading() as db:
        begun = select(ReleaseRow.id).where(
            ReleaseRow.campaign_id.is_(None), ReleaseRow.made_at < utc_now(None) - older
        )
        left = db.scalars(begun).all()
    for release_id in left:
        _remove(database, release_id)


def version_exists(version: str) -> Conflict:
    """What is raised for a version that the campaign has."""
    return Conflict(
        f"there is a release {version} already", remedy="give this one another version: none is ever replaced"
    )


def _show(
    database: Database, release_id: int, campaign_id: int, made_at: datetime, counted: tuple[str, int]
) -> None:
    with database.writing() as db:
        locked_campaign(db, campaign_id)
        row = db.get_one(ReleaseRow, release_id)
        version = row.version  # not to be read any more after a refusal
        row.campaign_id, row.made_at = campaign_id, made_at
        row.sha256, row.size = counted
        try:
            db.flush()
        except IntegrityError:
            raise version_exists(version) from None


def _remove(database: Database, release_id: int) -> None:
    """Remove an unseen release, a part in each transaction."""
    while _alone(database, partial(delete_part, release_id=release_id)):
        pass
    with database.writing() as db:
        db.execute(delete(ReleaseRow).where(ReleaseRow.id == release_id, ReleaseRow.campaign_id.is_(None)))


def _alone(database: Database, act: Callable[[Session], object]) -> object:
    """What `act` gives in a transaction of its own, after which others have their turn."""
    begun = time.monotonic()
    with database.writing() as db:
        done = act(db)
    time.sleep(PAUSE * (time.monotonic() - begun))
    return done
