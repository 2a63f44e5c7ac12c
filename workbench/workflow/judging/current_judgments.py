"""The current judgments of a campaign, alone or with their annotations, and the subtopics ticked."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.records import Answer, Judgment, id_bytes
from workbench.storage.events import annotated_events, newest_events
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging.desk_rules import desk_questions_of
from workbench.workflow.judging.submission import NO_ANNOTATIONS, Annotations, stored_annotations
from workbench.workflow.log import CODES, TopicAnswers, answers_by_topic

_quoted = json.encoder.encode_basestring


class JudgmentsVersion(NamedTuple):
    """The database, the campaign, its assessors (id, name, whether a machine), the id of the newest event of
    each, by whom and when the last was sent."""

    database: str
    campaign_id: int
    assessors: tuple[tuple[int, str, bool], ...]
    newest: tuple[tuple[int, int], ...]
    last: str


NOT_GRADES: Mapping[int, Answer] = {code: Answer(answer) for answer, code in CODES.items()}
"""The answers that are no grade, by how they stand in arrays."""

ANSWERS: Mapping[str, Answer] = {str(answer): answer for answer in Answer}
"""The answers by how they stand in events."""


def current_judgments(
    db: Session, campaign_id: int, *, assessors: Collection[str] | None = None, machines: bool = True
) -> tuple[Judgment, ...]:
    """The current judgments of every assessor (or those named), by topic and docno (bytes), then assessor.

    Without `machines` those count only who are people. Raises WorkbenchError for an unknown name.
    """
    version = recorded_version(db, campaign_id)
    names = {
        name
        for _, name, machine in version.assessors
        if (machines or not machine) and (assessors is None or name in assessors)
    }
    unknown = set(assessors or ()) - names
    if unknown:
        raise WorkbenchError(
            f"{', '.join(sorted(unknown))} is not an assessor of this campaign",
            remedy="see the list of assessors",
        )
    every = _read(db, version)
    return every if len(names) == len(version.assessors) else tuple(j for j in every if j.assessor in names)


def recorded_version(db: Session, campaign_id: int) -> JudgmentsVersion:
    """What identifies the judgments of a campaign: as long as it is equal, so are they."""
    rows = db.execute(
        select(AssessorRow.id, AssessorRow.name, AssessorRow.machine)
        .where(AssessorRow.campaign_id == campaign_id)
        .order_by(AssessorRow.name)
    )
    event = JudgmentEventRow
    newest = newest_events(db, campaign_id)
    latest = max(newest.values(), default=None)
    last = db.execute(select(event.client_id, event.recorded_at).where(event.id == latest)).one_or_none()
    # Events are only ever added, those of an assessor in their order (`storage.locks`), so that the last of
    # each assessor stand for all of them.
    assessors = tuple((number, name, machine) for number, name, machine in rows)
    address = str(db.get_bind().engine.url)
    return JudgmentsVersion(address, campaign_id, assessors, tuple(newest.items()), str(last))


def _read(db: Session, version: JudgmentsVersion) -> tuple[Judgment, ...]:
    by_topic = answers_by_topic(db, version.campaign_id).values()
    return tuple(chain.from_iterable(judgments_of_topic(version.assessors, one) for one in by_topic))


def answer_count(db: Session, campaign_id: int) -> int:
    """How many current judgments there are."""
    return sum(len(one.codes) for one in answers_by_topic(db, campaign_id).values())


def judgments_of_topic(
    assessors: tuple[tuple[int, str, bool], ...], answers: TopicAnswers
) -> tuple[Judgment, ...]:
    """The current judgments of one topic, by docno (bytes), then assessor."""
    names = {number: name for number, name, _ in assessors}
    docnos, topic = answers.docnos, answers.topic
    found = []
    rows = zip(answers.places.tolist(), answers.assessors.tolist(), answers.codes.tolist(), strict=True)
    for place, assessor, code in rows:
        if code >= 0:
            found.append((place, names[assessor], code, Answer.GRADE))
        else:
            found.append((place, names[assessor], None, NOT_GRADES[code]))
    found.sort(key=itemgetter(0, 1))
    return tuple(Judgment(name, topic, docnos[place], grade, answer) for place, name, grade, answer in found)


class TickedBy(StrEnum):
    """When a subtopic counts as covered by a document that several assessors graded."""

    ANY = "any"
    MAJORITY = "majority"
    ALL = "all"


class AnnotatedJudgment(NamedTuple):
    """A current answer with everything recorded beside it. A tuple for speed: a file may have a million.

    `labels` are the words of the answers to further questions, where the question is asked still.
    """

    topic: str
    docno: str
    assessor: str
    answer: Answer
    grade: int | None
    reason: str
    comment: str
    extras: Annotations
    labels: dict[str, str]
    document_sha256: str | None
    recorded_at: datetime


def annotated_judgments(
    db: Session, campaign_id: int, *, since: str | None = None
) -> Iterator[AnnotatedJudgment]:
    """Every current answer, sorted by topic and docno as bytes, then by assessor; from a topic on, if named.

    One topic after the other is read.
    """
    event = JudgmentEventRow
    assessors = select(AssessorRow.id, AssessorRow.name).where(AssessorRow.campaign_id == campaign_id)
    names = dict(db.execute(assessors).all())
    topics = set(db.scalars(select(event.topic).where(event.campaign_id == campaign_id).distinct()))
    scales = {one.name: one.labels for one in desk_questions_of(db, campaign_id).questions}
    begin = b"" if since is None else id_bytes(since)
    for topic in sorted(topics, key=id_bytes):
        if id_bytes(topic) >= begin:
            yield from _annotated(db, campaign_id, topic, names, scales)


def _annotated(
    db: Session, campaign_id: int, topic: str, names: Mapping[int, str], scales: Mapping[str, Sequence[str]]
) -> list[AnnotatedJudgment]:
    """Those of one topic; `names` are of all assessors, by whom the index has the topic's events."""
    found = []
    for current, (shown, *beside) in annotated_events(db, campaign_id, topic, sorted(names)):
        extras = stored_annotations(*beside) if any(beside) else NO_ANNOTATIONS
        labels = {
            name: scales[name][value]
            for name, value in extras.ratings.items()
            if value < len(scales.get(name, ()))
        }
        found.append(
            AnnotatedJudgment(
                current.topic, current.docno, names[current.assessor_id], ANSWERS[current.answer],
                current.grade, current.reason, current.comment, extras, labels, shown, current.recorded_at,
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: (id_bytes(one.docno), one.assessor))


def judgment_json(one: AnnotatedJudgment) -> dict[str, Any]:
    """An answer as one JSON object of a file; passages by their offsets in UTF-16 units and their words."""
    passages = [
        {"start": each.start, "end": each.end, "quote": each.quote} for each in one.extras.evidence or ()
    ]
    return {
        "topic": one.topic,
        "docno": one.docno,
        "assessor": one.assessor,
        "answer": str(one.answer),
        "grade": one.grade,
        "reason": one.reason,
        "comment": one.comment,
        "evidence": passages,
        "ratings": {
            name: {"value": value, "label": one.labels.get(name)}
            for name, value in one.extras.ratings.items()
        },
        "subtopics": list(one.extras.subtopics),
        "document_sha256": one.document_sha256,
        "recorded_at": one.recorded_at.isoformat(),
    }


def judgment_line(one: AnnotatedJudgment) -> str:
    """The same as `json.dumps` writes it, without ASCII for other characters."""
    if one.extras is not NO_ANNOTATIONS:
        return json.dumps(judgment_json(one), ensure_ascii=False)
    # Of most answers this is known but for some texts: a third of the time of json.dumps.
    grade = "null" if one.grade is None else one.grade
    shown = "null" if one.document_sha256 is None else _quoted(one.document_sha256)
    return (
        f'{{"topic": {_quoted(one.topic)}, "docno": {_quoted(one.docno)}, '
        f'"assessor": {_quoted(one.assessor)}, "answer": {_quoted(one.answer)}, "grade": {grade}, '
        f'"reason": {_quoted(one.reason)}, "comment": {_quoted(one.comment)}, "evidence": [], '
        f'"ratings": {{}}, "subtopics": [], "document_sha256": {shown}, '
        f'"recorded_at": "{one.recorded_at.isoformat()}"}}'
    )


def subtopic_judgments(
    db: Session, campaign_id: int, *, ticked_by: TickedBy = TickedBy.MAJORITY
) -> Iterator[tuple[str, str, str, int]]:
    """Topic, subtopic, docno and 1 or 0 for every graded pair of the topics that have subtopics.

    By topic and docno as bytes. Of a pair's graders anybody, more than half of them, or all must have ticked
    the subtopic.
    """
    subtopics = {topic.id: [one for one, _ in topic.subtopics] for topic in topics_of(db, campaign_id)}
    if not any(subtopics.values()):
        return
    graded = (
        one
        for one in annotated_judgments(db, campaign_id)
        if one.answer is Answer.GRADE and subtopics.get(one.topic)
    )
    for (topic, docno), judged in groupby(graded, key=attrgetter("topic", "docno")):
        extras = [one.extras for one in judged]
        for subtopic in subtopics[topic]:
            ticks = sum(subtopic in each.subtopics for each in extras)
            yield topic, subtopic, docno, int(_counts(ticks, len(extras), ticked_by))


def _counts(ticks: int, graders: int, ticked_by: TickedBy) -> bool:
    match ticked_by:
        case TickedBy.ANY:
            return ticks > 0
        case TickedBy.ALL:
            return ticks == graders
        case TickedBy.MAJORITY:
            return 2 * ticks > graders
