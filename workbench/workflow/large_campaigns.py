"""Large campaigns: which are, and what tells that a page of one is to be made anew."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench import __version__
from workbench.errors import Unavailable
from workbench.storage.engine import Database
from workbench.storage.events import newest_events
from workbench.storage.tables import AdjudicationEventRow, CampaignRow, JudgmentEventRow, PoolRow, TrailRow
from workbench.workflow.clock import shared_now
from workbench.workflow.jobs import latest

LARGE = 200_000
"""Pooled pairs of a large campaign: of 20,000, judged five times, no page takes longer than half a second."""
YOUNG = timedelta(minutes=1)
"""A page that was asked for since then is not made anew, whatever has happened."""
UNNOTED_SECONDS = 600
"""What leaves no trace, such as an invitation that expires, is noticed after so long."""


def know_large(database: Database, know: Callable[[Session, int], object]) -> None:
    """Have a process know the judgments and pools of large campaigns, so that nobody waits for a first page.

    `know` is what needs them all.
    """
    pairs = func.sum(PoolRow.pairs) > LARGE
    judged = select(PoolRow.campaign_id).join(CampaignRow).where(CampaignRow.archived_at.is_(None))
    # Whoever asks for a page is told that the database does not respond.
    with suppress(Unavailable), database.reading() as db:
        for campaign_id in db.scalars(judged.group_by(PoolRow.campaign_id).having(pairs)).all():
            know(db, campaign_id)


def is_large(db: Session, campaign_id: int) -> bool:
    """Whether pages with figures of all judgments of a campaign are made by jobs."""
    pairs = select(func.sum(PoolRow.pairs)).where(PoolRow.campaign_id == campaign_id)
    return (db.scalar(pairs) or 0) > LARGE


def state_for_page(db: Session, campaign_id: int, kind: str, arguments: Mapping[str, Any]) -> str:
    """What a job of a kind and arguments depends on now; while one is young, what that depended on."""
    last, now = latest(db, campaign_id, kind, arguments), shared_now(db)
    if last is not None and last.asked_at > now - YOUNG:
        return last.depends_on
    found: list[object] = [__version__, sorted(newest_events(db, campaign_id).items())]
    for row in (AdjudicationEventRow, TrailRow):
        found.append(db.scalar(select(func.max(row.id)).where(row.campaign_id == campaign_id)))
    found.append(int(now.timestamp() // UNNOTED_SECONDS))
    return hashlib.sha256(repr(found).encode()).hexdigest()


def newest_event(db: Session, campaign_id: int) -> int:
    """The number of the newest judgment event of a campaign, 0 where there is none."""
    return max(newest_events(db, campaign_id).values(), default=0)


def judgments_since(db: Session, campaign_id: int, number: int) -> int:
    """How many judgment events a campaign has after the one of this number."""
    event = JudgmentEventRow
    return db.scalar(select(func.count()).where(event.campaign_id == campaign_id, event.id > number)) or 0
