"""The current judgments of a campaign: alone, with their annotations, as a list to search, and as files.

The files are made topic by topic, so that millions take little memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.formats.judgments import group_names, write_judgment_groups, write_judgments
from workbench.formats.qrels import write_subtopic_qrels
from workbench.frozen import frozen_dataclass
from workbench.records import Answer, Judgment, id_bytes
from workbench.storage.events import annotated_events
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.campaigns.collection import topics_of
from workbench.workflow.judging.desk_rules import desk_questions_of
from workbench.workflow.judging.submission import NO_ANNOTATIONS, Annotations, stored_annotations
from workbench.workflow.log import CODES, TopicAnswers, answers_by_topic
from workbench.workflow.people.membership import AssessorLine, assessor_names, assessors_of

_quoted = json.encoder.encode_basestring


NOT_GRADES: Mapping[int, Answer] = {code: Answer(answer) for answer, code in CODES.items()}
"""The answers that are no grade, by how they stand in arrays."""

ANSWERS: Mapping[str, Answer] = {str(answer): answer for answer in Answer}
"""The answers by how they stand in events."""


def current_judgments(db: Session, campaign_id: int) -> tuple[Judgment, ...]:
    """The current judgments of every assessor, by topic and docno (bytes), then assessor."""
    return tuple(chain.from_iterable(_by_topic(db, campaign_id)))


def _by_topic(db: Session, campaign_id: int) -> Iterator[tuple[Judgment, ...]]:
    names = assessor_names(db, campaign_id)
    return (judgments_of_topic(names, one) for one in answers_by_topic(db, campaign_id).values())


def answer_count(db: Session, campaign_id: int) -> int:
    """How many current judgments there are."""
    return sum(len(one.codes) for one in answers_by_topic(db, campaign_id).values())


def judgments_of_topic(names: Mapping[int, str], answers: TopicAnswers) -> tuple[Judgment, ...]:
    """The current judgments of one topic, by docno (bytes), then assessor; `names` are of all by number."""
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
    instructions: int | None
    recorded_at: datetime


def annotated_judgments(
    db: Session, campaign_id: int, *, since: str | None = None
) -> Iterator[AnnotatedJudgment]:
    """Every current answer, sorted by topic and docno as bytes, then by assessor; from a topic on, if named.

    One topic after the other is read.
    """
    event = JudgmentEventRow
    names = assessor_names(db, campaign_id)
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
    for current, (shown, version, *beside) in annotated_events(db, campaign_id, topic, sorted(names)):
        extras = stored_annotations(*beside) if any(beside) else NO_ANNOTATIONS
        labels = {
            name: scales[name][value]
            for name, value in extras.ratings.items()
            if value < len(scales.get(name, ()))
        }
        found.append(
            AnnotatedJudgment(
                current.topic, current.docno, names[current.assessor_id], ANSWERS[current.answer],
                current.grade, current.reason, current.comment, extras, labels, shown, version,
                current.recorded_at,
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
        "instructions": one.instructions,
        "recorded_at": one.recorded_at.isoformat(),
    }


def judgment_line(one: AnnotatedJudgment) -> str:
    """The same as `json.dumps` writes it, without ASCII for other characters."""
    if one.extras is not NO_ANNOTATIONS:
        return json.dumps(judgment_json(one), ensure_ascii=False)
    # Of most answers this is known but for some texts: a third of the time of json.dumps.
    grade = "null" if one.grade is None else one.grade
    shown = "null" if one.document_sha256 is None else _quoted(one.document_sha256)
    version = "null" if one.instructions is None else one.instructions
    return (
        f'{{"topic": {_quoted(one.topic)}, "docno": {_quoted(one.docno)}, '
        f'"assessor": {_quoted(one.assessor)}, "answer": {_quoted(one.answer)}, "grade": {grade}, '
        f'"reason": {_quoted(one.reason)}, "comment": {_quoted(one.comment)}, "evidence": [], '
        f'"ratings": {{}}, "subtopics": [], "document_sha256": {shown}, '
        f'"instructions": {version}, "recorded_at": "{one.recorded_at.isoformat()}"}}'
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


def judgment_table(db: Session, campaign_id: int) -> Iterator[bytes]:
    """The table that the import reads, by topic and docno (bytes), then assessor.

    Raises WorkbenchError as `write_judgments` does.
    """
    # As `current_judgments`, of which none is kept.
    return write_judgments(chain.from_iterable(_by_topic(db, campaign_id)))


def annotated_lines(db: Session, campaign_id: int) -> Iterator[bytes]:
    """A line of JSON for each current answer, with everything recorded beside it."""
    for one in annotated_judgments(db, campaign_id):
        yield f"{judgment_line(one)}\n".encode("utf-8", "surrogateescape")


def subtopic_lines(
    db: Session, campaign_id: int, *, ticked_by: TickedBy = TickedBy.MAJORITY
) -> Iterator[bytes]:
    """The subtopics that were ticked, as `topic subtopic docno judgment`."""
    lines = subtopic_judgments(db, campaign_id, ticked_by=ticked_by)
    for _, of_topic in groupby(lines, key=itemgetter(0)):
        yield from write_subtopic_qrels(of_topic)


def judgment_groups(db: Session, campaign_id: int) -> tuple[dict[str, str], Iterator[bytes]]:
    """Every assessor's grades as a group of their own: what each group is called, and the lines.

    The lines are as `write_judgment_groups` has them.
    """
    topics = answers_by_topic(db, campaign_id).values()
    graders: set[int] = set().union(*(np.unique(one.assessors[one.codes >= 0]).tolist() for one in topics))
    assessors = assessor_names(db, campaign_id)
    names = group_names(assessors[number] for number in graders)
    judged = _by_topic(db, campaign_id)
    return names, chain.from_iterable(write_judgment_groups(one, names=names) for one in judged)


@frozen_dataclass
class SoughtAnswers:
    """Which answers are sought; an empty field takes all. `answer` is a grade in digits, or an Answer.

    `docno` is a part of the docno, whatever the case; with `commented` those only that have a comment.
    """

    assessor: str = ""
    topic: str = ""
    answer: str = ""
    docno: str = ""
    commented: bool = False


@frozen_dataclass
class ListedAnswer:
    """A current answer with its comment, and when it was given."""

    topic: str
    docno: str
    assessor: AssessorLine
    answer: Answer
    grade: int | None
    comment: str
    recorded_at: datetime


def found_answers(
    db: Session, campaign_id: int, sought: SoughtAnswers, *, start: int, size: int
) -> tuple[int, list[ListedAnswer]]:
    """How many current answers are as sought, and `size` of them from number `start` on.

    They stand by topic, then document (bytes), then the assessors' ids.
    """
    people = {one.id: one for one in assessors_of(db, campaign_id)}
    commented = _commented(db, campaign_id) if sought.commented else None
    total, places = 0, list[tuple[TopicAnswers, int]]()
    for topic, answers in answers_by_topic(db, campaign_id).items():
        if sought.topic in ("", topic):
            chosen = np.flatnonzero(_chosen(answers, sought, people, commented))
            first = max(0, start - total)
            places += [(answers, at) for at in chosen[first : first + size - len(places)].tolist()]
            total += len(chosen)
    return total, _listed(db, campaign_id, places, people)


def _chosen(
    answers: TopicAnswers,
    sought: SoughtAnswers,
    people: dict[int, AssessorLine],
    commented: set[tuple[int, str, str]] | None,
) -> NDArray[np.bool_]:
    chosen = np.ones(len(answers.codes), bool)
    if sought.assessor:
        named = [number for number, one in people.items() if one.name == sought.assessor]
        chosen &= np.isin(answers.assessors, named)
    if sought.answer:
        code = CODES.get(sought.answer, int(sought.answer) if sought.answer.isdecimal() else None)
        chosen &= answers.codes == code if code is not None else False
    if sought.docno:
        part = sought.docno.casefold()
        chosen &= np.array([part in docno.casefold() for docno in answers.docnos], bool)[answers.places]
    if commented is not None:
        docnos = answers.docnos
        given = zip(answers.assessors.tolist(), answers.places.tolist(), strict=True)
        chosen &= np.array([(who, answers.topic, docnos[at]) in commented for who, at in given], bool)
    return chosen


def _commented(db: Session, campaign_id: int) -> set[tuple[int, str, str]]:
    event = JudgmentEventRow
    pairs = select(event.assessor_id, event.topic, event.docno)
    return {(*row,) for row in db.execute(pairs.where(event.campaign_id == campaign_id, event.comment != ""))}


def _listed(
    db: Session, campaign_id: int, places: list[tuple[TopicAnswers, int]], people: dict[int, AssessorLine]
) -> list[ListedAnswer]:
    chosen = [
        (int(one.assessors[at]), one.topic, one.docnos[one.places[at]], int(one.codes[at]))
        for one, at in places
    ]
    event = JudgmentEventRow
    rows = db.execute(
        select(event.assessor_id, event.topic, event.docno, event.comment, event.recorded_at)
        .where(
            event.campaign_id == campaign_id,
            event.topic.in_({topic for _, topic, _, _ in chosen}),
            event.docno.in_({docno for _, _, docno, _ in chosen}),
        )
        .order_by(event.id)
    )
    last = {(who, topic, docno): (comment, when) for who, topic, docno, comment, when in rows}
    return [
        ListedAnswer(
            topic,
            docno,
            people[who],
            Answer.GRADE if code >= 0 else NOT_GRADES[code],
            code if code >= 0 else None,
            *last[who, topic, docno],
        )
        for who, topic, docno, code in chosen
    ]
