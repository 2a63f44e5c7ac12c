"""Runs: received, checked whole before anything is stored, kept as they were sent."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import BinaryIO

from sqlalchemy import delete, select
from sqlalchemy.orm import Session, aliased

from workbench.errors import Conflict, Finding, InvalidInput, NotFound, Severity, WorkbenchError
from workbench.formats.runs import check_run, promised_tag, read_run
from workbench.formats.source import Readable, open_source
from workbench.records import Run, sorted_ids
from workbench.storage.tables import AccountRow, GroupRow, PoolRow, RunRow, TopicRow
from workbench.workflow.about_runs import AboutRun, Kind, Verdict
from workbench.workflow.checks import id_finding
from workbench.workflow.storing import NewRun, store_run


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run as it is kept; `sha256` is of the uncompressed file, `warnings` are findings at its reading.

    `pools` were built from this version of it, `earlier_pools` from one that it replaced.
    """

    id: int
    tag: str
    file_name: str
    topics: int
    lines: int
    sha256: str
    warnings: tuple[Finding, ...]
    added_by: str
    added_at: datetime
    pools: tuple[str, ...]
    group: str
    about: AboutRun
    verdict: Verdict
    verdict_reason: str
    verdict_by: str
    verdict_at: datetime | None
    earlier_pools: tuple[str, ...]

    @property
    def in_use(self) -> bool:
        """Whether a pool was built from some version of the run, which must stay explained."""
        return bool(self.pools or self.earlier_pools)


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
    db: Session,
    campaign_id: int,
    files: Iterable[tuple[str, BinaryIO]],
    *,
    added_by: int | None = None,
    about: AboutRun | None = None,
    verdict: Verdict = Verdict.ACCEPTED,
    replacing: bool = False,
    of_group_only: bool = False,
) -> RunsAdded:
    """Check each (name, stream) and keep the good ones; a refused file leaves nothing behind.

    Plain or gzip. `about` is said of each; with `replacing` a run whose tag is taken replaces the one there,
    and what is not said of it is taken over. With `of_group_only` nothing is touched nor told of runs that
    are not of the group in `about`. Raises WorkbenchError where there are no topics to check against.
    """
    topics = set(db.scalars(select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id)))
    if not topics:
        raise WorkbenchError("this campaign has no topics yet", remedy="load the topics before the runs")
    said = about or AboutRun()
    added: list[str] = []
    refused: list[RefusedRun] = []
    for name, stream in files:
        try:
            new = _checked(PurePath(name).name, stream, topics)
            if new.tag in added:
                # Else the second of two files, sent together, would quietly replace the first.
                message = f"another of these files holds run {new.tag}"
                raise InvalidInput([Finding(new.file_name, None, "tag-twice", message, "send one of them")])
            store_run(
                db,
                campaign_id,
                new,
                added_by=added_by,
                group_id=said.group_id,
                kind=said.kind,
                description=said.description,
                priority=said.priority,
                verdict=verdict,
                replacing=replacing,
                of_group_only=of_group_only,
            )
            added.append(new.tag)
        except InvalidInput as error:
            refused.append(RefusedRun(PurePath(name).name, error.findings))
    lines = {line.tag: line for line in runs_of(db, campaign_id)} if added else {}
    return RunsAdded(tuple(lines[tag] for tag in added), tuple(refused))


def runs_of(
    db: Session, campaign_id: int, *, group_ids: Collection[int] | None = None
) -> tuple[RunLine, ...]:
    """The runs of a campaign that hold (or those of some groups), by tag."""
    pools: dict[str, list[tuple[str, str]]] = {}
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)):
        for run in pool.recipe["runs"]:
            pools.setdefault(run["tag"], []).append((run["sha256"], pool.name))
    sender, judge = aliased(AccountRow), aliased(AccountRow)
    chosen = (
        select(RunRow, sender.name, judge.name, GroupRow.name)
        .outerjoin(sender, sender.id == RunRow.added_by)
        .outerjoin(judge, judge.id == RunRow.verdict_by)
        .outerjoin(GroupRow, GroupRow.id == RunRow.group_id)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    )
    if group_ids is not None:
        chosen = chosen.where(RunRow.group_id.in_(group_ids))
    return tuple(
        RunLine(
            id=row.id,
            tag=row.tag,
            file_name=row.file_name,
            topics=row.topics,
            lines=row.lines,
            sha256=row.sha256,
            warnings=tuple(_finding_from_json(finding) for finding in row.warnings),
            added_by=by or "",
            added_at=row.added_at,
            pools=tuple(name for sha256, name in pools.get(row.tag, ()) if sha256 == row.sha256),
            group=group or "",
            about=AboutRun(row.group_id, Kind(row.kind) if row.kind else None, row.description, row.priority),
            verdict=Verdict(row.verdict),
            verdict_reason=row.verdict_reason,
            verdict_by=judged_by or "",
            verdict_at=row.verdict_at,
            earlier_pools=tuple(name for sha256, name in pools.get(row.tag, ()) if sha256 != row.sha256),
        )
        for row, by, judged_by, group in db.execute(chosen)
    )


def run_line(db: Session, campaign_id: int, tag: str) -> RunLine:
    """One run that holds, by its tag; raises NotFound."""
    for line in runs_of(db, campaign_id):
        if line.tag == tag:
            return line
    raise NotFound(f"there is no run {tag!r} in this campaign")


def run_content(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> tuple[str, bytes]:
    """A run's file name without `.gz` and its bytes as they were sent, uncompressed; raises NotFound.

    Of the version that holds, or of the one with this hash, replaced or not.
    """
    row = run_row(db, campaign_id, tag, sha256=sha256)
    name = row.file_name
    return (name[:-3] if name.endswith(".gz") else name), gzip.decompress(row.content_gzip)


def stored_run(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> Run:
    """A run read again from what is kept of it: the version that holds, or that with this hash.

    Raises NotFound.
    """
    row = run_row(db, campaign_id, tag, sha256=sha256)
    return read_run(io.BytesIO(row.content_gzip), source=row.file_name).run


def remove_run(db: Session, campaign_id: int, tag: str) -> None:
    """Forget a run with all its versions; raises NotFound.

    Raises Conflict where a pool was built from one of them, since the pool must stay explained.
    """
    row = run_row(db, campaign_id, tag)
    for pool in db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id)):
        if any(run["tag"] == tag for run in pool.recipe["runs"]):
            raise Conflict(f"pool {pool.name!r} was built from run {tag!r}", remedy="a pooled run stays")
    db.execute(delete(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == row.tag))
    db.flush()


def run_row(db: Session, campaign_id: int, tag: str, *, sha256: str | None = None) -> RunRow:
    """The row of the version of a run that holds, or of the latest one with this hash; raises NotFound.

    For use-cases only: no mapped row leaves the workflow.
    """
    chosen = select(RunRow).where(RunRow.campaign_id == campaign_id, RunRow.tag == tag)
    chosen = chosen.where(RunRow.replaced_at.is_(None) if sha256 is None else RunRow.sha256 == sha256)
    row = db.scalar(chosen.order_by(RunRow.id.desc()).limit(1))
    if row is None:
        version = "" if sha256 is None else f" with the hash {sha256[:12]}…"
        raise NotFound(f"there is no run {tag!r}{version} in this campaign")
    return row


def _checked(name: str, stream: BinaryIO, topics: set[str]) -> NewRun:
    kept = _Keeping(open_source(stream, name))
    check = check_run(kept, source=name, file_stem=promised_tag(name), topics=topics)
    if check.run is None:
        raise InvalidInput(check.errors)
    content, sha256 = kept.finished()
    unstorable = _unstorable(check.run, name)
    if unstorable:
        raise InvalidInput(unstorable)
    return NewRun(
        tag=check.run.tag,
        file_name=name,
        content_gzip=content,
        sha256=sha256,
        topics=check.topics,
        lines=check.lines,
        warnings=[_finding_to_json(finding) for finding in check.warnings],
    )


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
