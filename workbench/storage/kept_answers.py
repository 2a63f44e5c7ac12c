"""What is kept of the current answers of topics: derived from the events up to a mark.

Everything that is kept of a campaign holds the events up to its mark, the highest of its rows. Whoever
brings it further writes the topics that have events since with the old mark, and the last with the new one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from workbench.storage.events import newest_events
from workbench.storage.tables import KeptAnswersRow

UNSETTLED = 1000
"""Below the newest event so many may still appear where several write at once."""
_LOCK = 16_012
"""Of PostgreSQL's advisory locks those of this number, by campaign, are held by who writes here."""


@dataclass(frozen=True, slots=True)
class KeptAnswers:
    """The packed answers by topic, of all events up to `mark`; of a campaign that has none kept it is 0."""

    mark: int
    topics: Mapping[str, bytes]


def kept_answers(db: Session, campaign_id: int) -> KeptAnswers:
    """All that is kept of a campaign."""
    row = KeptAnswersRow
    rows = (
        db.connection()
        .execute(select(row.topic, row.mark, row.content).where(row.campaign_id == campaign_id))
        .all()
    )
    return KeptAnswers(
        max((mark for _, mark, _ in rows), default=0), {topic: content for topic, _, content in rows}
    )


def kept_mark(db: Session, campaign_id: int) -> int:
    """The event up to which all are in what is kept of a campaign; 0 where nothing is kept."""
    highest = select(func.max(KeptAnswersRow.mark)).where(KeptAnswersRow.campaign_id == campaign_id)
    return db.scalar(highest) or 0


def settled_event(db: Session, campaign_id: int) -> int:
    """An event up to which this transaction sees all of a campaign, 0 where it cannot tell.

    PostgreSQL gives numbers out before events can be seen. Only where nobody was writing as the transaction
    began can none be missing, but for those that were about to begin.
    """
    last = max(newest_events(db, campaign_id).values(), default=0)
    if db.get_bind().dialect.name == "sqlite":
        return last
    quiet = db.scalar(text("select pg_snapshot_xmin(s) = pg_snapshot_xmax(s) from pg_current_snapshot() s"))
    return max(0, last - UNSETTLED) if quiet else 0


def keep_answers(db: Session, campaign_id: int, kept: KeptAnswers, *, since: int) -> bool:
    """Keep the answers of some topics; False, and nothing is kept, where the mark is no longer `since`."""
    several = db.get_bind().dialect.name != "sqlite"
    if several and not db.scalar(select(func.pg_try_advisory_xact_lock(_LOCK, campaign_id))):
        return False
    if kept_mark(db, campaign_id) != since:
        return False
    # In one order, so that two who keep the same ones wait for each other and not both.
    rows = [
        {"campaign_id": campaign_id, "topic": topic, "mark": kept.mark, "content": content}
        for topic, content in sorted(kept.topics.items())
    ]
    insert = postgresql.insert if several else sqlite.insert
    statement = insert(KeptAnswersRow)
    changed = {name: statement.excluded[name] for name in ("mark", "content")}
    keys = ["campaign_id", "topic"]
    db.connection().execute(statement.on_conflict_do_update(index_elements=keys, set_=changed), rows)
    return True
