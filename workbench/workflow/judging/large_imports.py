"""Large imports of judgments, made while people save: stored unseen, accepted at once, recorded in portions.

Decisions:

- Until it is accepted an import belongs to no campaign and nobody sees it: what is refused, or killed before,
  leaves nothing. The transaction that accepts all files makes sure that what they were checked against is
  unchanged, makes the new assessors and records the first portion.
- From then on no judgment of it is refused. Grade values cannot change and names cannot be taken any more,
  and the campaign cannot be archived; if it is deleted, the import ends. Others see how far it is, and
  whatever must not have one half of it is refused (`imports_under_way`).
- A portion is recorded and removed in one transaction: each once, even by several processes. The rest of an
  import whose process was killed is recorded by a server (`resume_stalled`), or by the next import.
- The imports of a campaign come one after the other, since each is compared with what was there before.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlalchemy import delete, exists, insert, select, update
from sqlalchemy.orm import Session

from workbench.errors import Conflict, NotFound
from workbench.records import Answer, Judgment
from workbench.storage import locks
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database, Writing
from workbench.storage.events import DISCUSSION, append_events
from workbench.storage.portable.rows import Progress, no_progress
from workbench.storage.tables import AssessorRow, CampaignRow, ImportPortionRow, JudgmentImportRow
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.imports_under_way import imports_under_way
from workbench.workflow.checks import storable
from workbench.workflow.clock import shared_now
from workbench.workflow.judging.importing import (
    GivenJudgments,
    Imported,
    PreparedFile,
    PreparedImports,
    imported_events,
    is_as_prepared,
    keep_imports,
    lock_for_import,
    make_assessors,
    prepare_imports,
)

PORTION = 250
"""Judgments in a transaction: some milliseconds, for which people who save wait."""
STORED_TOGETHER = 10
"""Portions that are stored in one transaction, before they are recorded."""
PAUSE = 1
"""Between two portions the database is left to others, for so many times as long as one takes."""
TRIES = 20
"""Each fails only because somebody else's import was accepted meanwhile."""
STALLED_AFTER = timedelta(seconds=30)
"""After so long without a portion the process that recorded them has ended."""
LEFT_AFTER = timedelta(hours=12)
"""An import that has been stored for so long and not accepted was left by a process that ended."""


class _Changed(Exception):
    """What the files were checked against has changed: they are prepared anew."""


@dataclass(frozen=True, slots=True)
class _Portion:
    """The next judgments of an import, and their events."""

    campaign_id: int
    import_id: int
    number: int
    events: list[dict[str, Any]]


def import_in_portions(
    database: Database,
    campaign_id: int,
    files: Sequence[GivenJudgments],
    *,
    writing: Writing | None = None,
    progress: Progress = no_progress,
) -> tuple[Imported, ...]:
    """Import all of the files as `importing.import_judgments` does, or none, while others write.

    Few judgments are recorded in one transaction. `writing` opens the transaction that accepts the files.
    Raises as `importing.prepare_imports` does, NotFound where the campaign is deleted meanwhile, and Conflict
    where others import again and again.
    """
    remove_leftovers(database)
    begin = database.writing if writing is None else writing
    for _ in range(TRIES):
        finish_imports(database, campaign_id, progress)
        with database.reading() as db:
            prepared = prepare_imports(db, campaign_id, files)
        try:
            if prepared.events <= PORTION:
                with begin() as db:
                    _check(db, prepared)
                    return keep_imports(db, prepared)
            _accept(database, prepared, begin)
        except _Changed:
            continue
        progress("Importing judgments", PORTION)
        finish_imports(database, campaign_id, progress)
        return tuple(file.imported for file in prepared.files)
    raise Conflict("others imported judgments again and again meanwhile", remedy="import the files again")


def finish_imports(database: Database, campaign_id: int, progress: Progress = no_progress) -> None:
    """Record what is left of the imports that a campaign has accepted.

    Raises NotFound where the campaign was deleted.
    """
    while True:
        with database.reading() as db:
            campaign_of(db, campaign_id)
            portion = _next_portion(db, campaign_id)
        if portion is None:
            return
        begun = time.monotonic()
        with database.writing() as db:
            locks.change(db, campaign_id)
            recorded = _record(db, portion)
        progress("Importing judgments", recorded)
        time.sleep(PAUSE * (time.monotonic() - begun))


def resume_stalled(database: Database, *, after: timedelta = STALLED_AFTER) -> None:
    """Finish the imports of all campaigns whose process seems to have ended.

    Not of archived ones: a copy of the instance elsewhere has the rest of them.
    """
    row, campaign = JudgmentImportRow, CampaignRow
    with database.reading() as db:
        stalled = select(campaign.id).join(row, row.campaign_id == campaign.id)
        old = row.moved_at < shared_now(db) - after
        campaigns = set(db.scalars(stalled.where(campaign.archived_at.is_(None), old)))
    for campaign_id in sorted(campaigns):
        with suppress(NotFound):
            finish_imports(database, campaign_id)


def remove_leftovers(database: Database, *, older: timedelta = LEFT_AFTER) -> None:
    """Remove imports that a process began to store, and that were not accepted."""
    row = JudgmentImportRow
    with database.reading() as db:
        begun = select(row.id).where(row.campaign_id.is_(None), row.begun_at < shared_now(db) - older)
        left = db.scalars(begun).all()
    _remove(database, left)


def _check(db: Session, prepared: PreparedImports) -> None:
    lock_for_import(db, prepared.campaign_id)
    if imports_under_way(db, prepared.campaign_id) or not is_as_prepared(db, prepared):
        raise _Changed


def _accept(database: Database, prepared: PreparedImports, begin: Writing) -> None:
    stored: list[int] = []
    row = JudgmentImportRow
    try:
        for file in prepared.files:
            _store(database, file, stored)
        with begin() as db:
            _check(db, prepared)
            make_assessors(db, prepared)
            shown = {"campaign_id": prepared.campaign_id, "moved_at": shared_now(db)}
            db.execute(update(row).where(row.id.in_(stored)).values(shown))
            # So that the campaign has judgments from now on, with all that follows from it.
            first = _next_portion(db, prepared.campaign_id)
            if first is not None:
                _record(db, first)
    except BaseException:
        _remove(database, stored)
        raise


def _store(database: Database, file: PreparedFile, stored: list[int]) -> None:
    """Store what is new in a file, unseen, and add its number to those that are stored."""
    portions = list(chunks(tuple(file.new), PORTION))
    if not portions:
        return
    with database.writing() as db:
        now = shared_now(db)
        row = JudgmentImportRow(
            source=storable(file.given.source)[:200],
            purpose=file.given.purpose,
            judgments=sum(map(len, portions)),
            begun_at=now,
            moved_at=now,
        )
        db.add(row)
        db.flush()
        stored.append(row.id)
    numbered = list(enumerate(portions))
    for some in chunks(numbered, STORED_TOGETHER):
        values = [
            {
                "import_id": stored[-1],
                "number": number,
                "judgments": len(portion),
                "content": json.dumps(
                    [(j.assessor.strip(), j.topic, j.docno, str(j.answer), j.grade) for j in portion],
                    separators=(",", ":"),
                ),
            }
            for number, portion in some
        ]
        begun = time.monotonic()
        with database.writing() as db:
            db.connection().execute(insert(ImportPortionRow), values)
        time.sleep(PAUSE * (time.monotonic() - begun))


def _next_portion(db: Session, campaign_id: int) -> _Portion | None:
    """What comes next of the imports of a campaign, in the order in which they were accepted."""
    row, portion = JudgmentImportRow, ImportPortionRow
    found = db.execute(
        select(row.id, row.source, row.purpose, portion.number, portion.content)
        .join(portion, portion.import_id == row.id)
        .where(row.campaign_id == campaign_id)
        .order_by(row.id, portion.number)
        .limit(1)
    ).one_or_none()
    if found is None:
        return None
    judgments = [
        Judgment(assessor, topic, docno, grade, Answer(answer))
        for assessor, topic, docno, answer, grade in json.loads(found.content)
    ]
    names = {one.assessor for one in judgments}
    chosen = select(AssessorRow.name, AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.name.in_(sorted(names))
    )
    numbers = dict(db.execute(chosen).all())
    given = GivenJudgments((), found.source, discussed=found.purpose == DISCUSSION)
    events = imported_events(campaign_id, given, numbers, judgments)
    return _Portion(campaign_id, found.id, found.number, events)


def _record(db: Session, portion: _Portion) -> int:
    """Record a portion and remove it; returns how many judgments, 0 where another process has done it."""
    lock_for_import(db, portion.campaign_id)
    connection, row, stored = db.connection(), JudgmentImportRow, ImportPortionRow
    of_import = stored.import_id == portion.import_id
    # By the connection: the trail has the import as such.
    if not connection.execute(delete(stored).where(of_import, stored.number == portion.number)).rowcount:
        return 0
    append_events(db, portion.events)
    recorded = len(portion.events)
    moved = {"imported": row.imported + recorded, "moved_at": shared_now(db)}
    connection.execute(update(row).where(row.id == portion.import_id).values(moved))
    if not db.scalar(select(exists().where(of_import))):
        connection.execute(delete(row).where(row.id == portion.import_id))
    return recorded


def _remove(database: Database, numbers: Sequence[int]) -> None:
    """Remove imports that were not accepted, some portions at a time."""
    row, portion = JudgmentImportRow, ImportPortionRow
    for number in numbers:
        unseen = select(row.id).where(row.id == number, row.campaign_id.is_(None))
        with database.reading() as db:
            of_import = portion.import_id.in_(unseen)
            left = db.scalars(select(portion.number).where(of_import).order_by(portion.number)).all()
        for some in chunks(left, STORED_TOGETHER):
            with database.writing() as db:
                removed = delete(portion).where(portion.import_id.in_(unseen), portion.number.in_(some))
                db.connection().execute(removed)
        with database.writing() as db:
            db.connection().execute(delete(row).where(row.id.in_(unseen)))
