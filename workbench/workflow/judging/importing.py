"""Judgments from elsewhere: several assessors' answers from files, machines marked as such."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.judgments import latest_judgments
from workbench.errors import Conflict, Finding, InvalidInput
from workbench.json_forms import ImportedJson
from workbench.records import Answer, Judgment, Qrel, Scale
from workbench.storage.chunks import chunks
from workbench.storage.events import DISCUSSION, JUDGING, append_events, current_events, newest_events
from workbench.storage.tables import AssessorRow, CampaignRow, TopicRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import id_finding, storable
from workbench.workflow.judging.record import Place, event_columns
from workbench.workflow.judging.submission import Submission

MOST_FINDINGS = 1000
LONGEST_NAME = 120
IMPORTED = "import:"
"""How the source of an imported answer begins; after it stands the name of the file."""


@dataclass(frozen=True, slots=True)
class ImportedAssessor:
    """What one assessor's part of an import did; `new` events, the others were recorded before.

    `repeated` pairs stand more than once in the file, `contradicted` ones with different answers: all are
    kept as events, and the last counts.
    """

    name: str
    machine: bool
    judgments: int
    new: int
    repeated: int = 0
    contradicted: int = 0


@dataclass(frozen=True, slots=True)
class Imported:
    """An import, by assessor."""

    source: str
    assessors: tuple[ImportedAssessor, ...]

    @property
    def repeated(self) -> int:
        """How many pairs an assessor judged more than once."""
        return sum(one.repeated for one in self.assessors)

    @property
    def contradicted(self) -> int:
        """How many of the repeated pairs have different answers."""
        return sum(one.contradicted for one in self.assessors)


def judgments_from_qrels(
    qrels: Iterable[Qrel], *, assessor: str, cannot_judge: Collection[int] = ()
) -> tuple[Judgment, ...]:
    """One assessor's judgments from a qrels file of their own; grades in `cannot_judge` are that answer.

    Any other negative grade says "pooled, not judged" in qrels and is left out.
    """
    return tuple(
        Judgment(assessor, one.topic, one.docno, None, Answer.CANNOT_JUDGE)
        if one.grade in cannot_judge
        else Judgment(assessor, one.topic, one.docno, one.grade)
        for one in qrels
        if one.grade >= 0 or one.grade in cannot_judge
    )


@dataclass(frozen=True, slots=True)
class _GivenFile:
    """The judgments of a file, and how they are to be kept."""

    judgments: tuple[Judgment, ...]
    source: str
    machines: Collection[str]
    discussed: bool


@dataclass(frozen=True, slots=True)
class _KnownAssessor:
    """An assessor as the campaign has them, with the number of their newest event."""

    id: int
    machine: bool
    account_id: int | None
    newest: int | None


@dataclass(frozen=True, slots=True)
class _ImportBasis:
    """What of a campaign an import depends on: as long as it is equal, what was prepared is right."""

    scale: Scale
    topics: frozenset[str]
    assessors: Mapping[str, _KnownAssessor]


@dataclass(frozen=True, slots=True)
class _ImportPart:
    """What becomes of one assessor's judgments: those that are kept, each as an event."""

    line: ImportedAssessor
    new: Sequence[Judgment]


@dataclass(frozen=True, slots=True, eq=False)
class PreparedImport:
    """Judgments from elsewhere that were read and checked, and are not kept yet."""

    campaign_id: int
    given: _GivenFile
    basis: _ImportBasis
    parts: tuple[_ImportPart, ...]


def import_judgments(
    db: Session,
    campaign_id: int,
    judgments: Iterable[Judgment],
    *,
    source: str,
    machines: Collection[str] = (),
    discussed: bool = False,
) -> Imported:
    """Append judgments made elsewhere as events, in their order; importing a file twice adds nothing.

    Prepares and keeps them in one transaction, and raises as `prepare_import` does; then nothing is kept.
    """
    _lock(db, campaign_id)
    prepared = prepare_import(
        db, campaign_id, judgments, source=source, machines=machines, discussed=discussed
    )
    return _kept(db, prepared)


def prepare_import(
    db: Session,
    campaign_id: int,
    judgments: Iterable[Judgment],
    *,
    source: str,
    machines: Collection[str] = (),
    discussed: bool = False,
) -> PreparedImport:
    """What `keep_import` keeps: all that can be done before others who write have to wait.

    With `discussed` the judgments were given after a discussion: earlier answers stay beside them, and a
    grade that was kept counts as an answer of its own.

    A pair whose last answer in the file is already the current one is skipped; of any other all are kept.
    The assessors named are made where they are new. Raises InvalidInput with every judgment of an unknown
    topic or of a grade outside the scale, Conflict where a name belongs to somebody with an account here or
    would change between person and machine.
    """
    return _prepared(db, campaign_id, _GivenFile(tuple(judgments), source, machines, discussed))


def keep_import(db: Session, prepared: PreparedImport) -> Imported:
    """Append what was prepared; where the campaign has changed since, it is prepared anew, and raises so."""
    campaign_id, given = prepared.campaign_id, prepared.given
    _lock(db, campaign_id)
    if _basis(db, campaign_id, {part.line.name for part in prepared.parts}) != prepared.basis:
        prepared = _prepared(db, campaign_id, given)
    return _kept(db, prepared)


def _lock(db: Session, campaign_id: int) -> None:
    # So that a file sent twice at once is not kept twice.
    db.get_one(CampaignRow, campaign_id, with_for_update=True)


def _by_assessor(given: _GivenFile) -> dict[str, list[Judgment]]:
    by_assessor: dict[str, list[Judgment]] = {}
    for judgment in given.judgments:
        by_assessor.setdefault(judgment.assessor.strip(), []).append(judgment)
    return by_assessor


def _basis(db: Session, campaign_id: int, names: Collection[str]) -> _ImportBasis:
    newest = newest_events(db, campaign_id)
    rows = db.scalars(select(AssessorRow).where(AssessorRow.campaign_id == campaign_id))
    return _ImportBasis(
        scale_from_json(db.get_one(CampaignRow, campaign_id).scale),
        frozenset(db.scalars(select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id))),
        {
            row.name: _KnownAssessor(row.id, row.machine, row.account_id, newest.get(row.id))
            for row in rows
            if row.name in names
        },
    )


def _prepared(db: Session, campaign_id: int, given: _GivenFile) -> PreparedImport:
    by_assessor = _by_assessor(given)
    basis = _basis(db, campaign_id, by_assessor.keys())
    _refuse(basis, given)
    parts = []
    for name, theirs in by_assessor.items():
        machine = name in given.machines
        known = basis.assessors.get(name)
        _refuse_name(name, machine, known)
        current = {} if known is None else _current(db, campaign_id, known, given.discussed)
        last = {(j.topic, j.docno): (str(j.answer), j.grade) for j in theirs}
        new = [j for j in theirs if current.get((j.topic, j.docno)) != last[j.topic, j.docno]]
        latest = latest_judgments(theirs)
        repeats = latest.repeated, latest.contradicted
        parts.append(_ImportPart(ImportedAssessor(name, machine, len(theirs), len(new), *repeats), new))
    return PreparedImport(campaign_id, given, basis, tuple(parts))


def _kept(db: Session, prepared: PreparedImport) -> Imported:
    now = datetime.now(UTC)
    for part in prepared.parts:
        known = prepared.basis.assessors.get(part.line.name)
        number = _new_assessor(db, prepared.campaign_id, part.line) if known is None else known.id
        for some in chunks(part.new):
            append_events(db, list(_events(prepared, number, some, now)))
    return Imported(prepared.given.source, tuple(part.line for part in prepared.parts))


def _refuse(basis: _ImportBasis, given: _GivenFile) -> None:
    findings: list[Finding] = []
    for judgment in given.judgments:
        findings.extend(_wrong(judgment, basis.scale, basis.topics, given.source))
        if len(findings) >= MOST_FINDINGS:
            break
    if findings:
        # The same unknown topic stands on many lines; it is reported once.
        raise InvalidInput(dict.fromkeys(findings))


def _wrong(judgment: Judgment, scale: Scale, topics: Collection[str], source: str) -> Iterable[Finding]:
    name = judgment.assessor.strip()
    if not name or len(name) > LONGEST_NAME or storable(name) != name:
        yield Finding(
            source,
            None,
            "assessor",
            f"{judgment.assessor!r} is not an assessor name",
            "1 to 120 characters",
        )
    if judgment.topic not in topics:
        yield Finding(
            source,
            None,
            "unknown-topic",
            f"topic {judgment.topic!r} is not in this campaign",
            "load the topic first, or remove its judgments",
        )
    bad_id = id_finding(judgment.docno, what="docno", source=source)
    if bad_id:
        yield bad_id
    if judgment.answer is Answer.GRADE and judgment.grade not in [grade.value for grade in scale.grades]:
        yield Finding(
            source,
            None,
            "grade",
            f"topic {judgment.topic}, document {judgment.docno}: {judgment.grade} is not on this scale",
            f"it has {', '.join(str(grade.value) for grade in scale.grades)}; a code may mean 'cannot judge'",
        )


def _refuse_name(name: str, machine: bool, known: _KnownAssessor | None) -> None:
    if known is None:
        return
    if known.account_id is not None:
        raise Conflict(
            f"{name} judges here with an account of their own", remedy="import under a different name"
        )
    if known.machine != machine:
        kind = "machine" if known.machine else "person"
        raise Conflict(f"{name} is known here as a {kind}", remedy="import under a different name")


def _new_assessor(db: Session, campaign_id: int, line: ImportedAssessor) -> int:
    row = AssessorRow(campaign_id=campaign_id, name=line.name, machine=line.machine)
    db.add(row)
    db.flush()
    return row.id


def _current(
    db: Session, campaign_id: int, known: _KnownAssessor, discussed: bool
) -> dict[tuple[str, str], tuple[str, int | None]]:
    # An answer given while judging does not yet say that it was kept in the discussion.
    return {
        (event.topic, event.docno): (event.answer, event.grade)
        for event in current_events(db, campaign_id, assessor_ids=[known.id])
        if not discussed or event.purpose == DISCUSSION
    }


def _events(
    prepared: PreparedImport, assessor_id: int, judgments: Sequence[Judgment], now: datetime
) -> Iterator[dict[str, Any]]:
    """The columns of the events of checked judgments.

    What an event has besides is the same for all: making it for each takes ten times as long.
    """
    given, first = prepared.given, judgments[0]
    source = f"{IMPORTED}{storable(given.source)}"[:200]
    purpose = DISCUSSION if given.discussed else JUDGING
    place = Place(prepared.campaign_id, assessor_id, first.topic, first.docno, source, purpose)
    alike = event_columns(
        place, Submission(first.docno, str(uuid4()), answer=first.answer, grade=first.grade), now
    )
    for one in judgments:
        yield alike | {
            "topic": one.topic,
            "docno": one.docno,
            "answer": str(one.answer),
            "grade": one.grade,
            "client_id": str(uuid4()),
        }


def imported_json(imported: Iterable[Imported]) -> list[ImportedJson]:
    """What importing files did, by file and assessor."""
    return [
        {
            "file": one.source,
            "assessor": each.name,
            "machine": each.machine,
            "judgments": each.judgments,
            "new": each.new,
            "repeated": each.repeated,
            "contradicted": each.contradicted,
        }
        for one in imported
        for each in one.assessors
    ]
