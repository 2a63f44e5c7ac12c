"""Checking an uploaded file as a run of a campaign, outside of any transaction that writes."""

from __future__ import annotations

import gzip
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from sqlalchemy.orm import Session

from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.run_check import Expected, RunCheck, check_run, promised_tag, unreadable_run
from workbench.formats.run_report import Repair, RunReport, repair_of, report_of, with_findings
from workbench.formats.run_rules import RunRules
from workbench.formats.source import Bounded, Readable, open_source
from workbench.pooling.near_identical_runs import Tops, TopsOf, compared_topics
from workbench.records import Ranking
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.runs.duplicate_runs import (
    KnownRun,
    content_of,
    known_runs,
    similarity_findings,
    tag_findings,
)
from workbench.workflow.runs.run_rules import cut_of, listed_docnos, rules_of

MOST_BYTES = 4 * 2**30
"""The largest run that is read, in bytes of plain text."""

LARGEST_UNCHECKED = 2**30
"""The largest plain file that is kept without having been checked, in bytes."""

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

    def check(
        self, stream: Readable, name: str, take: Callable[[str, Ranking], None] | None = None
    ) -> RunCheck:
        """What is found in a file by itself; `take` gets its rankings one by one."""
        expected = Expected(self.topics, self.docnos, self.rules, self.cut, storable=True)
        return check_run(stream, source=name, file_stem=promised_tag(name), expected=expected, take=take)

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
    db: Session,
    campaign_id: int,
    *,
    batch: str | None = None,
    opening: Opening | None = None,
    topics: tuple[str, ...] | None = None,
) -> RunChecker:
    """The checker of a campaign's runs, which knows the files of a batch too.

    Without `opening` it looks up in `db`, which must then stay open; `topics` are the campaign's own unless
    others are to come. Raises WorkbenchError where there are no topics to check against.
    """
    if topics is None:
        topics = tuple(topic_titles(db, campaign_id))
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


def check_file(checker: RunChecker, name: str, stream: Readable) -> RunUpload:
    """Check a file, plain or gzip, in memory that its compressed size and its number of lines bound."""
    name = PurePath(name).name
    tops = TopsOf(compared_topics(checker.topics))
    try:
        copy = CopyingStream(Bounded(open_source(stream, name), source=name, limit=MOST_BYTES))
        check = checker.check(copy, name, tops.take)
        content, sha256 = copy.finished() if check.whole else (None, None)
    except InvalidInput as unreadable:
        check, content, sha256 = unreadable_run(name, unreadable), None, None
    repair = None if content is None else repair_in(checker, name, check, content)
    report = report_of(check, sha256=sha256, repair=None if repair is None else repair[0])
    if check.tag is None or content is None or sha256 is None:
        return RunUpload(name, content, report)
    upload = RunUpload(name, content, report, tops.found)
    return replace(upload, report=with_findings(report, _comparisons(checker, upload), checker.rules))


def read_whole(name: str, stream: Readable) -> tuple[bytes | None, str | None]:
    """The plain content of a file as gzip, and its SHA-256; neither of one that cannot be read to its end."""
    try:
        copy = CopyingStream(Bounded(open_source(stream, name), source=name, limit=LARGEST_UNCHECKED))
        return copy.finished()
    except InvalidInput:
        return None, None


def check_files(
    checker: RunChecker, files: Iterable[tuple[str, Readable]], *, replacing: bool = False
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
        io.BytesIO(content_gzip),
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


def _comparisons(checker: RunChecker, upload: RunUpload) -> Iterator[Finding]:
    def look_up(sha256: str) -> bytes | None:
        if sha256 in checker.contents:
            return checker.contents[sha256]
        with checker.opening() as db:
            return content_of(db, checker.campaign_id, sha256)

    report = upload.report
    if upload.tops is None or upload.content_gzip is None:
        return
    # The very same file is found by its tag, and a run that this one may replace is no other run.
    others = [other for other in checker.known if other.sha256 != report.sha256 and other.tag != report.tag]
    yield from similarity_findings(upload.content_gzip, upload.tops, others, look_up, source=upload.file_name)
