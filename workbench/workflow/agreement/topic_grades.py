"""The grades of a campaign by topic, as they are compared: made anew where an answer was added."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING, MOST_CATEGORIES
from workbench.agreement.options import AgreementOptions, Basis
from workbench.agreement.ratings import CANNOT_JUDGE, NO_ANSWER, UNSURE, Assessor, Ratings
from workbench.agreement.selection import Selection, chosen_assessors
from workbench.agreement.selection_by_topic import Chosen, GradedTopic, select_by_topic
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.topic_answers import TopicAnswers

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
