"""The dry run: files that were checked as runs and wait for somebody to keep them, in batches."""

from __future__ import annotations

import io
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import delete
from sqlalchemy.orm import Session

from workbench.errors import Conflict, InvalidInput, NotFound, WorkbenchError
from workbench.formats.run_report import report_from_json, report_to_json
from workbench.records import Verdict as About
from workbench.storage.tables import CampaignRow, CheckedFileRow
from workbench.workflow.runs.batches import (
    CheckedFile,
    Groups,
    batch_of,
    oldest_kept,
    row_of_batch,
    rows_of_batch,
)
from workbench.workflow.runs.run_checks import CheckedRun, Expected, mend_in
from workbench.workflow.runs.run_metadata import AboutRun
from workbench.workflow.runs.submitting import store_checked

_BATCH = re.compile(r"[0-9a-zA-Z-]{8,64}")


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of files that were to be kept: the tags of new runs, and how many were kept before."""

    tags: tuple[str, ...]
    before: int


def add_checked(
    db: Session,
    campaign_id: int,
    batch: str,
    checked: CheckedRun,
    *,
    added_by: int | None = None,
    group_id: int | None = None,
    instead_of: int | None = None,
) -> int:
    """Put a file that was checked into a batch, `instead_of` another of it; gives its number.

    With `group_id` it was sent for that group, whose people alone see it in the batch. The same file sent
    once more takes its own place. Raises NotFound where the batch has no other file that could be replaced,
    Conflict where that one was kept as a run meanwhile.
    """
    if not _BATCH.fullmatch(batch):
        raise NotFound("there is no such batch of files", remedy="send the files anew")
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    _forget_expired(db)
    groups = None if group_id is None else (group_id,)
    waiting = (*rows_of_batch(campaign_id, batch, groups), CheckedFileRow.kept_at.is_(None))
    if instead_of is not None:
        row = row_of_batch(db, campaign_id, batch, instead_of, groups)
        if row.kept_at is not None:
            raise Conflict(f"{row.file_name} is a run by now", remedy="send the new file as another run")
        db.delete(row)
    db.execute(
        delete(CheckedFileRow).where(
            *waiting,
            CheckedFileRow.file_name == checked.file_name,
            CheckedFileRow.sha256.is_not_distinct_from(checked.report.sha256),
        )
    )
    row = CheckedFileRow(
        campaign_id=campaign_id,
        batch=batch,
        file_name=checked.file_name,
        content_gzip=checked.content_gzip,
        sha256=checked.report.sha256,
        report=report_to_json(checked.report),
        added_by=added_by,
        group_id=group_id,
        added_at=datetime.now(UTC),
    )
    db.add(row)
    db.flush()
    return row.id


def keep_checked(
    db: Session,
    campaign_id: int,
    batch: str,
    ids: Collection[int] | None = None,
    *,
    by: int | None = None,
    about: AboutRun | None = None,
    groups: Groups = None,
    replacing: bool = False,
) -> Kept:
    """Make runs of the files of a batch with these numbers, of all good ones if None; each once.

    `about` is said of each of them. A group's are received, until the organiser accepts them, and with
    `replacing` take the place of its runs with the same tags.
    Raises NotFound for a number that the batch has not, InvalidInput, and keeps none, where one of them is
    refused by now.
    """
    # Locked, so that a second click waits and finds the files kept.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    found = batch_of(db, campaign_id, batch, groups=groups)
    by_id = {one.id: one for one in found.files}
    chosen = [one.id for one in found.keepable] if ids is None else list(dict.fromkeys(ids))
    before = len(found.kept) if ids is None else 0
    tags = []
    for number in sorted(chosen):
        if number not in by_id:
            raise NotFound("this batch has no such file", remedy="open the batch again")
        if by_id[number].kept_at is not None:
            before += 1
            continue
        row = row_of_batch(db, campaign_id, batch, number, groups)
        tags.append(_keep(db, row, by_id[number], by, about, replacing=replacing))
    return Kept(tuple(tags), before)


def discard_batch(db: Session, campaign_id: int, batch: str, *, groups: Groups = None) -> int:
    """Forget the files of a batch that are not runs; gives their number."""
    waiting = delete(CheckedFileRow).where(
        *rows_of_batch(campaign_id, batch, groups), CheckedFileRow.kept_at.is_(None)
    )
    return len(db.execute(waiting.returning(CheckedFileRow.id)).all())


def checked_content(
    db: Session, campaign_id: int, batch: str, number: int, *, groups: Groups = None
) -> tuple[str, bytes]:
    """The name of a file of a batch and its content as gzip; raises NotFound where there is none."""
    row = row_of_batch(db, campaign_id, batch, number, groups)
    if row.content_gzip is None:
        raise NotFound(f"nothing is kept of {row.file_name}", remedy="mend it where you have it")
    return row.file_name, row.content_gzip


def sent_for(db: Session, campaign_id: int, batch: str, number: int, *, groups: Groups = None) -> int | None:
    """The group for which a file of a batch was sent, None for an organiser's; raises NotFound."""
    return row_of_batch(db, campaign_id, batch, number, groups).group_id


def corrected(
    expected: Expected, name: str, content_gzip: bytes, *, tag: str | None = None
) -> tuple[str, bytes]:
    """A name for the corrected file and its content; raises WorkbenchError where nothing is mechanical."""
    check = expected.check(io.BytesIO(content_gzip), name)
    found = mend_in(expected, name, check, content_gzip, tag=tag)
    if found is None:
        raise WorkbenchError(
            f"nothing in {name} can be mended mechanically",
            remedy="it takes somebody who knows what was meant",
        )
    return name.removesuffix(".gz"), found[1]


def _keep(
    db: Session,
    row: CheckedFileRow,
    file: CheckedFile,
    by: int | None,
    about: AboutRun | None,
    *,
    replacing: bool,
) -> str:
    if file.report.errors:
        raise InvalidInput(file.report.errors)
    checked = CheckedRun(row.file_name, row.content_gzip, report_from_json(row.report))
    sent = row.group_id is not None
    if sent:
        about = replace(about or AboutRun(), group_id=row.group_id)
    tag = store_checked(
        db,
        row.campaign_id,
        checked,
        added_by=by,
        about=about,
        verdict=About.RECEIVED if sent else About.ACCEPTED,
        replacing=replacing,
        of_group_only=sent,
    )
    row.kept_at = datetime.now(UTC)
    row.content_gzip = None  # the run has it now
    db.flush()
    return tag


def _forget_expired(db: Session) -> None:
    old = (CheckedFileRow.added_at < oldest_kept(), CheckedFileRow.kept_at.is_(None))
    db.execute(delete(CheckedFileRow).where(*old))
