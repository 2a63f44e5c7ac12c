"""What a release contains, collected from the rows of a campaign; in any order they give the same.

Assessors have pseudonyms there: given with the first release that needs them, kept, never reused.
"""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.rules import ASSESSOR, RuleChoice, choice_label
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass, record_of
from workbench.records import id_bytes
from workbench.releases.contents import (
    Included,
    ReleaseAbout,
    ReleaseContents,
    ReleasedAnswer,
    ReleasedAssessor,
    ReleasedDecision,
    ReleasedDocument,
    ReleasedInstructions,
    ReleasedPreference,
    ReleasedQuestion,
    ReleasedRun,
    ReleaseRule,
    SeenAnswer,
)
from workbench.releases.record_form import SharedValues, from_object
from workbench.storage.chunks import chunks
from workbench.storage.events import CURRENT_PURPOSES
from workbench.storage.tables import (
    AdjudicationEventRow,
    AssessorRow,
    CampaignRow,
    DocumentRow,
    JudgmentEventRow,
    PoolEventRow,
    PoolRow,
    PreferenceEventRow,
    PreferenceTaskRow,
)
from workbench.workflow.campaigns.campaigns import Campaign, instructions_of
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.campaigns.originals import files_of, originals_of
from workbench.workflow.judging.desk_rules import desk_questions_of
from workbench.workflow.judging.preferences import preference_answers
from workbench.workflow.judging.submission import stored_annotations
from workbench.workflow.people.membership import assessor_names
from workbench.workflow.qrels.qrels import Material, QrelsReport, qrels_of
from workbench.workflow.releases.included import PoolHistory, released_agreement, released_pools
from workbench.workflow.runs.run_records import CampaignRun, runs_of


@frozen_dataclass
class ReleaseRequest:
    """What an organiser asks of a release. The `title` is the campaign's name where it is empty.

    `seed` decides the order of new pseudonyms; None draws one.
    """

    version: str
    choice: RuleChoice
    included: frozenset[Included] = frozenset()
    title: str = ""
    description: str = ""
    authors: tuple[str, ...] = ()
    licence: str = ""
    homepage: str = ""
    seed: int | None = None


def collect_release(
    db: Session, campaign: Campaign, about: ReleaseAbout, request: ReleaseRequest
) -> ReleaseContents:
    """The contents of a release of a campaign whose assessors have pseudonyms; raises as the rule does.

    The files of runs and the bytes of originals are not in them: see `included_runs`, `included_originals`.
    """
    source = _Source(db, campaign.id, request.included, SharedValues())
    people = released_assessors(db, campaign.id, released_assessor_ids(db, campaign.id))
    answers = _answers(source, people)
    entries = _entries(db, campaign.id)
    decisions = _decisions(source, people, entries)
    history = PoolHistory(people, entries, source.shared)
    pools = released_pools(db, campaign.id, source.origin, request.included, history)
    contents = ReleaseContents(
        about=about,
        scale=campaign.scale,
        guidelines=campaign.guidelines,
        rule=ReleaseRule("", "", campaign.scale.relevant_from),
        included=request.included,
        questions=tuple(
            ReleasedQuestion(one.name, one.labels, one.required)
            for one in desk_questions_of(db, campaign.id).questions
        ),
        topics=tuple(sorted(topics_of(db, campaign.id), key=lambda topic: id_bytes(topic.id))),
        documents=(),
        assessors=tuple(people.values()),
        answers=answers,
        decisions=decisions,
        preferences=_preferences(source, people),
        pools=pools,
        runs=_runs(source),
        qrels=(),
        unsettled=0,
        instructions=tuple(
            ReleasedInstructions(one.version, one.saved_at, one.guidelines, one.scale)
            for one in reversed(instructions_of(db, campaign.id))
        ),
    )
    graded = _with_qrels(source, people, _with_documents(source, contents), request)
    try:
        return replace(graded, agreement=released_agreement(db, campaign.id, people, campaign.scale))
    except WorkbenchError as error:
        return replace(graded, agreement_undefined=error.message)


def released_assessor_ids(db: Session, campaign_id: int) -> set[int]:
    """Who has answered anything that is released, or was handed a document of an adaptive pool."""
    event, task, handed = JudgmentEventRow, PreferenceTaskRow, PoolEventRow
    judged = select(event.assessor_id).where(
        event.campaign_id == campaign_id, event.purpose.in_(CURRENT_PURPOSES)
    )
    found = set(db.scalars(judged.distinct()))
    in_pools = select(handed.assessor_id).join(PoolRow, PoolRow.id == handed.pool_id)
    found |= set(
        db.scalars(
            in_pools.where(
                PoolRow.campaign_id == campaign_id,
                PoolRow.opened_at.is_not(None),
                handed.assessor_id.is_not(None),
            ).distinct()
        )
    )
    preferred = select(task.assessor_id).join(PreferenceEventRow, PreferenceEventRow.task_id == task.id)
    return found | set(db.scalars(preferred.where(task.campaign_id == campaign_id).distinct()))


@frozen_dataclass
class _Source:
    """Where the parts of a release are collected from."""

    db: Session
    campaign_id: int
    included: frozenset[Included]
    shared: SharedValues

    @property
    def origin(self) -> Mapping[str, object]:
        """What the release that the campaign was imported from says, and no other row can hold."""
        found = self.db.scalar(select(CampaignRow.origin).where(CampaignRow.id == self.campaign_id))
        return found or {}

    def comment(self, text: str) -> str:
        """What somebody wrote, where comments are included."""
        return text if Included.COMMENTS in self.included else ""


People = Mapping[int, ReleasedAssessor]


def _answers(source: _Source, people: People) -> tuple[ReleasedAnswer, ...]:
    """By topic and docno (bytes), assessor and number; read one topic after the other."""
    event = JudgmentEventRow
    released = event.campaign_id == source.campaign_id, event.purpose.in_(CURRENT_PURPOSES)
    topics = source.db.scalars(select(event.topic).where(*released).distinct()).all()
    place = {number: at for at, number in enumerate(people)}
    found: list[ReleasedAnswer] = []
    for topic in sorted(topics, key=id_bytes):
        # By people, as the index of events has them.
        chosen = select(event).where(*released, event.assessor_id.in_(place), event.topic == topic)
        rows = source.db.scalars(chosen.execution_options(yield_per=2_000))
        of_topic = [
            (id_bytes(row.docno), place[row.assessor_id], row.id, _answer(source, people, row))
            for row in rows
        ]
        # No two have the same number, so that the answers themselves are not compared.
        of_topic.sort()
        found += (one[-1] for one in of_topic)
    return tuple(found)


def _answer(source: _Source, people: People, row: JudgmentEventRow) -> ReleasedAnswer:
    beside = stored_annotations(row.evidence, row.ratings, row.subtopics)
    quoted = Included.DOCUMENTS in source.included
    shared = source.shared
    return ReleasedAnswer(
        assessor=people[row.assessor_id].pseudonym,
        topic=shared(row.topic),
        docno=shared(row.docno),
        answer=shared(row.answer),
        grade=row.grade,
        purpose=shared(row.purpose),
        source=shared(row.source.partition(":")[0]),
        recorded_at=row.recorded_at,
        # Most are given as they are recorded.
        given_at=row.recorded_at if row.said_at == row.recorded_at else row.said_at,
        document_sha256=shared.text(row.document_sha256),
        shown_at=shared.number(row.position),
        order_rule=shared.text(row.order_rule),
        seed=shared.number(row.seed),
        active_ms=shared.number(row.active_ms),
        reason=source.comment(row.reason),
        comment=source.comment(row.comment),
        evidence=tuple((one.start, one.end, one.quote if quoted else "") for one in beside.evidence or ()),
        ratings=dict(beside.ratings),
        subtopics=tuple(beside.subtopics),
        instructions=shared.number(row.instructions),
    )


def _decisions(source: _Source, people: People, entries: Mapping[int, int]) -> tuple[ReleasedDecision, ...]:
    event = AdjudicationEventRow
    rows = source.db.scalars(
        select(event).where(event.campaign_id == source.campaign_id).order_by(event.id)
    ).all()
    found = [
        record_of(
            ReleasedDecision,
            row,
            reason=source.comment(row.reason),
            seen=tuple(
                sorted(
                    (
                        SeenAnswer(people[who].pseudonym, entries.get(number, 0), answer, grade)
                        for number, who, answer, grade in row.seen
                        if who in people
                    ),
                    key=lambda one: one.assessor,
                )
            ),
        )
        for row in rows
    ]
    return tuple(sorted(found, key=lambda one: (id_bytes(one.topic), id_bytes(one.docno))))


def _entries(db: Session, campaign_id: int) -> Mapping[int, int]:
    """The numbers of answers in their histories, by id; none where no decision and no pool names one."""
    decided = select(AdjudicationEventRow.id).where(AdjudicationEventRow.campaign_id == campaign_id)
    of_pools = select(PoolEventRow.number).join(PoolRow, PoolRow.id == PoolEventRow.pool_id)
    handed = of_pools.where(PoolRow.campaign_id == campaign_id)
    if db.scalar(decided.limit(1)) is None and db.scalar(handed.limit(1)) is None:
        return {}
    return {number: entry for number, *_, entry in released_entries(db, campaign_id)}


def released_entries(db: Session, campaign_id: int) -> Iterator[tuple[int, int, str, str, int]]:
    """Every released event: its id, assessor, topic, docno, and number (from 1) in the history of these."""
    event = JudgmentEventRow
    rows = db.execute(
        select(event.id, event.assessor_id, event.topic, event.docno)
        .where(event.campaign_id == campaign_id, event.purpose.in_(CURRENT_PURPOSES))
        .order_by(event.id)
        .execution_options(yield_per=10_000)
    )
    counts: Counter[tuple[int, str, str]] = Counter()
    for number, assessor_id, topic, docno in rows:
        counts[assessor_id, topic, docno] += 1
        yield number, assessor_id, topic, docno, counts[assessor_id, topic, docno]


def _preferences(source: _Source, people: People) -> tuple[ReleasedPreference, ...]:
    ids = {name: number for number, name in assessor_names(source.db, source.campaign_id).items()}
    found = [
        ReleasedPreference(
            kind=str(one.kind),
            assessor=people[ids[one.preference.assessor]].pseudonym,
            topic=one.preference.topic,
            first=one.preference.first,
            second=one.preference.second,
            choice=one.preference.choice,
            first_was_left=one.first_was_left,
            recorded_at=one.recorded_at,
            active_ms=one.active_ms,
            reason=source.comment(one.reason),
        )
        for one in preference_answers(source.db, source.campaign_id)
    ]
    names = attrgetter("topic", "assessor", "first", "second")
    return tuple(sorted(found, key=lambda one: (one.kind, *map(id_bytes, names(one)), one.recorded_at)))


def _runs(source: _Source) -> tuple[ReleasedRun, ...]:
    found = {run.tag: _run(run) for run in runs_of(source.db, source.campaign_id)}
    listed = source.origin.get("runs", ())
    for given in listed if isinstance(listed, Sequence) else ():
        known = from_object(ReleasedRun, given)
        found.setdefault(known.tag, known)
    return tuple(found[tag] for tag in sorted(found, key=id_bytes))


def _run(run: CampaignRun) -> ReleasedRun:
    about = run.metadata
    return record_of(
        ReleasedRun,
        run,
        kind=None if about.kind is None else str(about.kind),
        description=about.description,
        priority=about.priority,
        verdict=str(run.verdict),
        content=None,
    )


def _with_qrels(
    source: _Source, people: People, contents: ReleaseContents, request: ReleaseRequest
) -> ReleaseContents:
    """The qrels of the rule, computed from what is released, so that anybody can compute them again."""
    choice = _pseudonymous(source, people, request.choice)
    report: QrelsReport = qrels_of(
        Material(
            scale=contents.scale,
            given=contents.judgments(),
            decided=contents.decided(),
            machines={one.pseudonym: one.machine for one in contents.assessors},
        ),
        choice,
    )
    rule = ReleaseRule(
        choice.rule,
        choice_label(choice),
        report.relevant_from,
        choice.machines,
        dict(sorted(choice.parameters().items())),
    )
    return replace(contents, rule=rule, qrels=tuple(report.qrels), unsettled=report.summary.unsettled)


def _pseudonymous(source: _Source, people: People, choice: RuleChoice) -> RuleChoice:
    """The choice with a named assessor by pseudonym; raises WorkbenchError for an unknown one."""
    named = choice.parameters().get(ASSESSOR.name)
    if named is None:
        return choice
    row = source.db.scalar(
        select(AssessorRow).where(AssessorRow.campaign_id == source.campaign_id, AssessorRow.name == named)
    )
    if row is None or row.id not in people:
        raise WorkbenchError(
            f"{named} has judged nothing in this campaign", remedy="see the list of assessors"
        )
    given = {**dict(choice.given), ASSESSOR.name: people[row.id].pseudonym}
    return replace(choice, given=tuple(given.items()))


def _with_documents(source: _Source, contents: ReleaseContents) -> ReleaseContents:
    """Every document that was pooled or judged, with the hash of its text where that is known."""
    docnos = {one.docno for pool in contents.pools for one in pool.entries}
    docnos |= {one.docno for one in contents.answers} | {one.docno for one in contents.decisions}
    known = dict(_loaded(source, docnos))
    elsewhere = source.origin.get("documents", {})
    hashes = elsewhere if isinstance(elsewhere, Mapping) else {}
    documents = (
        known.get(docno) or ReleasedDocument(docno, hashes.get(docno))
        for docno in sorted(docnos, key=id_bytes)
    )
    return replace(contents, documents=tuple(documents))


def _loaded(source: _Source, docnos: Iterable[str]) -> Iterable[tuple[str, ReleasedDocument]]:
    with_text = Included.DOCUMENTS in source.included
    with_originals = with_text and Included.ORIGINALS in source.included
    columns = (DocumentRow.title, DocumentRow.text) if with_text else ()
    for some in chunks(sorted(docnos)):
        chosen = select(DocumentRow.docno, DocumentRow.sha256, *columns).where(
            DocumentRow.campaign_id == source.campaign_id, DocumentRow.docno.in_(some)
        )
        files = files_of(source.db, source.campaign_id, some) if with_text else {}
        whole = originals_of(source.db, source.campaign_id, some) if with_originals else {}
        for docno, sha256, *texts in source.db.execute(chosen):
            found = ReleasedDocument(source.shared(docno), source.shared.text(sha256), *texts)
            if docno in files:
                file = files[docno]
                found = replace(found, media_type=file.media_type, original=file.sha256)
            if docno in whole:
                known = whole[docno]
                found = replace(found, media_type=known.media_type, original=known.sha256)
                found = replace(found, address=known.address, charset=known.charset)
            yield docno, found


PERSON, MACHINE = "assessor", "machine"
SEEDS = 2**63
"""One of so many orders: from a release nobody can find the seed by trying names."""


def have_pseudonyms(db: Session, campaign_id: int, needed: Collection[int]) -> bool:
    """Whether all these assessors have a pseudonym."""
    return all(row.pseudonym for row in _rows(db, campaign_id) if row.id in needed)


def give_pseudonyms(db: Session, campaign_id: int, needed: Collection[int], *, seed: int) -> None:
    """Give those of these assessors who have none the next numbers, in an order that the seed decides.

    The order depends on the names too, and on nothing else. The caller has locked the campaign.
    """
    rows = _rows(db, campaign_id)
    for kind in (PERSON, MACHINE):
        own = [row for row in rows if row.machine == (kind == MACHINE)]
        highest = max((pseudonym_number(row.pseudonym) for row in own if row.pseudonym), default=0)
        new = [row for row in own if row.id in needed and not row.pseudonym]
        new.sort(key=lambda row: (_shuffled(seed, row.name), row.name))
        for number, row in enumerate(new, highest + 1):
            row.pseudonym = f"{kind}-{number}"
    db.flush()


def released_assessors(db: Session, campaign_id: int, needed: Collection[int]) -> dict[int, ReleasedAssessor]:
    """These assessors as releases call them, by id: people before machines, in the order of their numbers."""
    named = [row for row in _rows(db, campaign_id) if row.id in needed]
    named.sort(key=lambda row: (row.machine, pseudonym_number(row.pseudonym or "")))
    return {
        row.id: ReleasedAssessor(
            row.pseudonym or "", row.machine, row.name if row.machine else "", row.organiser
        )
        for row in named
    }


def pseudonym_number(pseudonym: str) -> int:
    """The number at the end of a pseudonym, 0 where there is none."""
    number = pseudonym.rpartition("-")[2]
    return int(number) if number.isascii() and number.isdecimal() else 0


def _rows(db: Session, campaign_id: int) -> Sequence[AssessorRow]:
    return db.scalars(select(AssessorRow).where(AssessorRow.campaign_id == campaign_id)).all()


def _shuffled(seed: int, name: str) -> bytes:
    return hmac.digest(seed.to_bytes(8, "big"), name.encode(), hashlib.sha256)
