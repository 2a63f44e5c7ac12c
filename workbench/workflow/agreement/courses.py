"""The course of each person's judging on the screen, beside what the other people say of the same pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.course import Course
from workbench.agreement.several.answers import Answers, Pair
from workbench.agreement.table import MISSING
from workbench.records import Answer
from workbench.storage.events import JUDGING, LATER, WITHDRAWN
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.agreement.compared_grades import ComparedGrades
from workbench.workflow.judging.importing import IMPORTED


@dataclass(frozen=True, slots=True)
class OnScreen:
    """An answer that holds: of which pair, its grade or None, when it was recorded, active milliseconds."""

    pair: Pair
    grade: int | None
    moment: datetime
    active_ms: int | None


def said_on_screen(db: Session, campaign_id: int) -> dict[str, list[OnScreen]]:
    """By person, by name, the answers given on the screen that hold, as they were recorded.

    What files brought is left out, since they do not say when each pair was judged, and so is what was said
    to probes, in training and in discussions.
    """
    event = JudgmentEventRow
    rows = db.execute(
        select(
            AssessorRow.name,
            event.topic,
            event.docno,
            event.answer,
            event.grade,
            event.recorded_at,
            event.active_ms,
        )
        .join(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(
            event.campaign_id == campaign_id,
            event.purpose == JUDGING,
            event.source.not_like(f"{IMPORTED}%"),
            AssessorRow.machine.is_(False),
        )
        .order_by(AssessorRow.name, event.id)
    )
    said: dict[str, dict[Pair, OnScreen]] = {}
    for name, topic, docno, answer, grade, recorded_at, active_ms in rows:
        own, pair = said.setdefault(name, {}), (topic, docno)
        own.pop(pair, None)
        if answer not in (WITHDRAWN, LATER):
            own[pair] = OnScreen(pair, grade if answer == Answer.GRADE else None, recorded_at, active_ms)
    # What was taken from the front and said again stands last, where it was recorded.
    return {name: sorted(own.values(), key=lambda one: one.moment) for name, own in said.items() if own}


def course_of(name: str, said: Sequence[OnScreen], answers: Answers, grades: ComparedGrades) -> Course:
    """The course of one person's judging, against all that other people say now in `answers`."""
    categories = grades.categories
    place = {pair: column for column, pair in enumerate(answers.pairs)}
    rows = [row for row, voice in enumerate(answers.voices) if not voice.machine and voice.name != name]
    others = np.zeros((len(said), len(categories)), dtype=np.int64)
    codes = np.full(len(said), MISSING, dtype=np.int8)
    for at, one in enumerate(said):
        if one.grade is not None:
            codes[at] = categories.index(grades.category(one.grade))
        for theirs in answers.grades[rows, place[one.pair]].tolist() if one.pair in place else ():
            if theirs >= 0:
                others[at, categories.index(grades.category(theirs))] += 1
    numbers = {topic: number for number, topic in enumerate(dict.fromkeys(one.pair[0] for one in said))}
    return Course(
        moments=np.array([one.moment.timestamp() for one in said]),
        codes=codes,
        others=others,
        seconds=np.array([one.active_ms / 1000 if one.active_ms else np.nan for one in said]),
        topics=np.array([numbers[one.pair[0]] for one in said], dtype=np.int64),
    )
