"""The ratings of a campaign that an agreement report includes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.options import AgreementOptions, Basis, Occasion
from workbench.agreement.ratings import CANNOT_JUDGE, NO_ANSWER, UNSURE, Answers, Assessor
from workbench.agreement.selection import Selection, select_ratings
from workbench.errors import rejected
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN
from workbench.storage.tables import CollectionListRow
from workbench.workflow.agreement.independent_answers import (
    GivenAnswer,
    Pair,
    anything_discussed,
    discussed_answers,
    discussions_version,
)
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import document_count
from workbench.workflow.log import answers_by_topic
from workbench.workflow.people.assessors import assessors_of

_NO_GRADE = {
    Answer.UNSURE: UNSURE,
    Answer.CANNOT_JUDGE: CANNOT_JUDGE,
    WITHDRAWN: NO_ANSWER,
    LATER: NO_ANSWER,
}


@dataclass(frozen=True, slots=True)
class ComparedGrades:
    """The grades of a campaign's scale, highest first, the lowest relevant one, whether all are compared."""

    scale: tuple[int, ...]
    relevant_from: int
    graded: bool

    @property
    def categories(self) -> tuple[int, ...]:
        """What is compared, highest first: the grades, or 1 for relevant and 0 for not."""
        return self.scale if self.graded else (1, 0)

    @property
    def lowest_relevant(self) -> int:
        """The lowest of the categories that is relevant."""
        return self.relevant_from if self.graded else 1

    def category(self, grade: int) -> int:
        """The category of a grade of the scale."""
        return grade if self.graded else int(self.relevant(grade))

    def relevant(self, grade: int) -> bool:
        """Whether a grade of the scale is relevant."""
        return grade >= self.relevant_from


def compared_grades(
    db: Session, campaign_id: int, *, relevant_from: int | None, graded: bool
) -> ComparedGrades:
    """What is compared of a campaign's grades; the threshold is the campaign's own where it is None.

    Raises InvalidInput for a threshold that the scale has not, or from which on all its grades are relevant.
    """
    scale = campaign_of(db, campaign_id).scale
    grades = tuple(sorted((grade.value for grade in scale.grades), reverse=True))
    threshold = scale.relevant_from if relevant_from is None else relevant_from
    if threshold not in grades[:-1]:
        message = f"{threshold} cannot be the lowest relevant grade"
        remedy = f"choose {' or '.join(map(str, reversed(grades[:-1])))}"
        raise rejected("Agreement", None, "relevant_from", message, remedy)
    return ComparedGrades(grades, threshold, graded)


def campaign_ratings(db: Session, campaign_id: int, options: AgreementOptions) -> Selection:
    """The ratings of a campaign that the options include.

    Without a threshold of its own relevant is what the campaign calls so. Under the basis `all-documents` the
    number of documents is that of the collection's list, else of those loaded, unless given. Raises
    InvalidInput for a grade that cannot be the threshold, else as `select_ratings` does.
    """
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    documents = options.documents
    if options.basis is Basis.ALL and documents is None:
        documents = known_documents(db, campaign_id)
    chosen = replace(options, relevant_from=grades.relevant_from, documents=documents)
    before = answers_before_discussion(db, campaign_id)
    answers = campaign_answers(db, campaign_id, before if options.answers is Occasion.INDEPENDENT else {})
    found = select_ratings(answers, grades.scale, chosen)
    discussed = len({pair for _, pair in before} & set(found.pairs)) if before else 0
    if not discussed:
        return found
    return replace(found, sentence=f"{found.sentence}; {_of_discussed(discussed, options)}")


def _of_discussed(discussed: int, options: AgreementOptions) -> str:
    """What a reader must know of the pairs compared that were discussed."""
    count = f"{discussed:,} pair{' that was' if discussed == 1 else 's that were'} returned for discussion"
    first = options.answers is Occasion.INDEPENDENT
    return f"of {count} the {'answers before it' if first else 'current answers'} count"


def campaign_answers(
    db: Session, campaign_id: int, instead: Mapping[tuple[int, Pair], GivenAnswer] | None = None
) -> Answers:
    """The current answers of every assessor of a campaign; `instead` replaces some, by assessor and pair."""
    rows = assessors_of(db, campaign_id)
    by_topic = tuple(answers_by_topic(db, campaign_id).values())
    sizes = [one.documents for one in by_topic]
    highest = max((int(one.codes.max(initial=0)) for one in by_topic), default=0)
    number = np.int16 if highest <= np.iinfo(np.int16).max else np.int64
    grades = np.full((len(rows), sum(sizes)), NO_ANSWER, dtype=number)
    ids = np.array([one.id for one in rows], np.int64)
    sorting = np.argsort(ids)
    starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    for start, one in zip(starts.tolist(), by_topic, strict=False):
        at = sorting[np.searchsorted(ids, one.assessors, sorter=sorting)]
        grades[at, start + one.places] = one.codes
    pairs = tuple((one.topic, docno) for one in by_topic for docno in one.docnos)
    if instead:
        row = {one.id: at for at, one in enumerate(rows)}
        column = {pair: at for at, pair in enumerate(pairs)}
        for (assessor, pair), (answer, grade) in instead.items():
            if assessor in row and pair in column:
                grades[row[assessor], column[pair]] = _NO_GRADE[answer] if grade is None else grade
    return Answers(
        tuple(Assessor(one.name, one.machine) for one in rows),
        grades,
        pairs,
        np.repeat(np.arange(len(sizes)), sizes),
        tuple(one.topic for one in by_topic),
    )


def independent_answers(db: Session, campaign_id: int) -> Answers:
    """The same as they were before any discussion."""
    return campaign_answers(db, campaign_id, answers_before_discussion(db, campaign_id))


def answers_before_discussion(db: Session, campaign_id: int) -> Mapping[tuple[int, Pair], GivenAnswer]:
    """What `discussed_answers` finds, nothing where no pair was ever discussed."""
    spoken = anything_discussed(db, campaign_id) or discussions_version(db, campaign_id)
    return discussed_answers(db, campaign_id) if spoken else {}


def known_documents(db: Session, campaign_id: int) -> int | None:
    """How many documents the collection has: by its list, else as many as were loaded; None without any."""
    listed = db.scalar(select(CollectionListRow.docnos).where(CollectionListRow.campaign_id == campaign_id))
    return listed if listed is not None else document_count(db, campaign_id) or None
