"""Setting up a campaign: files of any kind are dropped, recognised, checked, and added when all is right.

Nothing of a file is in the campaign before it is added, and then all of it is. Topics and documents wait in a
batch of their own beside that of the runs, whose check is that of every run, against the topics of the
campaign and those to come.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import PurePath
from typing import Any, BinaryIO

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Severity
from workbench.formats.documents import DOCUMENT_FORMATS, read_documents
from workbench.formats.recognition import FileKind, Recognised, head_of, recognised
from workbench.formats.run_report import RunReport, finding_from_json, finding_to_json
from workbench.formats.text_formats import in_words
from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.frozen import frozen_dataclass
from workbench.storage import locks
from workbench.storage.engine import Database, Writing
from workbench.storage.tables import CampaignRow, CheckedFileRow, TopicRow
from workbench.workflow.campaigns.collection import Loaded, load_topics
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.clock import utc_now
from workbench.workflow.people.groups import Sender
from workbench.workflow.runs.run_checks import RunChecker, RunUpload, check_file, read_whole, run_checker
from workbench.workflow.runs.uploads import SET_UP_RUNS, SET_UP_TEXTS, Batch, batch_of

TEXTS = (FileKind.TOPICS, FileKind.DOCUMENTS)
SHOWN = 100
"""Of so many errors of a file each is kept; the others are counted."""

_ELSEWHERE = {
    FileKind.QRELS: ("these are qrels", "import them on the page Judgments once there are topics and runs"),
    FileKind.JUDGMENTS: ("these are judgments", "import them on the page Judgments once there are topics"),
    FileKind.UNKNOWN: (
        "the file contains neither topics nor documents nor a run",
        f"topics: {in_words(TOPIC_FORMATS)}; documents: {in_words(DOCUMENT_FORMATS)}; "
        "runs: topic Q0 docno rank score tag",
    ),
}


@frozen_dataclass
class CheckedText:
    """A file that is no run, as it was checked: how many records it has, its errors, its bytes as gzip."""

    file_name: str
    found: Recognised
    count: int
    error_count: int
    errors: tuple[Finding, ...]
    content_gzip: bytes | None


@frozen_dataclass
class DroppedFile:
    """A dropped file that waits; `sure` says that it can be of no other kind, `count` counts its records."""

    id: int
    name: str
    kind: FileKind
    sure: bool
    count: int
    error_count: int
    errors: tuple[Finding, ...]

    @property
    def ready(self) -> bool:
        """Whether it can be added."""
        return self.kind in TEXTS and not self.error_count

    @property
    def other_kind(self) -> FileKind | None:
        """As what it can be read instead."""
        return {FileKind.TOPICS: FileKind.DOCUMENTS, FileKind.DOCUMENTS: FileKind.TOPICS}.get(self.kind)


def kind_of_file(name: str, stream: BinaryIO) -> Recognised:
    """What a dropped file is by its content; the stream is at its beginning afterwards."""
    try:
        return recognised(head_of(stream, source=name))
    except InvalidInput:
        return Recognised(FileKind.UNKNOWN)
    finally:
        stream.seek(0)


def check_text(name: str, stream: BinaryIO, found: Recognised) -> CheckedText:
    """Read a file that is no run to its end, as what it was recognised as."""
    name = PurePath(name).name
    errors: tuple[Finding, ...] = ()
    count = 0
    try:
        if found.kind in TEXTS:
            count = sum(1 for _ in _records(found.kind, stream, name))
        else:
            head_of(stream, source=name)
            message, remedy = _ELSEWHERE[found.kind]
            errors = (Finding(name, None, found.kind, message, remedy),)
    except InvalidInput as refused:
        errors = refused.findings
    stream.seek(0)
    content = _packed(stream) if found.kind in TEXTS else None
    return CheckedText(name, found, count, len(errors), errors[:SHOWN], content)


def store_text(
    db: Session, campaign_id: int, checked: CheckedText, sender: Sender, *, instead_of: int | None = None
) -> int:
    """Keep a checked file until it is added; the same name once more takes its own place."""
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    same = CheckedFileRow.file_name == checked.file_name
    if instead_of is not None:
        same = CheckedFileRow.id == instead_of
    db.execute(delete(CheckedFileRow).where(*_waiting(campaign_id), same))
    row = CheckedFileRow(
        campaign_id=campaign_id,
        batch=SET_UP_TEXTS,
        file_name=checked.file_name,
        content_gzip=checked.content_gzip,
        sha256=None,
        report=_report(checked),
        added_by=sender.account_id,
        group_id=None,
        added_at=utc_now(),
    )
    db.add(row)
    db.flush()
    return row.id


def dropped_files(db: Session, campaign_id: int) -> tuple[DroppedFile, ...]:
    """The topics and documents that wait, and files that are neither, in the order of their coming."""
    rows = db.scalars(select(CheckedFileRow).where(*_waiting(campaign_id)).order_by(CheckedFileRow.id))
    return tuple(_dropped(row) for row in rows)


def forget_dropped(db: Session, campaign_id: int, number: int) -> str:
    """Delete a file that waits; returns its name, raises NotFound."""
    row = _row(db, campaign_id, number)
    db.delete(row)
    db.flush()
    return row.file_name


def dropped_content(db: Session, campaign_id: int, number: int) -> tuple[str, BinaryIO]:
    """The name and the bytes of topics or documents that wait; raises NotFound."""
    row = _row(db, campaign_id, number)
    if row.content_gzip is None:
        raise NotFound(f"the content of {row.file_name} was not kept", remedy="drop the file again")
    return row.file_name, io.BytesIO(row.content_gzip)


def topics_to_come(db: Session, campaign_id: int) -> tuple[str, ...]:
    """The ids of the campaign's topics, and of those in files that wait and are right."""
    chosen = select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id).order_by(TopicRow.position)
    known = list(db.scalars(chosen))
    for one in dropped_files(db, campaign_id):
        if one.kind is FileKind.TOPICS and one.ready:
            name, content = dropped_content(db, campaign_id, one.id)
            known += [topic.id for topic in read_topics(content, source=name)]
    return tuple(dict.fromkeys(known))


def add_topics(db: Session, campaign_id: int, number: int, *, notes: list[str] | None = None) -> Loaded:
    """Load topics that wait, all of the file, and forget the file; `notes` gets what the reader says.

    Raises NotFound for a file that does not wait any more, InvalidInput where the campaign refuses it.
    """
    # Locked, so that a second click finds the file added.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)
    row = _row(db, campaign_id, number)
    _require_ready(row)
    name, content = dropped_content(db, campaign_id, number)
    loaded = load_topics(db, campaign_id, read_topics(content, source=name, notes=notes), source=name)
    db.delete(row)
    db.flush()
    return loaded


def add_documents(
    database: Database,
    campaign_id: int,
    number: int,
    *,
    pooled: bool = False,
    notes: list[str] | None = None,
    writing: Writing | None = None,
) -> Loaded:
    """Load documents that wait, all or only pooled ones, and forget the file; others save meanwhile.

    `notes` gets what the reader says of the file. After a second click both load the same, which adds nothing
    twice. Raises as `add_topics` does.
    """
    with database.reading() as db:
        _require_ready(_row(db, campaign_id, number))
        name, content = dropped_content(db, campaign_id, number)
    files = [(name, read_documents(content, source=name, notes=notes))]
    ((_, loaded),) = load_in_portions(database, campaign_id, files, pooled=pooled, writing=writing)
    with database.writing() as db, suppress(NotFound):
        locks.change(db, campaign_id)
        forget_dropped(db, campaign_id, number)
    return loaded


def _require_ready(row: CheckedFileRow) -> None:
    found = _dropped(row)
    if not found.ready:
        raise InvalidInput(found.errors)


def _records(kind: FileKind, stream: BinaryIO, name: str) -> Iterable[object]:
    return (
        read_topics(stream, source=name) if kind is FileKind.TOPICS else read_documents(stream, source=name)
    )


def _packed(stream: BinaryIO) -> bytes:
    """The bytes of a file as gzip: as they came where they are, else compressed portion by portion."""
    start = stream.read(2)
    stream.seek(0)
    if start == b"\x1f\x8b":
        return stream.read()
    packer = zlib.compressobj(level=1, wbits=16 + zlib.MAX_WBITS)
    portions = [packer.compress(portion) for portion in iter(lambda: stream.read(2**20), b"")]
    return b"".join((*portions, packer.flush()))


def _report(checked: CheckedText) -> dict[str, Any]:
    return {
        "file": checked.file_name,
        "kind": str(checked.found.kind),
        "sure": checked.found.sure,
        "count": checked.count,
        "error_count": checked.error_count,
        "errors": [finding_to_json(finding) for finding in checked.errors],
    }


def _dropped(row: CheckedFileRow) -> DroppedFile:
    report: Mapping[str, Any] = row.report
    return DroppedFile(
        id=row.id,
        name=row.file_name,
        kind=FileKind(report["kind"]),
        sure=report["sure"],
        count=report["count"],
        error_count=report["error_count"],
        errors=tuple(finding_from_json(one, row.file_name, Severity.ERROR) for one in report["errors"]),
    )


def _waiting(campaign_id: int) -> tuple[Any, ...]:
    row = CheckedFileRow
    return row.campaign_id == campaign_id, row.batch == SET_UP_TEXTS, row.group_id.is_(None)


def _row(db: Session, campaign_id: int, number: int) -> CheckedFileRow:
    row = db.scalar(select(CheckedFileRow).where(*_waiting(campaign_id), CheckedFileRow.id == number))
    if row is None:
        raise NotFound("this file was added or removed meanwhile", remedy="load the page again")
    return row


NO_TOPICS = "no-topics"

Opening = Callable[[], AbstractContextManager[Session]]


def set_up_checker(db: Session, campaign_id: int, opening: Opening) -> RunChecker | None:
    """What dropped runs are checked against; None while there are no topics at all."""
    topics = topics_to_come(db, campaign_id)
    if not topics:
        return None
    return run_checker(db, campaign_id, batch=SET_UP_RUNS, opening=opening, topics=topics)


def check_run_file(checker: RunChecker | None, name: str, stream: BinaryIO) -> RunUpload:
    """Check a dropped run; without topics it waits for them, with an error that says so."""
    if checker is not None:
        return check_file(checker, name, stream)
    content, sha256 = read_whole(name, stream)
    message = "there are no topics to check this run against"
    remedy = "drop the topics: the run is then checked"
    error = Finding(name, None, NO_TOPICS, message, remedy)
    return RunUpload(name, content, RunReport(name, None, 0, 0, sha256, 1, (error,), ()))


def dropped_runs(db: Session, campaign_id: int) -> Batch | None:
    """The dropped runs as they are now, None where there are none."""
    try:
        return batch_of(db, campaign_id, SET_UP_RUNS)
    except NotFound:
        return None


def require_topics_added(db: Session, campaign_id: int) -> None:
    """Raise Conflict while topics wait that dropped runs were checked against."""
    if any(one.kind is FileKind.TOPICS and one.ready for one in dropped_files(db, campaign_id)):
        message = "these runs were checked against topics that are not added yet"
        raise Conflict(message, remedy="add all dropped files together, on the page Set up")
