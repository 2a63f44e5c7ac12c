"""The checks of a database: what its contents and its records say of one another, and what breaks that."""

from __future__ import annotations

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from itertools import islice
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, func, not_, or_, select
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session, aliased

from workbench.errors import Finding, Severity, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Document, Original
from workbench.storage.engine import Database
from workbench.storage.events import CURRENT_PURPOSES, SCREEN, WITHDRAWN, current_events
from workbench.storage.integrity import (
    check_constraints,
    check_counters,
    check_file,
    check_references,
    check_schema,
    require_latest,
)
from workbench.storage.releases import read_parts
from workbench.storage.rows import Contents, Progress, contents_of, no_progress
from workbench.storage.run_files import stored_forms
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    CheckedFileRow,
    CollectionListRow,
    DocumentRow,
    JudgmentEventRow,
    OriginalRow,
    PoolEntryRow,
    PoolEventRow,
    PoolRow,
    PreferenceEventRow,
    PreferenceTaskRow,
    ReleasePartRow,
    ReleaseRow,
    RunRow,
    TopicRow,
)
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.people.trail import check_trail
from workbench.workflow.pools.pool_rows import is_adaptive
from workbench.workflow.runs.packed_store import form_of_file

MOST_ROWS = 200
"""Rows read at once: some documents are long."""
READ = 2**20
RESTORE = "restore it from a backup; `workbench restore` into an empty place leaves this database as it is"


def check_documents(db: Session) -> Iterator[Finding]:
    """Documents whose text does not have its hash."""
    row, original = DocumentRow, OriginalRow
    chosen = select(
        *(row.campaign_id, row.docno, row.title, row.text, row.sha256),
        *(original.media_type, original.sha256.label("original")),
    ).outerjoin(original, (original.campaign_id == row.campaign_id) & (original.docno == row.docno))
    for campaign, docno, title, content, sha256, media_type, bytes_hash in db.execute(
        chosen.execution_options(yield_per=MOST_ROWS)
    ):
        # Where the bytes of a PDF or image are what is shown, their hash is part of the document's.
        file = None if media_type is None else Original(media_type, None, bytes_hash)
        if Document(docno, title, content, file).sha256 != sha256:
            message = "the text is not the one whose hash is stored"
            yield _found(f"document {campaign}, {docno}", "document-hash", message, RESTORE)


def check_originals(db: Session) -> Iterator[Finding]:
    """Bytes that documents were read from, or that pages show, and that do not have their hash."""
    row = OriginalRow
    keys = select(row.campaign_id, row.docno, row.sha256, row.packed).where(row.content.is_not(None))
    for campaign, docno, sha256, packed in db.execute(keys.execution_options(yield_per=MOST_ROWS)):
        content = db.scalars(select(row.content).where(row.campaign_id == campaign, row.docno == docno)).one()
        try:
            whole = zlib.decompress(content or b"") if packed else content or b""
        except zlib.error:
            whole = b""
        if hashlib.sha256(whole).hexdigest() != sha256:
            message = "its bytes are not those whose hash is stored"
            yield _found(f"original {campaign}, {docno}", "original-hash", message, RESTORE)
    # Its hash is checked with the row that has the bytes.
    stored = aliased(row)
    elsewhere = select(stored.docno).where(
        stored.campaign_id == row.campaign_id, stored.sha256 == row.sha256, stored.content.is_not(None)
    )
    lost = select(row.campaign_id, row.docno).where(
        row.size.is_not(None), row.content.is_(None), ~elsewhere.exists()
    )
    lost = lost.order_by(row.campaign_id, row.docno)
    for campaign, docno in db.execute(lost.execution_options(yield_per=MOST_ROWS)):
        message = "its bytes should be stored with another original, which is missing"
        yield _found(f"original {campaign}, {docno}", "original-hash", message, RESTORE)


def check_document_counts(db: Session) -> Iterator[Finding]:
    """Campaigns whose kept number of documents is not the one that is counted."""
    counted = (
        select(func.count()).where(DocumentRow.campaign_id == CampaignRow.id).scalar_subquery().label("rows")
    )
    chosen = select(CampaignRow.id, CampaignRow.documents, counted).order_by(CampaignRow.id)
    for campaign, kept, rows in db.execute(chosen).all():
        if kept != rows:
            message = f"it has {rows:,} documents, but {kept:,} are stored as their number"
            remedy = f"set the column documents of its row in the table campaign to {rows}"
            yield _found(f"campaign {campaign}", "document-count", message, remedy)


def check_shown_texts(db: Session) -> Iterator[Finding]:
    """Judgments of a text that has been replaced since, each with its hash."""
    event, row = JudgmentEventRow, DocumentRow
    chosen = (
        select(event.id, row.docno)
        .join(row, (row.campaign_id == event.campaign_id) & (row.docno == event.docno))
        .where(event.document_sha256.is_not(None), event.document_sha256 != row.sha256)
        .order_by(event.id)
    )
    for number, docno in db.execute(chosen.execution_options(yield_per=MOST_ROWS)):
        yield _found(
            f"judgment_event {number}",
            "shown-text",
            f"another text of {docno} was judged than is stored now",
            "nothing to do if the document was replaced; have it judged again if the change matters",
            Severity.WARNING,
        )


def check_runs(db: Session) -> Iterator[Finding]:
    """Run files that cannot be read, or do not have their hash; packed forms of another number of lines."""
    for number, tag in db.execute(select(RunRow.id, RunRow.tag).order_by(RunRow.id)).all():
        place = f"run {number}, {tag}"
        content, sha256, lines = db.execute(
            select(RunRow.content_gzip, RunRow.sha256, RunRow.lines).where(RunRow.id == number)
        ).one()
        problem, _ = _differs(content, sha256)
        if problem:
            yield _found(place, "run-hash", problem, RESTORE)
        for form in stored_forms(db, [number]).values():
            packed = sum(documents for _, documents in form.topics)
            # Fewer on purpose, of long docnos and of topics that the campaign lacks: as it is made again.
            if packed != lines and form.topics != form_of_file(db, number).topics:
                message = f"its packed form has {packed} lines, its file {lines}"
                remedy = "delete its row in packed_run: it is made again from the file"
                yield _found(place, "packed-run", message, remedy)


def check_lists(db: Session) -> Iterator[Finding]:
    """Lists of docnos and checked files that cannot be read, or do not have their hash or number."""
    for campaign in db.scalars(select(CollectionListRow.campaign_id)).all():
        row = db.get_one(CollectionListRow, campaign)
        problem, lines = _differs(row.content_gzip, row.sha256)
        if not problem and lines != row.docnos:
            problem = f"it has {lines} docnos, but {row.docnos} are stored as their number"
        if problem:
            yield _found(f"collection_list {campaign}", "list-hash", problem, RESTORE)
        db.expire(row)
    for number in db.scalars(select(CheckedFileRow.id)).all():
        content, sha256 = db.execute(
            select(CheckedFileRow.content_gzip, CheckedFileRow.sha256).where(CheckedFileRow.id == number)
        ).one()
        if content is not None and sha256 is not None:
            problem, _ = _differs(content, sha256)
            if problem:
                yield _found(f"checked_file {number}", "list-hash", problem, "upload the file again")


def check_releases(db: Session) -> Iterator[Finding]:
    """Releases whose bytes are not complete, or do not have their hash."""
    part = ReleasePartRow
    for number, version, size, sha256 in db.execute(
        select(ReleaseRow.id, ReleaseRow.version, ReleaseRow.size, ReleaseRow.sha256)
        .where(ReleaseRow.campaign_id.is_not(None))  # the others are being stored
        .order_by(ReleaseRow.id)
    ).all():
        found, total = hashlib.sha256(), 0
        for content in read_parts(db, number):
            found.update(content)
            total += len(content)
        parts = db.scalars(select(part.number).where(part.release_id == number).order_by(part.number)).all()
        if (total, found.hexdigest()) != (size, sha256) or list(parts) != list(range(len(parts))):
            message = f"its bytes are not those that were released: {total:,} of {size:,}, or changed"
            yield _found(f"collection_release {number}, {version}", "release-hash", message, RESTORE)


def _differs(compressed: bytes, sha256: str) -> tuple[str, int]:
    """What is wrong with a compressed file, "" if nothing is; and its number of lines."""
    found, lines, last = hashlib.sha256(), 0, b"\n"
    try:
        with gzip.open(io.BytesIO(compressed)) as stream:
            while part := stream.read(READ):
                found.update(part)
                lines += part.count(b"\n")
                last = part[-1:]
    except (OSError, EOFError, zlib.error) as error:
        return f"the file cannot be decompressed: {error}", 0
    wrong = "" if found.hexdigest() == sha256 else "the file is not the one whose hash is stored"
    return wrong, lines + (last != b"\n")


MOST = 20
"""Rows named for each kind of finding; more of the same say no more."""
BACKWARDS = timedelta(seconds=60)
"""By how much the time of an event may be before that of an earlier one: processes differ a little."""
REPORT = "keep a backup as it is, and report how it happened"


def check_events(db: Session) -> Iterator[Finding]:
    """Judgments whose assessor, assignment or topic is not of their campaign."""
    event, assessor, assignment = JudgmentEventRow, AssessorRow, AssignmentRow
    numbers = select(event.id)
    assigned = numbers.join(assignment, assignment.id == event.assignment_id)
    of_another = numbers.join(assessor, assessor.id == event.assessor_id)
    wrong = {
        "its assessor belongs to another campaign": of_another.where(
            assessor.campaign_id != event.campaign_id
        ),
        "its assignment is another assessor's": assigned.where(assignment.assessor_id != event.assessor_id),
        "its assignment is of another topic": assigned.where(assignment.topic != event.topic),
        "its topic is not in the campaign": numbers.where(not_(_is_topic(event.campaign_id, event.topic))),
    }
    for message, chosen in wrong.items():
        for number in db.scalars(chosen.order_by(event.id).limit(MOST)):
            yield _found(f"judgment_event {number}", "event", message)


def check_grades(db: Session) -> Iterator[Finding]:
    """Grades outside the scale of their campaign, of judgments and decisions; scales that cannot be read."""
    for campaign_id, data in db.execute(select(CampaignRow.id, CampaignRow.scale)).all():
        try:
            values = [grade.value for grade in scale_from_json(data).grades]
        except (WorkbenchError, ValueError, KeyError, TypeError) as error:
            message = f"its scale cannot be read: {error}"
            yield _found(f"campaign {campaign_id}", "grade", message)
            continue
        for row in (JudgmentEventRow, AdjudicationEventRow):
            outside = (row.campaign_id == campaign_id, row.grade.is_not(None), row.grade.not_in(values))
            for number, grade in db.execute(select(row.id, row.grade).where(*outside).limit(MOST)):
                message = f"its grade {grade} is not on the scale"
                yield _found(f"{row.__tablename__} {number}", "grade", message)


def check_current(db: Session) -> Iterator[Finding]:
    """Whether the current judgment of each pair is its latest event, walking through all of them."""
    event = JudgmentEventRow
    for campaign_id, assessor_id in db.execute(select(AssessorRow.campaign_id, AssessorRow.id)).all():
        walked: dict[tuple[str, str], tuple[int, str]] = {}
        chosen = select(event.id, event.topic, event.docno, event.answer).where(
            event.campaign_id == campaign_id,
            event.assessor_id == assessor_id,
            event.purpose.in_(CURRENT_PURPOSES),
        )
        for number, topic, docno, answer in db.execute(chosen.order_by(event.id)):
            walked[topic, docno] = number, answer
        expected = {number for number, answer in walked.values() if answer != WITHDRAWN}
        found = {one.id for one in current_events(db, campaign_id, assessor_ids=[assessor_id], put_off=True)}
        for number in sorted(expected ^ found)[:MOST]:
            missing = "it is the latest of its pair, and not current"
            message = missing if number in expected else "it is current, and not the latest of its pair"
            yield _found(f"judgment_event {number}", "current", message)


def check_clock(db: Session) -> Iterator[Finding]:
    """Assessors with answers whose time is before that of an earlier one: the clock was set back."""
    event = JudgmentEventRow
    before = func.max(event.recorded_at).over(
        partition_by=event.assessor_id, order_by=event.id, rows=(None, -1)
    )
    times = select(
        event.assessor_id, event.id, event.recorded_at, before.label("before"), event.source
    ).subquery()
    later = aliased(times)
    chosen = select(later.c.assessor_id, later.c.id, later.c.recorded_at, later.c.before).where(
        later.c.source == SCREEN, later.c.recorded_at < later.c.before
    )
    counted: dict[int, list[int]] = {}
    for assessor_id, number, at, latest in db.execute(chosen.order_by(later.c.id)):
        if latest - at > BACKWARDS:
            counted.setdefault(assessor_id, []).append(number)
    for assessor_id, numbers in counted.items():
        yield _found(
            f"assessor {assessor_id}",
            "clock",
            f"{len(numbers)} answers, the first judgment_event {numbers[0]}, have a time before that of an"
            " earlier one",
            "check the clock of the server; nothing is lost, since answers are ordered by their numbers",
            Severity.WARNING,
        )


def check_pools(db: Session) -> Iterator[Finding]:
    """Pools whose counter is not the number of their pairs, or whose runs are not in the campaign."""
    pool, entry = PoolRow, PoolEntryRow
    counts = dict(db.execute(select(entry.pool_id, func.count()).group_by(entry.pool_id)).all())
    for row in db.scalars(select(pool).where(pool.campaign_id.is_not(None)).order_by(pool.id)):
        place = f"pool {row.id}, {row.name}"
        found = counts.get(row.id, 0)
        if not is_adaptive(row) and found != row.pairs:
            yield _found(
                place,
                "pool-pairs",
                f"it has {found} pairs, but {row.pairs} are stored as their number",
            )
        files = {one["sha256"] for one in row.recipe.get("runs", ()) if "sha256" in one}
        there = select(RunRow.sha256).where(RunRow.campaign_id == row.campaign_id)
        missing = len(files - set(db.scalars(there)))
        if missing:
            yield _found(
                place,
                "pool-runs",
                f"{missing} of the {len(files)} runs of its recipe are not here",
                "nothing to do if the campaign was imported from a release without runs; otherwise restore "
                "them",
                Severity.WARNING,
            )
    outside = select(entry.pool_id, entry.topic, entry.docno).join(pool, pool.id == entry.pool_id)
    strange = and_(pool.campaign_id.is_not(None), not_(_is_topic(pool.campaign_id, entry.topic)))
    for number, topic, docno in db.execute(outside.where(strange).limit(MOST)):
        message = "its topic is not in the campaign"
        yield _found(f"pool_entry {number}, {topic}, {docno}", "pool-topic", message)


def check_pool_events(db: Session) -> Iterator[Finding]:
    """Events of adaptive pools that are not numbered from 1 without a gap, or tell of another judgment."""
    row, event = PoolEventRow, JudgmentEventRow
    numbered = select(row.pool_id, row.topic, func.count(), func.max(row.number)).group_by(
        row.pool_id, row.topic
    )
    for pool_id, topic, count, last in db.execute(numbered.having(func.count() != func.max(row.number))):
        message = f"it has {count} events, and the last is number {last}"
        yield _found(f"pool_event {pool_id}, {topic}", "pool-events", message)
    other = or_(
        event.topic != row.topic,
        event.docno != row.docno,
        and_(row.assessor_id.is_not(None), event.assessor_id != row.assessor_id),
    )
    chosen = select(row.pool_id, row.topic, row.number).join(event, event.id == row.judgment_event_id)
    for pool_id, topic, number in db.execute(chosen.where(other).limit(MOST)):
        message = "it names the judgment of another document or assessor"
        yield _found(f"pool_event {pool_id}, {topic}, {number}", "pool-events", message)


def check_decisions(db: Session) -> Iterator[Finding]:
    """Decisions on judgments that are not there; preferences between what their task does not have."""
    row = AdjudicationEventRow
    for number, seen in db.execute(select(row.id, row.seen).order_by(row.id)).all():
        numbers = {one[0] for one in seen if one and one[0]}
        there = db.scalars(select(JudgmentEventRow.id).where(JudgmentEventRow.id.in_(sorted(numbers))))
        missing = sorted(numbers - set(there))
        if missing:
            message = f"judgment_event {missing[0]}, which the adjudicator saw, is not here"
            yield _found(f"adjudication_event {number}", "decision", message)
    preference, task = PreferenceEventRow, PreferenceTaskRow
    chosen = select(preference.id, preference.first, preference.second, task.pairs)
    for number, first, second, pairs in db.execute(chosen.join(task, task.id == preference.task_id)):
        if [first, second] not in pairs:
            message = "its task does not have this pair"
            yield _found(f"preference_event {number}", "decision", message)


def _found(
    place: str, code: str, message: str, remedy: str = REPORT, severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(place, None, code, message, remedy, severity)


def _is_topic(campaign_id: Any, topic: Any) -> ColumnElement[bool]:
    return exists().where(TopicRow.campaign_id == campaign_id, TopicRow.topic == topic)


Check = Callable[[Session], Iterator[Finding]]
MOST_FINDINGS = 100
"""Findings of one check; what is damaged throughout need not be listed row by row."""


def _of_connection(check: Callable[[Connection], Iterator[Finding]], db: Session) -> Iterator[Finding]:
    return check(db.connection())


CHECKS: dict[str, Check] = {
    "file of SQLite": partial(_of_connection, check_file),
    "schema": partial(_of_connection, check_schema),
    "constraints": partial(_of_connection, check_constraints),
    "references": partial(_of_connection, check_references),
    "counters": partial(_of_connection, check_counters),
    "numbers of documents": check_document_counts,
    "hashes of documents": check_documents,
    "hashes of originals": check_originals,
    "texts shown": check_shown_texts,
    "hashes of runs": check_runs,
    "hashes of lists and checked files": check_lists,
    "hashes of releases": check_releases,
    "places of judgments": check_events,
    "grades": check_grades,
    "current judgments": check_current,
    "times of judgments": check_clock,
    "pools": check_pools,
    "events of adaptive pools": check_pool_events,
    "decisions and preferences": check_decisions,
    "chain of the trail": check_trail,
}
"""Every check by what it looks at."""


@frozen_dataclass
class Verification:
    """What a database holds, what was checked, and what was found."""

    contents: Contents
    checks: tuple[str, ...]
    findings: tuple[Finding, ...]

    @property
    def sound(self) -> bool:
        """Whether there is no error; a warning is about what a person did."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)


def verify(database: Database, progress: Progress = no_progress) -> Verification:
    """Recount everything, as it is at one moment, while others read and write.

    Raises WorkbenchError unless the schema is the one of this version.
    """
    with database.reading() as db:
        require_latest(db.connection())
        contents = contents_of(db.connection(), progress)
        findings: list[Finding] = []
        for name, check in CHECKS.items():
            progress(f"Checking {name}", 0)
            findings += islice(check(db), MOST_FINDINGS)
    return Verification(contents, tuple(CHECKS), tuple(findings))
