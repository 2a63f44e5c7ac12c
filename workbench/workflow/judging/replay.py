"""Replaying an adaptive pool: every choice made again from the runs, the recipe and the events alone."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict
from workbench.pooling.adaptive.events import Happening
from workbench.pooling.adaptive.live import Adaptive
from workbench.storage.tables import PoolEntryRow, PoolRow, RunRow
from workbench.workflow.pools.adaptive_pools import (
    PoolEventLine,
    adaptive_pool_row,
    before_anything,
    pool_events,
)


@dataclass(frozen=True, slots=True)
class Replayed:
    """An event that was gone through again; `differs` says how it is not what comes out, None if it is."""

    event: PoolEventLine
    differs: str | None


@dataclass(frozen=True, slots=True)
class Replay:
    """A pool gone through again: its events, and what else is not as it comes out."""

    pool: str
    events: tuple[Replayed, ...]
    elsewhere: tuple[str, ...]

    @property
    def differences(self) -> tuple[str, ...]:
        """All that is not as it comes out, in words; empty where everything is."""
        in_events = (
            f"topic {one.event.topic}, event {one.event.number}: {one.differs}"
            for one in self.events
            if one.differs
        )
        return (*in_events, *self.elsewhere)


def replay_pool(db: Session, campaign_id: int, name: str) -> Replay:
    """Make every choice of an adaptive pool again, and compare.

    The runs are read again and their hashes checked. Raises NotFound, WorkbenchError where the pool is not
    adaptive, Conflict where a run is not what it was.
    """
    pool = adaptive_pool_row(db, campaign_id, name)
    _check_hashes(db, pool)
    base = before_anything(db, pool)
    lines: list[Replayed] = []
    elsewhere: list[str] = []
    by_topic: dict[str, list[PoolEventLine]] = {}
    for line in pool_events(db, campaign_id, name):
        by_topic.setdefault(line.topic, []).append(line)
    for topic, events in by_topic.items():
        live = base.afresh(topic)
        lines.extend(_gone_through(live, events))
        elsewhere.extend(_entries_differ(db, pool, topic, live))
    return Replay(pool.name, tuple(lines), tuple(elsewhere))


def _gone_through(live: Adaptive, events: list[PoolEventLine]) -> list[Replayed]:
    return [Replayed(event, _differs(live, place, event)) for place, event in enumerate(events, start=1)]


def _differs(live: Adaptive, place: int, line: PoolEventLine) -> str | None:
    if line.number != place:
        return f"it should have number {place}"
    happening = Happening(line.happening)
    coming = live.coming(line.topic) if happening is Happening.HANDED_OUT else line.docno
    try:
        live.record(line.event)
    except Conflict as error:
        return str(error)
    return None if coming == line.docno else f"not {line.docno} but {coming or 'nothing'} comes next"


def _entries_differ(db: Session, pool: PoolRow, topic: str, live: Adaptive) -> list[str]:
    kept = {
        docno: [tuple(each) for each in brought]
        for docno, brought in db.execute(
            select(PoolEntryRow.docno, PoolEntryRow.brought_by).where(
                PoolEntryRow.pool_id == pool.id, PoolEntryRow.topic == topic, PoolEntryRow.run_count > 0
            )
        )
    }
    made = {
        entry.docno: [(each.tag, each.rank) for each in entry.contributions] for entry in live.pool().entries
    }
    wrong = sorted(docno for docno in kept.keys() | made.keys() if kept.get(docno) != made.get(docno))
    return [f"topic {topic}: the entry of {docno} is not what its events say" for docno in wrong]


def _check_hashes(db: Session, pool: PoolRow) -> None:
    for run in pool.recipe["runs"]:
        rows = select(RunRow).where(RunRow.campaign_id == pool.campaign_id, RunRow.sha256 == run["sha256"])
        for row in db.scalars(rows.where(RunRow.tag == run["tag"])):
            if hashlib.sha256(gzip.decompress(row.content_gzip)).hexdigest() != row.sha256:
                raise Conflict(f"what is kept of run {row.tag} does not have its hash any more")
            db.expunge(row)  # so that one run after the other is in memory
