"""Judgments from elsewhere: several assessors' answers from files, machines marked as such."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session
from typing_extensions import TypedDict

from workbench.consensus.votes import latest_judgments
from workbench.errors import Conflict, Finding, InvalidInput
from workbench.formats.identifiers import id_finding, storable
from workbench.frozen import filled, frozen_dataclass
from workbench.records import Answer, Judgment, Qrel, Scale
from workbench.storage.chunks import chunks
from workbench.storage.engine import Database, Writing
from workbench.storage.events import DISCUSSION, JUDGING, append_events, current_events, newest_events
from workbench.storage.tables import AssessorRow, CampaignRow
from workbench.workflow.campaigns.campaigns import campaign_of, scale_from_json
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.record import Place, event_columns
from workbench.workflow.judging.submission import Submission
from workbench.workflow.people.membership import names_in_use, plain_name

MOST_FINDINGS = 1000
TRIES = 20
"""Each fails only because somebody else's import was kept meanwhile."""
LONGEST_NAME = 120
IMPORTED = "import:"
"""How the source of an imported answer begins; after it stands the name of the file."""


class ImportedJson(TypedDict):
    """What one assessor's part of an imported file did; of `repeated` pairs the last judgment counts."""

    file: str
    assessor: str
    machine: bool
    judgments: int
    new: int
    repeated: int
    contradicted: int


@frozen_dataclass
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


@frozen_dataclass
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


@frozen_dataclass
class GivenJudgments:
    """The judgments of a file, and who of its assessors are machines.

    `discussed` ones were given after a discussion: earlier answers stay beside them, and a grade that was
    kept counts as an answer of its own.
    """

    judgments: Sequence[Judgment]
    source: str
    machines: Collection[str] = ()
    discussed: bool = False

    @property
    def purpose(self) -> str:
        """What their events are for."""
        return DISCUSSION if self.discussed else JUDGING


@frozen_dataclass
class _KnownAssessor:
    """An assessor as the campaign has them, with the number of their newest event."""

    id: int
    machine: bool
    account_id: int | None
    newest: int | None


@frozen_dataclass
class _ImportBasis:
    """What of a campaign an import depends on: as long as it is equal, what was prepared is right."""

    scale: Scale
    topics: frozenset[str]
    assessors: Mapping[str, _KnownAssessor]
    names: Mapping[str, str]


_ImportPart = tuple[ImportedAssessor, Sequence[Judgment]]
"""What becomes of one assessor's judgments, and those that are kept, each as an event."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedImports:
    """Files of judgments from elsewhere that were read and checked, by assessor, and are not kept yet."""

    campaign_id: int
    basis: _ImportBasis
    files: Sequence[tuple[GivenJudgments, Sequence[_ImportPart]]]

    @property
    def kinds(self) -> dict[str, bool]:
        """Every assessor of the files, and whether it is a machine."""
        return {line.name: line.machine for _, parts in self.files for line, _ in parts}


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

    Prepares and keeps them in one transaction, and raises as `prepare_imports` does; then nothing is kept.
    See `import_files` for many: on SQLite nobody else can save meanwhile.
    """
    lock_for_import(db, campaign_id)
    given = GivenJudgments(tuple(judgments), source, machines, discussed)
    return keep_imports(db, prepare_imports(db, campaign_id, [given]))[0]


def import_files(
    database: Database,
    campaign_id: int,
    files: Sequence[GivenJudgments],
    *,
    writing: Writing | None = None,
) -> tuple[Imported, ...]:
    """Import all of the files, or none; what is checked is checked before others who write have to wait.

    `writing` opens the transaction that keeps them. Raises as `prepare_imports` does, NotFound where the
    campaign is deleted meanwhile, and Conflict where others import again and again.
    """
    for _ in range(TRIES):
        with database.reading() as db:
            prepared = prepare_imports(db, campaign_id, files)
        with (database.writing if writing is None else writing)() as db:
            lock_for_import(db, campaign_id)
            # All that the files were checked against is as it was.
            if _basis(db, campaign_id, prepared.kinds.keys()) == prepared.basis:
                return keep_imports(db, prepared)
    raise Conflict("others kept importing judgments at the same time", remedy="import the files again")


def prepare_imports(db: Session, campaign_id: int, files: Sequence[GivenJudgments]) -> PreparedImports:
    """What `keep_imports` keeps: all that can be done before others who write have to wait.

    A pair whose last answer in a file is already the current one, in the campaign or by a file before, is
    skipped; of any other all are kept. Raises InvalidInput with every judgment of an unknown topic or of a
    grade outside the scale, Conflict where a name belongs to somebody with an account here or would change
    between person and machine.
    """
    basis = _basis(db, campaign_id, {one.assessor.strip() for given in files for one in given.judgments})
    _refuse(basis, files)
    current: dict[str, _Answers] = {}
    machines = {name: known.machine for name, known in basis.assessors.items()}
    prepared = []
    for given in files:
        parts = []
        for name, theirs in _by_assessor(given).items():
            machine, known = name in given.machines, basis.assessors.get(name)
            _refuse_name(name, machine, machines.setdefault(name, machine), known)
            if name not in current:
                current[name] = {} if known is None else _current(db, campaign_id, known)
            parts.append(_part(given, ImportedAssessor(name, machine, len(theirs), 0), theirs, current[name]))
        prepared.append((given, parts))
    return PreparedImports(campaign_id, basis, prepared)


def keep_imports(db: Session, prepared: PreparedImports) -> tuple[Imported, ...]:
    """Append what was prepared, all in one transaction, while it is as prepared; new assessors are made."""
    known = prepared.basis.assessors
    made = [
        AssessorRow(campaign_id=prepared.campaign_id, name=name, machine=machine)
        for name, machine in prepared.kinds.items()
        if name not in known
    ]
    db.add_all(made)
    db.flush()
    numbers = {name: one.id for name, one in known.items()} | {row.name: row.id for row in made}
    for given, parts in prepared.files:
        for some in chunks([judgment for _, new in parts for judgment in new]):
            append_events(db, imported_events(prepared.campaign_id, given, numbers, some))
    return tuple(Imported(given.source, tuple(line for line, _ in parts)) for given, parts in prepared.files)


def lock_for_import(db: Session, campaign_id: int) -> None:
    """Let no other import, archiving or deletion come before this transaction ends; answers do not wait.

    Raises NotFound where the campaign was deleted.
    """
    # So that a file sent twice at once is not kept twice.
    chosen = select(CampaignRow.id).where(CampaignRow.id == campaign_id)
    db.execute(chosen.with_for_update(key_share=True))
    campaign_of(db, campaign_id)


def imported_events(
    campaign_id: int, file: GivenJudgments, numbers: Mapping[str, int], judgments: Sequence[Judgment]
) -> list[dict[str, Any]]:
    """The columns of the events of checked judgments; `numbers` are those of their assessors.

    What an event has besides is the same for all: making it for each takes ten times as long.
    """
    first = judgments[0]
    source = f"{IMPORTED}{storable(file.source)}"[:200]
    place = Place(campaign_id, 0, first.topic, first.docno, source, file.purpose)
    submission = Submission(first.docno, str(uuid4()), answer=first.answer, grade=first.grade)
    alike = event_columns(place, submission, datetime.now(UTC))
    return [
        alike
        | {
            "assessor_id": numbers[one.assessor.strip()],
            "topic": one.topic,
            "docno": one.docno,
            "answer": str(one.answer),
            "grade": one.grade,
            "client_id": str(uuid4()),
        }
        for one in judgments
    ]


_Answers = dict[tuple[str, str], tuple[str, int | None, str]]
"""Answer, grade and purpose of an assessor's current event by topic and docno."""


def _by_assessor(given: GivenJudgments) -> dict[str, list[Judgment]]:
    by_assessor: dict[str, list[Judgment]] = {}
    for judgment in given.judgments:
        by_assessor.setdefault(judgment.assessor.strip(), []).append(judgment)
    return by_assessor


def _part(
    given: GivenJudgments, line: ImportedAssessor, theirs: Sequence[Judgment], current: _Answers
) -> _ImportPart:
    """What of an assessor's judgments is new; `current` is brought up to date."""
    last = {(j.topic, j.docno): (str(j.answer), j.grade) for j in theirs}
    differing = {
        pair
        for pair, answer in last.items()
        # An answer given while judging does not yet say that it was kept in the discussion.
        if (now := current.get(pair)) is None
        or now[:2] != answer
        or (given.discussed and now[2] != DISCUSSION)
    }
    current.update({pair: (*last[pair], given.purpose) for pair in differing})
    new = [j for j in theirs if (j.topic, j.docno) in differing]
    latest = latest_judgments(theirs)
    return replace(line, new=len(new), repeated=latest.repeated, contradicted=latest.contradicted), new


def _basis(db: Session, campaign_id: int, names: Collection[str]) -> _ImportBasis:
    newest = newest_events(db, campaign_id)
    rows = db.scalars(select(AssessorRow).where(AssessorRow.campaign_id == campaign_id))
    return _ImportBasis(
        scale_from_json(db.get_one(CampaignRow, campaign_id).scale),
        frozenset(topic_titles(db, campaign_id)),
        {
            row.name: _KnownAssessor(row.id, row.machine, row.account_id, newest.get(row.id))
            for row in rows
            if row.name in names
        },
        names_in_use(db, campaign_id),
    )


def _refuse(basis: _ImportBasis, files: Sequence[GivenJudgments]) -> None:
    # The same unknown topic stands on many lines; it is reported once.
    findings: dict[Finding, None] = {}
    names = dict(basis.names)
    for given in files:
        for name in dict.fromkeys(judgment.assessor.strip() for judgment in given.judgments):
            known = names.setdefault(plain_name(name), name)
            if known != name:
                findings[_nearly(name, known, given.source)] = None
        for judgment in given.judgments:
            findings.update(dict.fromkeys(_wrong(judgment, basis.scale, basis.topics, given.source)))
            if len(findings) >= MOST_FINDINGS:
                break
    if findings:
        raise InvalidInput(findings)


def _nearly(name: str, known: str, source: str) -> Finding:
    message = f"{name!r} and {known!r} would count as two people"
    remedy = f"write {known!r} if it is the same person, or a name that differs in more than case and spaces"
    return Finding(source, None, "assessor", message, remedy)


def _wrong(judgment: Judgment, scale: Scale, topics: Collection[str], source: str) -> Iterable[Finding]:
    name = judgment.assessor.strip()
    if not name or len(name) > LONGEST_NAME or storable(name) != name:
        yield Finding(
            source,
            None,
            "assessor",
            f"{judgment.assessor!r} is not an assessor name",
            "use 1 to 120 characters",
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
            f"use {', '.join(str(grade.value) for grade in scale.grades)}, or name it as a grade that "
            "means 'cannot judge'",
        )


def _refuse_name(name: str, machine: bool, known_as: bool, known: _KnownAssessor | None) -> None:
    if known is not None and known.account_id is not None:
        raise Conflict(
            f"{name} judges here with an account of their own", remedy="import under a different name"
        )
    if known_as != machine:
        kind = "machine" if known_as else "person"
        raise Conflict(f"{name} is known here as a {kind}", remedy="import under a different name")


def _current(db: Session, campaign_id: int, known: _KnownAssessor) -> _Answers:
    return {
        (event.topic, event.docno): (event.answer, event.grade, event.purpose)
        for event in current_events(db, campaign_id, assessor_ids=[known.id])
    }


def imported_json(imported: Iterable[Imported]) -> list[ImportedJson]:
    """What importing files did, by file and assessor."""
    return [
        filled(ImportedJson, each, file=one.source, assessor=each.name)
        for one in imported
        for each in one.assessors
    ]
