"""Judgments from elsewhere: several assessors' answers from files, machines marked as such."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.judgments import latest_judgments
from workbench.errors import Conflict, Finding, InvalidInput
from workbench.json_forms import ImportedJson
from workbench.records import Answer, Judgment, Qrel, Scale
from workbench.storage.events import DISCUSSION, JUDGING, current_events
from workbench.storage.tables import AssessorRow, CampaignRow, TopicRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.checks import id_finding, storable
from workbench.workflow.judging.record import Place, append_all
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

    With `discussed` they were given after a discussion: earlier answers stay beside them, and a grade that
    was kept counts as an answer of its own.

    A pair whose last answer in the file is already the current one is skipped; of any other all are kept.
    The assessors named are made where they are new. Raises InvalidInput with every judgment of an unknown
    topic or of a grade outside the scale, Conflict where a name belongs to somebody with an account here or
    would change between person and machine; then nothing is kept.
    """
    # Locked, so that a file sent twice at once is not kept twice.
    campaign = db.get_one(CampaignRow, campaign_id, with_for_update=True)
    judgments = tuple(judgments)
    _refuse(db, campaign_id, judgments, scale_from_json(campaign.scale), source)
    by_assessor: dict[str, list[Judgment]] = {}
    for judgment in judgments:
        by_assessor.setdefault(judgment.assessor.strip(), []).append(judgment)
    lines = []
    for name, theirs in by_assessor.items():
        row = _assessor(db, campaign_id, name, name in machines)
        new = append_all(db, _new_events(db, row, theirs, source, DISCUSSION if discussed else JUDGING))
        latest = latest_judgments(theirs)
        lines.append(
            ImportedAssessor(name, row.machine, len(theirs), new, latest.repeated, latest.contradicted)
        )
    return Imported(source, tuple(lines))


def _refuse(
    db: Session, campaign_id: int, judgments: tuple[Judgment, ...], scale: Scale, source: str
) -> None:
    topics = set(db.scalars(select(TopicRow.topic).where(TopicRow.campaign_id == campaign_id)))
    findings: list[Finding] = []
    for judgment in judgments:
        findings.extend(_wrong(judgment, scale, topics, source))
        if len(findings) >= MOST_FINDINGS:
            break
    if findings:
        # The same unknown topic stands on many lines; it is reported once.
        raise InvalidInput(dict.fromkeys(findings))


def _wrong(judgment: Judgment, scale: Scale, topics: set[str], source: str) -> Iterable[Finding]:
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


def _assessor(db: Session, campaign_id: int, name: str, machine: bool) -> AssessorRow:
    row = db.scalar(
        select(AssessorRow).where(AssessorRow.campaign_id == campaign_id, AssessorRow.name == name)
    )
    if row is None:
        row = AssessorRow(campaign_id=campaign_id, name=name, machine=machine)
        db.add(row)
        db.flush()
    elif row.account_id is not None:
        raise Conflict(
            f"{name} judges here with an account of their own", remedy="import under a different name"
        )
    elif row.machine != machine:
        kind = "machine" if row.machine else "person"
        raise Conflict(f"{name} is known here as a {kind}", remedy="import under a different name")
    return row


def _new_events(
    db: Session, assessor: AssessorRow, judgments: list[Judgment], source: str, purpose: str
) -> Iterator[tuple[Place, Submission]]:
    # An answer given while judging does not yet say that it was kept in the discussion.
    current = {
        (event.topic, event.docno): (event.answer, event.grade)
        for event in current_events(db, assessor.campaign_id, assessor_ids=[assessor.id])
        if purpose == JUDGING or event.purpose == purpose
    }
    last = {(j.topic, j.docno): (str(j.answer), j.grade) for j in judgments}
    name = f"{IMPORTED}{storable(source)}"[:200]
    for one in judgments:
        if current.get((one.topic, one.docno)) != last[one.topic, one.docno]:
            place = Place(assessor.campaign_id, assessor.id, one.topic, one.docno, name, purpose)
            yield place, Submission(one.docno, str(uuid4()), answer=one.answer, grade=one.grade)


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
