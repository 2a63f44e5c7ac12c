"""The pools of a campaign as a release has them: recipes without names, pairs, what a sample left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.records import id_bytes, sorted_pairs
from workbench.releases.contents import (
    Included,
    ReleasedAssessor,
    ReleasedEntry,
    ReleasedEvent,
    ReleasedPool,
    UndrawnPair,
)
from workbench.releases.record_form import SharedValues, from_object
from workbench.storage.tables import PoolEntryRow, PoolEventRow, PoolRow
from workbench.workflow.pools.pool_rows import REMOVED
from workbench.workflow.pools.samples import undrawn_pairs


def released_pools(
    db: Session,
    campaign_id: int,
    origin: Mapping[str, object],
    included: frozenset[Included],
    history: PoolHistory,
) -> tuple[ReleasedPool, ...]:
    """The opened pools, by name; `origin` is what the release says that the campaign was imported from."""
    rows = db.scalars(
        select(PoolRow).where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    ).all()
    undrawn = origin.get("undrawn", {})
    before = undrawn if isinstance(undrawn, Mapping) else {}
    return tuple(
        _pool(db, row, before.get(row.name), included, history)
        for row in sorted(rows, key=lambda row: id_bytes(row.name))
    )


def _pool(
    db: Session, row: PoolRow, undrawn: object, included: frozenset[Included], history: PoolHistory
) -> ReleasedPool:
    entry, shared = PoolEntryRow, history.shared
    rows = db.scalars(select(entry).where(entry.pool_id == row.id).execution_options(yield_per=2_000))
    entries = sorted(
        (_entry(one, included, shared) for one in rows),
        key=lambda one: (shared(id_bytes(one.topic)), shared(id_bytes(one.docno))),
    )
    left = tuple(from_object(UndrawnPair, one) for one in undrawn) if isinstance(undrawn, list) else None
    return ReleasedPool(
        name=row.name,
        # What people removed by hand names them.
        recipe={key: value for key, value in row.recipe.items() if key != REMOVED},
        largest_possible=row.largest_possible,
        created_at=row.created_at,
        opened_at=row.opened_at or row.created_at,
        per_pair=row.per_pair,
        entries=tuple(entries),
        undrawn=_undrawn(db, row, entries) if left is None else left,
        events=history.of(db, row.id),
    )


@dataclass(frozen=True, slots=True)
class PoolHistory:
    """What the events of adaptive pools refer to: assessors by id, answers by id with their number."""

    people: Mapping[int, ReleasedAssessor]
    entries: Mapping[int, int]
    shared: SharedValues

    def _pseudonym(self, assessor_id: int | None) -> str:
        known = None if assessor_id is None else self.people.get(assessor_id)
        return known.pseudonym if known else ""

    def of(self, db: Session, pool_id: int) -> tuple[ReleasedEvent, ...]:
        """The events of a pool, by topic (bytes) and number."""
        rows = db.scalars(
            select(PoolEventRow).where(PoolEventRow.pool_id == pool_id).execution_options(yield_per=2_000)
        )
        found = (
            ReleasedEvent(
                topic=row.topic,
                number=row.number,
                happening=row.happening,
                docno=row.docno,
                at=row.at,
                assessor=self._pseudonym(row.assessor_id),
                relevant=row.relevant,
                entry=self.entries.get(row.judgment_event_id or 0, 0),
                origin=row.origin or "",
                round=row.round,
                rank=row.rank,
                score=row.score,
            )
            for row in rows
        )
        return tuple(sorted(found, key=lambda one: (id_bytes(one.topic), one.number)))


def _entry(row: PoolEntryRow, included: frozenset[Included], shared: SharedValues) -> ReleasedEntry:
    with_runs = Included.RUNS in included
    brought = sorted((str(tag), int(rank)) for tag, rank in row.brought_by) if with_runs else []
    return ReleasedEntry(
        topic=shared(row.topic),
        docno=shared(row.docno),
        runs=row.run_count,
        best_rank=row.best_rank,
        weight=row.weight,
        inclusion=row.inclusion,
        stratum=row.stratum,
        added_at=row.added_at,
        reason=(row.reason or "") if Included.COMMENTS in included else "",
        brought_by=tuple(map(shared, brought)),
    )


def _undrawn(db: Session, row: PoolRow, entries: Sequence[ReleasedEntry]) -> tuple[UndrawnPair, ...]:
    """What a sampling strategy left; where a run is gone, what was drawn has its probability all the same."""
    drawn = {(one.topic, one.docno) for one in entries}
    sampled = any(one.inclusion is not None for one in entries)
    strata = undrawn_pairs(db, row.campaign_id, row.recipe, drawn if sampled else ()) or {}
    return tuple(UndrawnPair(*pair, strata[pair]) for pair in sorted_pairs(strata))
