"""Which pairs of a campaign are pooled, and which a person has graded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.storage.tables import AssessorRow, CampaignRow
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.log import TopicAnswers, answers_by_topic
from workbench.workflow.pools.pooled_topics import ByTopic, TopicDocnos, opened_by_topic


def pooled_pairs(db: Session, campaign_id: int) -> int:
    """How many different pairs the pools of a campaign have, drafts left out."""
    return sum(one.count for one in opened_by_topic(db, campaign_id).values())


def highest_grades(db: Session, campaign_id: int, of: str | None = None) -> dict[tuple[str, str], int]:
    """The highest grade that a person has given, by (topic, docno), pooled or not, in all topics or one."""
    machines = machines_of(db, campaign_id)
    highest: dict[tuple[str, str], int] = {}
    for topic, one in answers_by_topic(db, campaign_id).items():
        if of in {None, topic}:
            highest |= {(topic, docno): grade for docno, grade in highest_grades_of(one, machines).items()}
    return highest


def relevant_pairs(db: Session, campaign_id: int, of: str | None = None) -> dict[tuple[str, str], bool]:
    """What people graded, in all topics or one: whether the highest grade of a pair is relevant."""
    least = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    return {pair: grade >= least for pair, grade in highest_grades(db, campaign_id, of).items()}


def machines_of(db: Session, campaign_id: int) -> frozenset[int]:
    """The assessors of a campaign that are machines."""
    chosen = select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.machine)
    return frozenset(db.scalars(chosen))


def highest_grades_of(answers: TopicAnswers, machines: frozenset[int]) -> Mapping[str, int]:
    """The highest grade that somebody who is none of these machines has given, by docno of the topic."""
    return answers.keep(("highest", machines), partial(_highest, machines))


def graded_of_pool(db: Session, campaign_id: int, pooled: ByTopic) -> int:
    """How many pairs of a pool, given by its topics, a person has graded."""
    machines = machines_of(db, campaign_id)
    answers = answers_by_topic(db, campaign_id)
    return sum(
        answers[topic].keep(("graded among", one, machines), partial(_count_among, one, machines))
        for topic, one in pooled.items()
        if topic in answers
    )


def _count_among(pooled: TopicDocnos, machines: frozenset[int], answers: TopicAnswers) -> int:
    graded = np.zeros(answers.documents, np.bool_)
    graded[answers.places[answers.of_people(machines) & (answers.codes >= 0)]] = True
    return int(np.count_nonzero(graded & pooled.among(answers)))


def _highest(machines: frozenset[int], answers: TopicAnswers) -> dict[str, int]:
    chosen = answers.of_people(machines) & (answers.codes >= 0)
    places, grades = answers.places[chosen], answers.codes[chosen]
    if not len(places):
        return {}
    # Answers stand by document: those of one begin where the place changes.
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    docnos, most = answers.docnos, np.maximum.reduceat(grades, starts)
    rows = zip(places[starts].tolist(), most.tolist(), strict=True)
    return {docnos[place]: grade for place, grade in rows}
