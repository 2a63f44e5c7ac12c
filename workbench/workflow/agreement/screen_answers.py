"""The current answers that were given on the screen, topic by topic, with the moments of their recording.

They are kept with the answers of their topic, so that after a saved judgment one topic is read again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.storage.answer_columns import TimedColumns, timed_columns
from workbench.storage.events import LATER, WITHDRAWN
from workbench.workflow.judging.importing import IMPORTED
from workbench.workflow.pools.current_answers import changes_of
from workbench.workflow.pools.topic_answers import CODES, TopicAnswers

NOT_GRADED = -1
"""In the place of the grade of an answer that is none."""
_NONE = -2
# In its place where nothing is answered any more, or yet.
NOWHERE = -1
"""In the place of a document of which no answer is current."""


@dataclass(frozen=True, slots=True, eq=False)
class ScreenAnswers:
    """The answers given on the screen in one topic; all parts have one length.

    `assessors` and `events` are ids, `places` those of the documents in `TopicAnswers.docnos`, NOWHERE where
    it has none, `grades` the grades or NOT_GRADED, `moments` seconds since the beginning of 1970 in UTC, and
    `seconds` the active seconds, NaN where they are not known.
    """

    assessors: NDArray[np.int64]
    events: NDArray[np.int64]
    places: NDArray[np.int32]
    grades: NDArray[np.int32]
    moments: NDArray[np.float64]
    seconds: NDArray[np.float64]

    def others(
        self, answers: TopicAnswers, people: Collection[int], codes: NDArray[np.int64], q: int
    ) -> NDArray[np.int32]:
        """How many other people gave each of the pairs each of q categories, as it is current; shape (n, q).

        `answers` are the current ones of the topic, `people` ids, and `codes` the category of each grade.
        """
        given = answers.codes >= 0
        given &= np.isin(answers.assessors, np.fromiter(people, np.int64, len(people)))
        places, categories = answers.places[given].astype(np.int64), codes[answers.codes[given]]
        # One row more, of nobody's grades: the place of a pair without an answer.
        counts = np.bincount(places * q + categories, minlength=(answers.documents + 1) * q)
        found = counts.reshape(-1, q)[self.places].astype(np.int32)
        # No assessor has two current answers for a document, so that each is found by both.
        width = answers.documents + 1
        theirs, mine = answers.assessors[given] * width + places, self.assessors * width + self.places
        own = np.flatnonzero((self.places != NOWHERE) & np.isin(mine, theirs))
        order = np.argsort(theirs)
        at = order[np.searchsorted(theirs, mine[own], sorter=order)]
        found[own, categories[at]] -= 1
        return found


def screen_answers(
    db: Session, campaign_id: int, topics: Mapping[str, TopicAnswers], assessors: Collection[int]
) -> dict[str, ScreenAnswers]:
    """By topic what these assessors, by id, answered on the screen; `topics` are the current answers.

    What files brought is left out, since they do not say when each pair was judged, and so is what was said
    to probes, in training and in discussions.
    """
    make = partial(_read, db, campaign_id, assessors)
    # A transaction that is behind others must not keep what it reads with answers that are newer.
    if changes_of(db, campaign_id) < 0:
        return {topic: make(answers) for topic, answers in topics.items()}
    return {topic: answers.keep("on screen", make) for topic, answers in topics.items()}


def _read(db: Session, campaign_id: int, assessors: Collection[int], answers: TopicAnswers) -> ScreenAnswers:
    # Whoever has no current answer has none from the screen either, unless a discussion withdrew it.
    who = assessors if answers.discussed else np.unique(answers.assessors).tolist()
    place = {docno: at for at, docno in enumerate(answers.joined.split(b"\n")[: answers.documents])}
    several = [
        _of_assessor(columns, place)
        for columns in timed_columns(db, campaign_id, answers.topic, who, imported=IMPORTED)
    ]
    return ScreenAnswers(
        *(
            np.concatenate([np.empty(0, kind), *(one[at] for one in several)])
            for at, kind in enumerate((np.int64, np.int64, np.int32, np.int32, np.float64, np.float64))
        )
    )


def _of_assessor(columns: TimedColumns, place: Mapping[bytes, int]) -> tuple[NDArray[Any], ...]:
    """The parts of `ScreenAnswers` that are one assessor's."""
    grade = {answer: _grade(answer) for answer in set(columns.answers)}
    grades = np.fromiter(map(grade.__getitem__, columns.answers), np.int32, len(columns.answers))
    given = grades != _NONE
    places = [place.get(docno, NOWHERE) for docno in columns.docnos]
    known = columns.milliseconds != 0
    return (
        np.full(int(given.sum()), columns.assessor),
        columns.events[given],
        np.array(places, np.int32)[given],
        grades[given],
        columns.moments[given],
        np.where(known, columns.milliseconds / 1000, np.nan)[given],
    )


def _grade(answer: str) -> int:
    if answer in (WITHDRAWN, LATER):
        return _NONE
    return NOT_GRADED if answer in CODES else int(answer)
