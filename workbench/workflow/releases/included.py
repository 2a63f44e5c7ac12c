"""What a release includes beside its judgments: pools with their history, agreement, runs and originals."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.estimates import Estimate, coefficients_of
from workbench.agreement.options import AgreementOptions
from workbench.agreement.ratings import Answers, Assessor
from workbench.agreement.selection import select_ratings
from workbench.errors import Conflict, NotFound
from workbench.frozen import frozen_dataclass, record_of
from workbench.records import Scale, id_bytes, sorted_pairs
from workbench.releases.archive import UnreadFile
from workbench.releases.contents import (
    Included,
    ReleasedAssessor,
    ReleasedEntry,
    ReleasedEstimate,
    ReleasedEvent,
    ReleasedPool,
    UndrawnPair,
)
from workbench.releases.files import original_path, run_path
from workbench.releases.record_form import SharedValues, from_object
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database
from workbench.storage.run_files import plain_check, plain_file_apart
from workbench.storage.tables import PoolEntryRow, PoolEventRow, PoolRow
from workbench.workflow.agreement.selection import independent_answers
from workbench.workflow.campaigns.originals import original_bytes, originals_of
from workbench.workflow.people.membership import assessor_names
from workbench.workflow.pools.pool_rows import REMOVED
from workbench.workflow.pools.samples import undrawn_pairs
from workbench.workflow.runs.run_records import CampaignRun, runs_of

PLACES = 6
"""Of released coefficients: further digits depend on the order of additions, and so on the machine."""


def released_agreement(
    db: Session, campaign_id: int, people: Mapping[int, ReleasedAssessor], scale: Scale
) -> tuple[ReleasedEstimate, ...]:
    """Every coefficient, relevant or not, with the assessors in the order of their pseudonyms.

    Raises WorkbenchError where fewer than two people gave grades.
    """
    answers = independent_answers(db, campaign_id)
    ids = {name: number for number, name in assessor_names(db, campaign_id).items()}
    row_of = {ids[one.name]: at for at, one in enumerate(answers.assessors)}
    released = Answers(
        tuple(Assessor(one.pseudonym, one.machine) for one in people.values()),
        answers.grades[np.array([row_of[number] for number in people], dtype=np.int64)],
        answers.pairs,
        answers.topics,
        answers.topic_names,
    )
    options = AgreementOptions(relevant_from=scale.relevant_from)
    grades = sorted((grade.value for grade in scale.grades), reverse=True)
    return tuple(map(_estimate, coefficients_of(select_ratings(released, grades, options), options)[1]))


def _estimate(one: Estimate) -> ReleasedEstimate:
    interval = one.interval
    return ReleasedEstimate(
        name=one.name,
        label=one.label,
        value=_rounded(one.value),
        n=one.found.n,
        low=_rounded(interval.low) if interval else None,
        high=_rounded(interval.high) if interval else None,
        level=interval.level if interval else None,
        method=interval.method if interval else "",
        undefined=one.found.undefined,
    )


def _rounded(value: float | None) -> float | None:
    # Adding 0 makes the one zero of the other, which is written otherwise.
    return None if value is None else round(float(value), PLACES) + 0.0


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
    return record_of(
        ReleasedPool,
        row,
        # What people removed by hand names them.
        recipe={key: value for key, value in row.recipe.items() if key != REMOVED},
        opened_at=row.opened_at or row.created_at,
        entries=tuple(entries),
        undrawn=_undrawn(db, row, entries) if left is None else left,
        events=history.of(db, row.id),
    )


@frozen_dataclass
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
            record_of(
                ReleasedEvent,
                row,
                assessor=self._pseudonym(row.assessor_id),
                entry=self.entries.get(row.judgment_event_id or 0, 0),
                origin=row.origin or "",
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


def included_runs(db: Session, database: Database, campaign_id: int) -> dict[str, UnreadFile]:
    """The file of every current run by its path in a release, each read in transactions of its own.

    What a run's row holds never changes, so that it need not be read from the snapshot of `db`.
    """
    found = {}
    for run in runs_of(db, campaign_id):
        crc, size = plain_check(db, run.id)
        found[run_path(run.sha256)] = UnreadFile(size, crc, run.sha256, partial(_parts, database, run))
    return found


def _parts(database: Database, run: CampaignRun) -> Iterator[bytes]:
    """The plain file of a run; raises Conflict where it is not what was added, or was removed meanwhile."""
    sha = hashlib.sha256()
    try:
        for part in plain_file_apart(database.reading, run.id):
            sha.update(part)
            yield part
    except (EOFError, zlib.error):
        sha = hashlib.sha256()
    if sha.hexdigest() != run.sha256:
        raise Conflict(
            f"the file of run {run.tag!r} cannot be read as it was added: the run was removed "
            "meanwhile, or the file is damaged",
            remedy="make the release again; if this happens again, the administrator must check the database",
        )


def included_originals(
    db: Session, database: Database, campaign_id: int, docnos: Iterable[str]
) -> dict[str, UnreadFile]:
    """The originals of some documents by their paths in a release; those whose bytes are kept.

    Each is read here for its checksum, and once more, in a transaction of its own, as it is written.
    """
    found: dict[str, UnreadFile] = {}
    for some in chunks(sorted(docnos)):
        for docno, original in originals_of(db, campaign_id, some).items():
            path = original_path(original.sha256)
            if path not in found:
                content = original_bytes(db, campaign_id, docno).content
                parts = partial(_original_parts, database, campaign_id, docno, original.sha256)
                found[path] = UnreadFile(len(content), zlib.crc32(content), original.sha256, parts)
    return found


def _original_parts(database: Database, campaign_id: int, docno: str, sha256: str) -> Iterator[bytes]:
    """The bytes of an original; raises Conflict where the document was replaced or removed meanwhile."""
    content = b""
    try:
        with database.reading() as db:
            content = original_bytes(db, campaign_id, docno).content
    except NotFound:
        sha256 = ""
    if hashlib.sha256(content).hexdigest() != sha256:
        raise Conflict(
            f"document {docno!r} was replaced or removed while the release was made",
            remedy="make the release again",
        )
    yield content
