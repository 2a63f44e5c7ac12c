"""The ratings of a campaign that an agreement report includes."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING, MOST_CATEGORIES
from workbench.agreement.options import AgreementOptions, Basis, Occasion
from workbench.agreement.ratings import CANNOT_JUDGE, NO_ANSWER, UNSURE, Answers, Assessor, Ratings
from workbench.agreement.selection import Selection, chosen_assessors, select_ratings
from workbench.agreement.selection_by_topic import Chosen, GradedTopic, select_by_topic
from workbench.errors import Finding, InvalidInput
from workbench.records import Answer
from workbench.storage.events import LATER, WITHDRAWN
from workbench.storage.tables import CollectionListRow, DocumentRow
from workbench.workflow.agreement.independent_answers import (
    GivenAnswer,
    Pair,
    discussed_answers,
    discussions_version,
)
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.current_judgments import recorded_version
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.topic_answers import TopicAnswers


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
        raise InvalidInput([Finding("Agreement", None, "from", message, remedy)])
    return ComparedGrades(grades, threshold, graded)


State = tuple[str, int, tuple[tuple[int, Assessor], ...], Hashable, int]
_NO_GRADE = {
    Answer.UNSURE: UNSURE,
    Answer.CANNOT_JUDGE: CANNOT_JUDGE,
    WITHDRAWN: NO_ANSWER,
    LATER: NO_ANSWER,
}


class RatingsState(NamedTuple):
    """What ratings are selected from: as long as it is equal, the same options select the same.

    `judgments` is their state, `documents` the size of the collection where it matters.
    """

    judgments: State
    grades: ComparedGrades
    documents: int | None


def ratings_state(db: Session, campaign_id: int, options: AgreementOptions) -> RatingsState:
    """What the ratings that the options include are selected from now; raises as `campaign_ratings` does."""
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    documents = options.documents
    if options.basis is Basis.ALL and documents is None:
        documents = known_documents(db, campaign_id)
    return RatingsState(judgments_version(db, campaign_id), grades, documents)


def campaign_ratings(db: Session, campaign_id: int, options: AgreementOptions) -> Selection:
    """The ratings of a campaign that the options include.

    Without a threshold of its own relevant is what the campaign calls so. Under the basis `all-documents` the
    number of documents is that of the collection's list, else of those loaded, unless given. Raises
    InvalidInput for a grade that cannot be the threshold, else as `select_ratings` does.
    """
    state = ratings_state(db, campaign_id, options)
    for which in Occasion:
        _ANSWERS.forget((state.judgments[:2], which), unless=state.judgments)
    chosen = replace(options, relevant_from=state.grades.relevant_from, documents=state.documents)

    def make() -> Selection:
        replaced = _replaced(db, campaign_id, options.answers)
        found = selection_by_topic(
            db, campaign_id, state.judgments[2], state.grades.scale, chosen, replaced
        ) or select_ratings(answers_of_campaign(db, campaign_id, options.answers), state.grades.scale, chosen)
        caveats = _caveats(db, campaign_id, found, options)
        return replace(found, sentence="; ".join([found.sentence, *caveats]))

    # How grades are computed with does not matter to which are included.
    including = (
        chosen.answers, chosen.basis, chosen.singles, chosen.machines, chosen.assessors,
        chosen.relevant_from, chosen.graded, chosen.documents,
    )  # fmt: skip
    return _SELECTIONS.get((*state.judgments[:2], including), make, version=state, patience=0.0)


def answers_on(db: Session, campaign_id: int, which: Occasion) -> Iterator[TopicAnswers]:
    """The current answers of every topic that has any, or the independent ones."""
    return answers_with(db, campaign_id, _replaced(db, campaign_id, which))


def answers_of_campaign(db: Session, campaign_id: int, which: Occasion) -> Answers:
    """The current answers of every assessor of a campaign, or the independent ones.

    They differ on pairs that were discussed alone. Cached until a judgment is added or a pair is returned.
    """
    key = judgments_version(db, campaign_id)
    of_campaign = key[:2]
    current = _ANSWERS.get(
        (of_campaign, Occasion.CURRENT),
        lambda: _read(db, campaign_id, key[2]),
        version=key,
        patience=0.0,
    )
    if which is Occasion.CURRENT:
        return current
    return _ANSWERS.get(
        (of_campaign, which),
        lambda: _before_discussion(db, campaign_id, current, key[2]),
        version=key,
        patience=0.0,
    )


def _before_discussion(
    db: Session, campaign_id: int, current: Answers, assessors: tuple[tuple[int, Assessor], ...]
) -> Answers:
    before = answers_before_discussion(db, campaign_id)
    if not before:
        return current
    row = {number: at for at, (number, _) in enumerate(assessors)}
    column = {pair: at for at, pair in enumerate(current.pairs)}
    grades = current.grades.copy()
    for (assessor_id, pair), (answer, grade) in before.items():
        if assessor_id in row and pair in column:
            grades[row[assessor_id], column[pair]] = _NO_GRADE[answer] if grade is None else grade
    return replace(current, grades=grades)


def _replaced(db: Session, campaign_id: int, which: Occasion) -> Replaced:
    """By topic the answers before a discussion, where these count instead of the current ones."""
    if which is Occasion.CURRENT:
        return {}
    found: dict[str, list[tuple[int, str, int]]] = {}
    for (assessor_id, (topic, docno)), (answer, grade) in answers_before_discussion(db, campaign_id).items():
        found.setdefault(topic, []).append(
            (assessor_id, docno, _NO_GRADE[answer] if grade is None else grade)
        )
    return {topic: tuple(sorted(several)) for topic, several in found.items()}


def nothing_discussed(db: Session, campaign_id: int) -> bool:
    """Whether no pair was ever discussed, so that the current answers are the independent ones."""
    return not answers_before_discussion(db, campaign_id)


def answers_before_discussion(db: Session, campaign_id: int) -> Mapping[tuple[int, Pair], GivenAnswer]:
    """What `discussed_answers` finds, kept until a judgment is added or a pair is returned."""
    by_topic = answers_by_topic(db, campaign_id)
    if not any(one.discussed for one in by_topic.values()) and not discussions_version(db, campaign_id):
        return {}
    key = judgments_version(db, campaign_id)
    return _DISCUSSED.get(key, lambda: discussed_answers(db, campaign_id))


def _caveats(db: Session, campaign_id: int, found: Selection, options: AgreementOptions) -> Iterator[str]:
    """What a reader must know of the pairs compared: that some were discussed."""
    discussed = found.included.count({pair for _, pair in answers_before_discussion(db, campaign_id)})
    if discussed:
        first = options.answers is Occasion.INDEPENDENT
        count = (
            f"{discussed:,} pair{' that was' if discussed == 1 else 's that were'} returned for discussion"
        )
        yield f"of {count} the {'answers before it' if first else 'current answers'} count"


def judgments_version(db: Session, campaign_id: int) -> State:
    """What identifies the judgments of a campaign, and those that were discussed."""
    found = recorded_version(db, campaign_id)
    assessors = tuple((number, Assessor(name, machine)) for number, name, machine in found.assessors)
    returned = discussions_version(db, campaign_id)
    return (found.database, campaign_id, assessors, (found.newest, found.last, found.changes), returned)


def known_documents(db: Session, campaign_id: int) -> int | None:
    """How many documents the collection has: by its list, else as many as were loaded; None without any."""
    listed = db.scalar(select(CollectionListRow.docnos).where(CollectionListRow.campaign_id == campaign_id))
    if listed is not None:
        return listed
    return (
        db.scalar(select(func.count()).select_from(DocumentRow).where(DocumentRow.campaign_id == campaign_id))
        or None
    )


def _read(db: Session, campaign_id: int, assessors: tuple[tuple[int, Assessor], ...]) -> Answers:
    by_topic = tuple(answers_by_topic(db, campaign_id).values())
    sizes = [one.documents for one in by_topic]
    highest = max((int(one.codes.max(initial=0)) for one in by_topic), default=0)
    number = np.int16 if highest <= np.iinfo(np.int16).max else np.int64
    grades = np.full((len(assessors), sum(sizes)), NO_ANSWER, dtype=number)
    order = np.array([number for number, _ in assessors], np.int64)
    sorting = np.argsort(order)
    start = 0
    for one in by_topic:
        rows = sorting[np.searchsorted(order, one.assessors, sorter=sorting)]
        grades[rows, start + one.places] = one.codes
        start += one.documents
    return Answers(
        tuple(assessor for _, assessor in assessors),
        grades,
        tuple(chain.from_iterable(one.keep("pairs", _pairs) for one in by_topic)),
        np.repeat(np.arange(len(sizes)), sizes),
        tuple(one.topic for one in by_topic),
    )


def _pairs(answers: TopicAnswers) -> tuple[Pair, ...]:
    return tuple((answers.topic, docno) for docno in answers.docnos)


# Of a campaign the answers of its last state alone: a number for each assessor and pair is half a gigabyte
# of a million pairs.
_ANSWERS: Cache[Hashable, Answers] = Cache(8)
_SELECTIONS: Cache[Hashable, Selection] = Cache(4)
_DISCUSSED: Cache[State, Mapping[tuple[int, Pair], GivenAnswer]] = Cache(4)


Replaced = Mapping[str, tuple[tuple[int, str, int], ...]]
"""By topic what other answers count than the current ones: assessor, docno and code."""

Counted = NDArray[np.int64]
"""A row for each assessor of a topic: the id, and how many grades, unsure and cannot judge."""


def selection_by_topic(
    db: Session,
    campaign_id: int,
    assessors: tuple[tuple[int, Assessor], ...],
    scale: tuple[int, ...],
    options: AgreementOptions,
    replaced: Replaced,
) -> Selection | None:
    """What `select_ratings` selects of a campaign's answers, from what is kept of its topics.

    `scale` has the grades, highest first; `replaced` are answers that count instead of current ones. None
    where that cannot be: pairs count that nobody judged twice, or a grade is not on the scale. Raises
    WorkbenchError as `select_ratings` does.
    """
    if options.basis is not Basis.BOTH or len(scale) > MOST_CATEGORIES:
        return None
    answers = list(answers_with(db, campaign_id, replaced))
    counts = _by_assessor([one.keep("answer counts", _counted) for one in answers])
    gave = [counts[number][0] if number in counts else 0 for number, _ in assessors]
    rows = chosen_assessors([one for _, one in assessors], gave, options.assessors, options.machines)
    ids = tuple(assessors[row][0] for row in rows)
    place = {number: at for at, number in enumerate(ids)}
    topics = []
    for one in answers:
        graders = one.keep("graders", _graders)
        own = tuple(sorted((number for number in graders if number in place), key=place.__getitem__))
        if own:
            graded = one.keep(("graded", own, scale), partial(_graded, own, scale))
            if graded is None:
                return None
            topics.append(graded)
    chosen = Chosen(
        tuple(assessors[row][1] for row in rows),
        ids,
        sum(counts[number][1] for number in ids),
        sum(counts[number][2] for number in ids),
    )
    return select_by_topic(topics, chosen, scale, options)


def answers_with(db: Session, campaign_id: int, replaced: Replaced) -> Iterator[TopicAnswers]:
    """The current answers of every topic that has any, with others that count instead of them."""
    for topic, one in answers_by_topic(db, campaign_id).items():
        others = replaced.get(topic)
        yield one if others is None else one.keep(("replaced", others), partial(_with_others, others))


def _with_others(others: tuple[tuple[int, str, int], ...], answers: TopicAnswers) -> TopicAnswers:
    """The answers with others in their places, of documents that have any; NO_ANSWER stands for none."""
    at = {docno: place for place, docno in enumerate(answers.docnos)}
    given = dict(
        zip(
            zip(answers.places.tolist(), answers.assessors.tolist(), strict=True),
            answers.codes.tolist(),
            strict=True,
        )
    )
    given |= {(at[docno], assessor): code for assessor, docno, code in others if docno in at}
    rows = sorted((*where, code) for where, code in given.items() if code != NO_ANSWER)
    places, assessors, codes = zip(*rows, strict=True) if rows else ((), (), ())
    return TopicAnswers(
        answers.topic,
        answers.joined,
        answers.documents,
        np.array(places, np.int32),
        np.array(assessors, np.int64),
        np.array(codes, np.int64),
        answers.discussed,
    )


def _counted(answers: TopicAnswers) -> Counted:
    who, rows = np.unique(answers.assessors, return_inverse=True)
    kinds = (answers.codes >= 0, answers.codes == UNSURE, answers.codes == CANNOT_JUDGE)
    return np.stack([who, *(np.bincount(rows[kind], minlength=len(who)) for kind in kinds)], axis=1)


def _by_assessor(several: list[Counted]) -> dict[int, tuple[int, int, int]]:
    """How many grades, unsure and cannot judge there are of each assessor, by id."""
    if not several:
        return {}
    every = np.concatenate(several)
    who, rows = np.unique(every[:, 0], return_inverse=True)
    sums = np.zeros((len(who), 3), np.int64)
    np.add.at(sums, rows, every[:, 1:])
    return {
        number: (grades, unsure, cannot)
        for number, (grades, unsure, cannot) in zip(who.tolist(), sums.tolist(), strict=True)
    }


def _graders(answers: TopicAnswers) -> tuple[int, ...]:
    return tuple(np.unique(answers.assessors[answers.codes >= 0]).tolist())


def _graded(who: tuple[int, ...], scale: tuple[int, ...], answers: TopicAnswers) -> GradedTopic | None:
    """The grades of some assessors, None where one is not on the scale."""
    there = answers.codes >= 0
    there &= np.isin(answers.assessors, np.array(who))
    given, assessors = answers.codes[there], answers.assessors[there]
    codes = np.full(len(given), MISSING, np.int8)
    for place, grade in enumerate(scale):
        codes[given == grade] = place
    if (codes == MISSING).any():
        return None
    documents, columns = np.unique(answers.places[there], return_inverse=True)
    order = np.argsort(who)
    table = np.full((len(who), len(documents)), MISSING, np.int8)
    table[order[np.searchsorted(who, assessors, sorter=order)], columns] = codes
    ratings = Ratings(table, scale, np.zeros(len(documents), np.int64), 1)
    return GradedTopic(answers.topic, who, ratings, partial(_docnos, answers.joined, documents))


def _docnos(joined: bytes, documents: NDArray[np.int32]) -> list[str]:
    docnos = joined.decode("utf-8", "surrogateescape").split("\n")
    return [docnos[place] for place in documents.tolist()]
