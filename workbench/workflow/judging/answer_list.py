"""Single answers of a campaign, found by who gave them, on what, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.records import Answer
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.judging.current_judgments import NOT_GRADES
from workbench.workflow.log import CODES, TopicAnswers, answers_by_topic
from workbench.workflow.people.assessors import AssessorLine, assessors_of


@dataclass(frozen=True, slots=True)
class SoughtAnswers:
    """Which answers are sought; an empty field takes all. `answer` is a grade in digits, or an Answer.

    `docno` is a part of the docno, whatever the case; with `commented` those only that have a comment.
    """

    assessor: str = ""
    topic: str = ""
    answer: str = ""
    docno: str = ""
    commented: bool = False


@dataclass(frozen=True, slots=True)
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
