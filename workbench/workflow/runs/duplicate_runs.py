"""Duplicate runs and tags: what a new run is compared with, in the campaign and among files sent with it."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.docnos import Docnos
from workbench.errors import Finding
from workbench.formats.error_collector import shown
from workbench.formats.runs import read_run_arrays, read_run_top
from workbench.pooling.near_identical_runs import DEPTH, P, Tops, compared_topics, nearly_identical, tops_of
from workbench.pooling.run_tops import RunTops
from workbench.records import Run
from workbench.storage.tables import CheckedFileRow, RunRow
from workbench.workflow.caching import Cache
from workbench.workflow.runs.run_records import listed_runs

MOST_NAMED = 3
TAG_BEGINNING = 12
"""Tags with the same first characters are hard to tell apart; older tools cut them there."""


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run to compare with: what to call it, its tag, the hash of its plain content, and its tops.

    `tops` are None where only tags and hashes are compared.
    """

    name: str
    tag: str
    sha256: str
    tops: Tops | None = None


def known_runs(
    db: Session, campaign_id: int, topics: Sequence[str], *, batch: str | None = None
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
