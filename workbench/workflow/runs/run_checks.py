"""Checking an uploaded file as a run of a campaign, outside of any transaction that writes.

A new run is compared with those of the campaign and those sent with it: a tag or a content may be there.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, replace
from itertools import pairwise
from pathlib import PurePath

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.docnos import Docnos
from workbench.errors import Finding, InvalidInput, WorkbenchError
from workbench.formats.error_collector import shown
from workbench.formats.run_check import Expected, RunCheck, check_run, promised_tag, unreadable_run
from workbench.formats.run_report import Repair, RunReport, repair_of, report_of, with_findings
from workbench.formats.run_rules import RunRules
from workbench.formats.runs import read_run_arrays, read_run_top
from workbench.formats.source import Bounded, Readable, open_source
from workbench.frozen import frozen_dataclass
from workbench.pooling.near_identical_runs import (
    DEPTH,
    P,
    Tops,
    TopsOf,
    compared_topics,
    nearly_identical,
    tops_of,
)
from workbench.pooling.run_tops import RunTops
from workbench.records import Ranking, Run
from workbench.storage.tables import CheckedFileRow, RunRow
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.runs.run_records import listed_runs
from workbench.workflow.runs.run_rules import cut_of, listed_docnos, rules_of

MOST_NAMED = 3
TAG_BEGINNING = 12
"""Tags with the same first characters are hard to tell apart; older tools cut them there."""


@frozen_dataclass
class KnownRun:
    """A run to compare with: what to call it, its tag, the hash of its plain content, and its tops.

    `tops` are None where only tags and hashes are compared.
    """

    name: str
    tag: str
    sha256: str
    tops: Tops | None = None


def known_runs(
    db: Session, campaign_id: int, topics: Sequence[str], batch: str | None
) -> tuple[KnownRun, ...]:
    """The current runs of a campaign, by tag, then the good files of a batch that are no runs yet."""
    stored = db.execute(
        select(RunRow.id, RunRow.tag, RunRow.sha256)
        .where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
        .order_by(RunRow.tag)
    ).all()
    compared = compared_topics(topics)
    known = [
        KnownRun(f"run {shown(tag)}", tag, sha256, _tops(db, sha256, compared, RunRow, run_id))
        for run_id, tag, sha256 in stored
    ]
    if batch is None:
        return tuple(known)
    checked = db.execute(
        select(CheckedFileRow.id, CheckedFileRow.file_name, CheckedFileRow.sha256, CheckedFileRow.report)
        .where(
            CheckedFileRow.campaign_id == campaign_id,
            CheckedFileRow.batch == batch,
            CheckedFileRow.kept_at.is_(None),
            CheckedFileRow.content_gzip.is_not(None),
        )
        .order_by(CheckedFileRow.id)
    )
    for row_id, name, sha256, report in checked:
        if sha256 is not None and report["ok"]:
            tops = _tops(db, sha256, compared, CheckedFileRow, row_id)
            known.append(KnownRun(f"the file {shown(name)}", report["tag"], sha256, tops))
    return tuple(known)


def stored_tags(db: Session, campaign_id: int) -> dict[str, KnownRun]:
    """The current runs of a campaign by tag, without their tops."""
    runs = listed_runs(db, campaign_id)
    return {run.tag: KnownRun(f"run {shown(run.tag)}", run.tag, run.sha256) for run in runs}


def content_of(db: Session, campaign_id: int, sha256: str) -> bytes | None:
    """The compressed content of a run or checked file with this hash, None where there is none any more."""
    for table in (RunRow, CheckedFileRow):
        found = db.scalars(
            select(table.content_gzip)
            .where(table.campaign_id == campaign_id, table.sha256 == sha256, table.content_gzip.is_not(None))
            .limit(1)
        ).first()
        if found is not None:
            return found
    return None


def similarity_findings(
    content: bytes,
    tops: Tops,
    known: Sequence[KnownRun],
    look_up: Callable[[str], bytes | None],
    *,
    source: str,
) -> Iterator[Finding]:
    """Which known runs rank the same or nearly the same documents; the most similar few are named.

    `content` is the run's file and `tops` are its tops; `look_up` gives a known run's content by its hash, to
    distinguish the same from nearly the same.
    """
    alike = [
        (value, other)
        for other in known
        if other.tops is not None and (value := nearly_identical(tops, other.tops)) is not None
    ]
    alike.sort(key=lambda found: -found[0])
    same: list[KnownRun] = []
    for value, other in alike[:MOST_NAMED]:
        if value > 1 - 1e-9 and _same_rankings(content, look_up(other.sha256)):
            same.append(other)
            message = f"every ranking is identical to that of {other.name}"
            remedy = "check whether one run was sent under two tags"
            yield Finding(source, None, "same-content", message, remedy)
    near = [(value, other) for value, other in alike[:MOST_NAMED] if other not in same]
    for value, other in near:
        message = (
            f"the rankings are nearly identical to those of {other.name}: "
            f"rank-biased overlap {value:.3f} (p {P}, first {DEPTH} documents, mean over topics)"
        )
        yield Finding(source, None, "near-identical", message, "it would contribute almost nothing to a pool")


def tag_findings(
    tag: str, sha256: str | None, known: Mapping[str, KnownRun], *, source: str
) -> Iterator[Finding]:
    """Whether a tag is taken by a known run, or could be confused with the tag of one."""
    holder = known.get(tag)
    if holder is not None and holder.sha256 == sha256:
        yield Finding(source, None, "same-file", f"this file is already there as {holder.name}")
        return
    if holder is not None:
        message = f"the tag {shown(tag)} is taken by {holder.name}"
        yield Finding(source, None, "tag-taken", message, "give this run its own tag", column=6)
        return
    like = [other for other in known if _alike(tag, other)]
    if like:
        others = ", ".join(shown(other) for other in like[:MOST_NAMED])
        more = f" and {len(like) - MOST_NAMED} more" if len(like) > MOST_NAMED else ""
        message = f"the tag {shown(tag)} could be confused with {others}{more}"
        remedy = f"use tags that differ in their first {TAG_BEGINNING} characters, not only in capitals"
        yield Finding(source, None, "tag-alike", message, remedy, column=6)


def _alike(tag: str, other: str) -> bool:
    if tag.casefold() == other.casefold():
        return True
    return tag[:TAG_BEGINNING] == other[:TAG_BEGINNING] and len(tag) >= TAG_BEGINNING <= len(other)


def _same_rankings(content: bytes, other: bytes | None) -> bool:
    if other is None:
        return False
    # As arrays: of runs with millions of lines there may not be two in memory as strings.
    mine, theirs = (_ordered(one) for one in (content, other))
    return mine.keys() == theirs.keys() and all(
        np.array_equal(docnos, theirs[topic]) for topic, docnos in mine.items()
    )


def _ordered(content: bytes) -> dict[str, Docnos]:
    """The docnos of each topic, best first."""
    read = read_run_arrays(io.BytesIO(content), source="", depth=sys.maxsize)
    tops = (
        RunTops.of(read)
        if isinstance(read, Run)
        else RunTops(read.tag, read.topics, *read.ranked(sys.maxsize))
    )
    order = np.argsort(tops.numbers, kind="stable")
    ends = np.searchsorted(tops.numbers[order], np.arange(len(tops.topics) + 1))
    docnos = tops.docnos[order]
    return {
        topic: docnos[begin:end]
        for topic, (begin, end) in zip(tops.topics, pairwise(ends.tolist()), strict=True)
    }


def _tops(
    db: Session, sha256: str, topics: tuple[str, ...], table: type[RunRow | CheckedFileRow], number: int
) -> Tops:
    def make() -> Tops:
        content = db.scalars(select(table.content_gzip).where(table.id == number)).one() or b""
        return tops_of(read_run_top(io.BytesIO(content), source="", depth=DEPTH).run, topics)

    return _REMEMBERED.get((sha256, hash(topics)), make)


_REMEMBERED: Cache[tuple[str, int], Tops] = Cache(512)


MOST_BYTES = 4 * 2**30
"""The largest run that is read, in bytes of plain text."""

LARGEST_UNCHECKED = 2**30
"""The largest plain file that is kept without having been checked, in bytes."""

Opening = Callable[[], AbstractContextManager[Session]]


@frozen_dataclass
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


@frozen_dataclass
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
        known=known_runs(db, campaign_id, topics, batch),
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
