"""The ratings of a campaign that an agreement report includes, and what of them is independent.

A pair that was returned to its assessors shows them each other's opinions. What an assessor had answered when
the pair was returned first was said independently; whatever came afterwards was not, however it was given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session, aliased

from workbench.agreement.options import AgreementOptions, Basis, Occasion
from workbench.agreement.ratings import CANNOT_JUDGE, NO_ANSWER, UNSURE, Answers, Assessor, unanswered
from workbench.agreement.selection import Selection, select_ratings
from workbench.errors import rejected
from workbench.frozen import frozen_dataclass
from workbench.records import Answer
from workbench.storage.events import CURRENT_PURPOSES, DISCUSSION, LATER, WITHDRAWN
from workbench.storage.tables import AdjudicationEventRow, CollectionListRow, JudgmentEventRow
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.campaigns.collection import document_count
from workbench.workflow.log import answers_by_topic, columns_of
from workbench.workflow.people.membership import assessors_of

RETURNED = "back"
Pair = tuple[str, str]
GivenAnswer = tuple[str, int | None]
"""An answer, and its grade where it is one."""


def discussed_answers(db: Session, campaign_id: int) -> Mapping[tuple[int, Pair], GivenAnswer]:
    """What each assessor, by number, had answered about a pair when it was returned to them first.

    A pair that was returned by mistake, and withdrawn before anybody answered, was not discussed. Of a
    discussion held elsewhere, and of assessors who had not answered when a pair was returned, it is the
    answer before their first one in the discussion; where there is none, that answer is withdrawn.
    """
    event = AdjudicationEventRow
    rows = db.execute(
        select(event.topic, event.docno, event.decision, event.seen)
        .where(event.campaign_id == campaign_id, event.decision.in_([RETURNED, WITHDRAWN]))
        .order_by(event.id)
    ).all()
    found: dict[Pair, dict[int, GivenAnswer]] = {}
    undone: set[Pair] = set()
    for topic, docno, decision, seen in rows:
        pair = (topic, docno)
        if decision == WITHDRAWN:
            undone |= {pair} & found.keys()
            continue
        undone.discard(pair)
        for _, assessor_id, answer, grade in seen:
            found.setdefault(pair, {}).setdefault(assessor_id, (answer, grade))
    undone -= _discussed_pairs(db, campaign_id) if undone else set()
    returned = {
        (assessor_id, pair): given
        for pair, of_pair in found.items()
        if pair not in undone
        for assessor_id, given in of_pair.items()
    }
    # Where nobody discussed anything, all events would be read to find none.
    spoken = anything_discussed(db, campaign_id)
    return (_before_own_first(db, campaign_id) if spoken else {}) | returned


def _before_own_first(db: Session, campaign_id: int) -> dict[tuple[int, Pair], GivenAnswer]:
    """What each assessor had answered about a pair just before the first answer in a discussion."""
    event, earlier = JudgmentEventRow, aliased(JudgmentEventRow)
    own = (event.assessor_id, event.topic, event.docno)
    first = (
        select(*own, func.min(event.id).label("first"))
        .where(event.campaign_id == campaign_id, event.purpose == DISCUSSION)
        .group_by(*own)
        .subquery()
    )
    rows = db.execute(
        select(first.c.assessor_id, first.c.topic, first.c.docno, earlier.answer, earlier.grade)
        .outerjoin(
            earlier,
            (earlier.campaign_id == campaign_id)
            & (earlier.assessor_id == first.c.assessor_id)
            & (earlier.topic == first.c.topic)
            & (earlier.docno == first.c.docno)
            & (earlier.purpose.in_(CURRENT_PURPOSES))
            & (earlier.id < first.c.first),
        )
        .order_by(earlier.id)
    )
    # Of several earlier answers the last one stays.
    return {
        (who, (topic, docno)): (WITHDRAWN if answer is None else answer, grade)
        for who, topic, docno, answer, grade in rows
    }


def _discussed_pairs(db: Session, campaign_id: int) -> set[Pair]:
    """The pairs about which anybody has answered in a discussion."""
    event = JudgmentEventRow
    if not anything_discussed(db, campaign_id):
        return set()
    rows = db.execute(
        select(event.topic, event.docno)
        .where(event.campaign_id == campaign_id, event.purpose == DISCUSSION)
        .distinct()
    )
    return {(topic, docno) for topic, docno in rows}


def anything_discussed(db: Session, campaign_id: int) -> bool:
    """Whether anybody has answered in a discussion."""
    return any(one.discussed for one in answers_by_topic(db, campaign_id).values())


def discussions_version(db: Session, campaign_id: int) -> int:
    """What identifies the pairs returned so far: as long as it is equal, so are they."""
    newest = select(func.max(AdjudicationEventRow.id)).where(AdjudicationEventRow.campaign_id == campaign_id)
    return db.scalar(newest) or 0


_NO_GRADE = {
    Answer.UNSURE: UNSURE,
    Answer.CANNOT_JUDGE: CANNOT_JUDGE,
    WITHDRAWN: NO_ANSWER,
    LATER: NO_ANSWER,
}


@frozen_dataclass
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
    given = columns_of(answers_by_topic(db, campaign_id).values())
    before = (grade for _, grade in (instead or {}).values() if grade is not None)
    highest = max([int(given.codes.max(initial=0)), *before])
    grades = unanswered((len(rows), len(given.docnos)), highest)
    ids = np.array([one.id for one in rows], np.int64)
    sorting = np.argsort(ids)
    grades[sorting[np.searchsorted(ids, given.assessors, sorter=sorting)], given.pairs] = given.codes
    sizes = np.diff(given.starts)
    names = (topic for topic, size in zip(given.topics, sizes.tolist(), strict=True) for _ in range(size))
    docnos = (docno.decode("utf-8", "surrogateescape") for docno in given.docnos)
    pairs = tuple(zip(names, docnos, strict=True))
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
        given.topics,
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
