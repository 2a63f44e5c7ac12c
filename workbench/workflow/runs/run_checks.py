"""Checking an uploaded file as a run of a campaign, outside of any transaction that writes."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import BinaryIO

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.run_report import Repair, RunReport, repair_of, report_of, with_findings
from workbench.formats.run_rules import RunRules
from workbench.formats.runs import RunCheck, check_run, promised_tag, unreadable_run
from workbench.formats.source import Bounded, Readable, open_source
from workbench.pooling.near_identical_runs import Tops, compared_topics, tops_of
from workbench.records import Run, sorted_ids
from workbench.storage.tables import TopicRow
from workbench.workflow.checks import LONGEST_ID, id_finding
from workbench.workflow.runs.duplicate_runs import (
    KnownRun,
    content_of,
    known_runs,
    similarity_findings,
    tag_findings,
)
from workbench.workflow.runs.run_rules import cut_of, listed_docnos, rules_of

# A file with more lines than these is no run, and would fill the memory.
LEAST_LINES, LINES_A_TOPIC, USUAL_DEPTH, BYTES_A_LINE = 1_000_000, 2, 1000, 256

Opening = Callable[[], AbstractContextManager[Session]]


@dataclass(frozen=True, slots=True)
class RunChecker:
    """Checks files against a campaign: its topics, docnos, rules, pool depth and the runs it has.

    `opening` reads from the database what has to be looked up on the way. `contents` are those of known files
    that are in no database, as gzip by the hash of the plain bytes.
    """

    campaign_id: int
    topics: tuple[str, ...]
    docnos: frozenset[str] | None
    rules: RunRules
    cut: int | None
    known: tuple[KnownRun, ...]
    opening: Opening
    contents: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def max_lines(self) -> int:
        """The most lines that a file is read to."""
        depth = self.rules.max_per_topic or USUAL_DEPTH
        return max(LEAST_LINES, LINES_A_TOPIC * depth * len(self.topics))

    def check(self, stream: Readable, name: str) -> RunCheck:
        """What is found in a file by itself."""
        return check_run(
            stream,
            source=name,
            file_stem=promised_tag(name),
            topics=self.topics,
            docnos=self.docnos,
            rules=self.rules,
            cut=self.cut,
            max_lines=self.max_lines,
        )

    def with_run(self, upload: RunUpload) -> RunChecker:
        """The same with one more run to compare with, if the uploaded file is a good one."""
        report, content = upload.report, upload.content_gzip
        if report.tag is None or report.sha256 is None or upload.tops is None or content is None:
            return self
        run = KnownRun(f"the file {shown(upload.file_name)}", report.tag, report.sha256, upload.tops)
        contents = {**self.contents, report.sha256: content}
        return replace(self, known=(*self.known, run), contents=contents)


@dataclass(frozen=True, slots=True)
class RunUpload:
    """An uploaded file with its report, its bytes as gzip if it was read to the end, a good run's tops."""

    file_name: str
    content_gzip: bytes | None
    report: RunReport
    tops: Tops | None = None


def run_checker(
    db: Session, campaign_id: int, *, batch: str | None = None, opening: Opening | None = None
) -> RunChecker:
    """The checker of a campaign's runs, which knows the files of a batch too.

    Without `opening` it looks up in `db`, which must then stay open. Raises WorkbenchError where the
    campaign has no topics to check against.
    """
    topics = tuple(
        db.scalars(
            select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id).order_by(TopicRow.position)
        )
    )
    if not topics:
        raise WorkbenchError("this campaign has no topics yet", remedy="load the topics before the runs")
    return RunChecker(
        campaign_id=campaign_id,
        topics=topics,
        docnos=listed_docnos(db, campaign_id),
        rules=rules_of(db, campaign_id),
        cut=cut_of(db, campaign_id),
        known=known_runs(db, campaign_id, topics, batch=batch),
        opening=opening or (lambda: nullcontext(db)),
    )


def check_file(checker: RunChecker, name: str, stream: BinaryIO) -> RunUpload:
    """Check a file, plain or gzip, in memory that its compressed size and its number of lines bound."""
    name = PurePath(name).name
    try:
        copy = CopyingStream(Bounded(open_source(stream, name), source=name, limit=_most_bytes(checker)))
        check = checker.check(copy, name)
        content, sha256 = copy.finished() if check.whole else (None, None)
    except InvalidInput as unreadable:
        check, content, sha256 = unreadable_run(name, unreadable), None, None
    repair = None if content is None else repair_in(checker, name, check, content)
    report = report_of(check, sha256=sha256, repair=None if repair is None else repair[0])
    if check.run is None:
        return RunUpload(name, content, report)
    tops = tops_of(check.run, compared_topics(checker.topics))
    report = with_findings(report, _comparisons(checker, check.run, tops, name, sha256), checker.rules)
    return RunUpload(name, content, report, tops)


def check_files(
    checker: RunChecker, files: Iterable[tuple[str, BinaryIO]], *, replacing: bool = False
) -> Iterator[RunUpload]:
    """Check files one after another, each against those before it too.

    With `replacing` a file may have the tag of a known run, but not that of another file.
    """
    stored = {run.tag: run for run in checker.known}
    sent: dict[str, KnownRun] = {}
    for name, stream in files:
        upload = check_file(checker, name, stream)
        report = upload.report
        if report.tag is not None:
            others = {tag: run for tag, run in stored.items() if not (replacing and tag == report.tag)}
            found = tag_findings(report.tag, report.sha256, others | sent, source=upload.file_name)
            report = with_findings(report, found, checker.rules)
            upload = replace(upload, report=report)
        if report.tag is not None and report.sha256 is not None and not report.errors:
            checker = checker.with_run(upload)
            sent[report.tag] = KnownRun(f"the file {shown(upload.file_name)}", report.tag, report.sha256)
        yield upload


def repair_in(
    checker: RunChecker, name: str, check: RunCheck, content_gzip: bytes, *, tag: str | None = None
) -> tuple[Repair, bytes] | None:
    """What an automatic repair would change, and the repaired content; None where nothing can be repaired."""
    return repair_of(
        check,
        lambda: io.BytesIO(content_gzip),
        lambda repaired: checker.check(repaired, name),
        rules=checker.rules,
        tag=tag or promised_tag(name),
    )


class CopyingStream:
    """A stream that copies what is read from it, compressed, and hashes the plain bytes."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self._copy = io.BytesIO()
        # No time of writing in the file: the same run gives the same bytes.
        self._gzip = gzip.GzipFile(fileobj=self._copy, mode="wb", compresslevel=6, mtime=0)

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        data = self._stream.read(size)
        self._hash.update(data)
        self._gzip.write(data)
        return data

    def finished(self) -> tuple[bytes, str]:
        """The whole content as gzip, and the SHA-256 of the plain bytes."""
        while self.read(1 << 20):
            pass
        self._gzip.close()
        return self._copy.getvalue(), self._hash.hexdigest()


def _most_bytes(checker: RunChecker) -> int:
    return checker.max_lines * BYTES_A_LINE


def _comparisons(
    checker: RunChecker, run: Run, tops: Tops, name: str, sha256: str | None
) -> Iterator[Finding]:
    def look_up(sha256: str) -> bytes | None:
        if sha256 in checker.contents:
            return checker.contents[sha256]
        with checker.opening() as db:
            return content_of(db, checker.campaign_id, sha256)

    yield from _unstorable(run, name)
    # The very same file is found by its tag, and a run that this one may replace is no other run.
    others = [other for other in checker.known if other.sha256 != sha256 and other.tag != run.tag]
    yield from similarity_findings(run, tops, others, look_up, source=name)


def _plainly_storable(ids: Collection[str]) -> bool:
    """Whether all ids can be stored for certain, seen at once: nearly always so."""
    return "".join(ids).isascii() and max(map(len, ids), default=0) <= LONGEST_ID


def _unstorable(run: Run, source: str) -> Iterator[Finding]:
    tag = id_finding(run.tag, what="tag", source=source)
    docnos = {docno for ranking in run.rankings.values() for docno in ranking.docnos}
    if _plainly_storable(docnos):
        docnos = set()
    topics = (id_finding(topic, what="topic", source=source) for topic in run.rankings)
    found = (id_finding(docno, what="docno", source=source) for docno in sorted_ids(docnos))
    return (one for one in (tag, *topics, *found) if one is not None)
