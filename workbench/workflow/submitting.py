"""Runs: received, checked whole before anything is stored, kept as they were sent."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Severity, WorkbenchError
from workbench.formats.runs import check_run, promised_tag
from workbench.formats.source import Readable, open_source
from workbench.records import Run, sorted_ids
from workbench.storage.tables import AccountRow, PoolRow, RunRow, TopicRow
from workbench.workflow.checks import id_finding
from workbench.workflow.packed_store import keep_packed, run_for_use


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as it is kept; `sha256` is of the uncompressed file, `warnings` are findings at its reading."""

    tag: str
    file_name: str
    topics: int
    lines: int
    sha256: str
    warnings: tuple[Finding, ...]
    added_by: str
    added_at: datetime
    pools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RefusedRun:
    """A file that was refused, with all that is wrong in it; nothing of it was kept."""

    file_name: str
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class RunsAdded:
    """What became of several files."""

    added: tuple[RunLine, ...]
    refused: tuple[RefusedRun, ...]


def add_runs(
    db: Session, campaign_id: int, files: Iterable[tuple[str, BinaryIO]], *, added_by: int | None = None
) -> RunsAdded:
    """Check each (name, stream) and keep the good ones; a refused file leaves nothing behind.

    Plain or gzip. Raises WorkbenchError where the campaign has no topics to check against.
    """
    topics = set(db.scalars(select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id)))
    if not topics:
        raise WorkbenchError("this campaign has no topics yet", remedy="load the topics before the runs")
    added: list[str] = []
    refused: list[RefusedRun] = []
    for name, stream in files:
        try:
            added.append(_add_run(db, campaign_id, PurePath(name).name, stream, topics, added_by))
        except InvalidInput as error:
            refused.append(RefusedRun(PurePath(name).name, error.findings))
    lines = {line.tag: line for line in runs_of(db, campaign_id)}
    return RunsAdded(tuple(lines[tag] for tag in added), tuple(refused))


def runs_of(db: Session, campaign_id: int) -> tuple[RunLine, ...]:
    """The runs of a campaign, by tag."""
    pools: dict[str, list[str]] = {}
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)):
        for run in pool.recipe["runs"]:
            pools.setdefault(run["tag"], []).append(pool.name)
    rows = db.execute(
        select(RunRow, AccountRow.name)
        .outerjoin(AccountRow, AccountRow.id == RunRow.added_by)
        .where(RunRow.campaign_id == campaign_id)
        .order_by(RunRow.tag)
    )
    return tuple(
        RunLine(
            tag=row.tag,
            file_name=row.file_name,
            topics=row.topics,
            lines=row.lines,
            sha256=row.sha256,
            warnings=tuple(_finding_from_json(finding) for finding in row.warnings),
            added_by=by or "",
            added_at=row.added_at,
            pools=tuple(pools.get(row.tag, ())),
        )
        for row, by in rows
    )


def run_content(db: Session, campaign_id: int, tag: str) -> tuple[str, bytes]:
    """A run's file name without `.gz` and its bytes as they were sent, uncompressed; raises NotFound."""
    row = _run_row(db, campaign_id, tag)
    name = row.file_name
    return (name[:-3] if name.endswith(".gz") else name), gzip.decompress(row.content_gzip)


def stored_run(db: Session, campaign_id: int, tag: str) -> Run:
    """A run, whole, from what is kept of it; raises NotFound."""
    return run_for_use(db, campaign_id, tag)


def remove_run(db: Session, campaign_id: int, tag: str) -> None:
    """Forget a run; raises Conflict where a pool was built from it, since the pool must stay explained."""
    row = _run_row(db, campaign_id, tag)
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)):
        if any(run["tag"] == tag for run in pool.recipe["runs"]):
            raise Conflict(f"pool {pool.name!r} was built from run {tag!r}", remedy="a pooled run stays")
    db.delete(row)
    db.flush()


def _add_run(
    db: Session, campaign_id: int, name: str, stream: BinaryIO, topics: set[str], added_by: int | None
) -> str:
    kept = _Keeping(open_source(stream, name))
    check = check_run(kept, source=name, file_stem=promised_tag(name), topics=topics)
    if check.run is None:
        raise InvalidInput(check.errors)
    content, sha256 = kept.finished()
    errors = (*_unstorable(check.run, name), *_taken(db, campaign_id, check.run.tag, sha256, name))
    if errors:
        raise InvalidInput(errors)
    row = RunRow(
        campaign_id=campaign_id,
        tag=check.run.tag,
        file_name=name,
        content_gzip=content,
        sha256=sha256,
        topics=check.topics,
        lines=check.lines,
        warnings=[_finding_to_json(finding) for finding in check.warnings],
        added_by=added_by,
        added_at=datetime.now(UTC),
    )
    db.add(row)
    db.flush()
    keep_packed(db, row.id, check.run)
    return check.run.tag


class _Keeping:
    """A stream that keeps what is read from it, compressed, and its hash: a file is read only once."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._kept = io.BytesIO()
        # Without a date in it, so that equal runs are kept as equal bytes.
        self._gzip = gzip.GzipFile(fileobj=self._kept, mode="wb", compresslevel=6, mtime=0)
        self._hash = hashlib.sha256()

    def read(self, size: int, /) -> bytes:
        """Read on, and keep what was read."""
        chunk = self._stream.read(size)
        self._gzip.write(chunk)
        self._hash.update(chunk)
        return chunk

    def finished(self) -> tuple[bytes, str]:
        """Everything that the stream held, as gzip, and the SHA-256 of the plain bytes."""
        while self.read(1 << 20):
            pass
        self._gzip.close()
        return self._kept.getvalue(), self._hash.hexdigest()


def _unstorable(run: Run, source: str) -> tuple[Finding, ...]:
    tag = id_finding(run.tag, what="tag", source=source)
    docnos = {docno for ranking in run.rankings.values() for docno in ranking.docnos}
    found = (id_finding(docno, what="docno", source=source) for docno in sorted_ids(docnos))
    return tuple(one for one in (tag, *found) if one is not None)


def _taken(db: Session, campaign_id: int, tag: str, sha256: str, source: str) -> tuple[Finding, ...]:
    there = db.scalar(select(RunRow.sha256).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag))
    if there is None:
        return ()
    if there == sha256:
        return (Finding(source, None, "same-content", f"this very file is here already as run {tag}"),)
    return (Finding(source, None, "tag-taken", f"a run {tag} is here already", "give this run its own tag"),)


def _run_row(db: Session, campaign_id: int, tag: str) -> RunRow:
    row = db.scalar(select(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag))
    if row is None:
        raise NotFound(f"there is no run {tag!r} in this campaign")
    return row


def _finding_to_json(finding: Finding) -> dict[str, object]:
    return {
        "source": finding.source,
        "line": finding.line,
        "code": finding.code,
        "message": finding.message,
        "remedy": finding.remedy,
        "severity": str(finding.severity),
    }


def _finding_from_json(data: dict[str, object]) -> Finding:
    line = data["line"]
    return Finding(
        source=str(data["source"]),
        line=line if isinstance(line, int) else None,
        code=str(data["code"]),
        message=str(data["message"]),
        remedy=str(data["remedy"]),
        severity=Severity(str(data["severity"])),
    )
