"""How far a campaign has come, in numbers: by topic and by assessor, from one reading of its answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.agreement.options import Occasion
from workbench.agreement.ratings import CANNOT_JUDGE, NO_ANSWER, UNSURE, Answers
from workbench.storage.tables import (
    AssessorRow,
    AssignmentRow,
    DocumentRow,
    PoolEntryRow,
    PoolRow,
    RunRow,
    TopicRow,
)
from workbench.workflow.agreement.selection import answers_of_campaign
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.judging.handout import handouts_of

Docnos = dict[str, dict[str, set[str]]]
"""The docnos that an assessor has now, by the assessor's name and the topic."""


@dataclass(frozen=True, slots=True)
class _Assigned:
    """What assessors have in all pools, and in those that are still open."""

    every: Docnos
    open: Docnos


@dataclass(frozen=True, slots=True)
class TopicProgress:
    """A topic: its pairs, how many of them a person has graded, and these by their highest grade.

    `doubly` were graded by two people or more, and of these `disputed` differently; machine judgments are not
    counted. `assessors` are those to whom it is assigned now.
    """

    topic: str
    title: str
    pairs: int
    judged: int
    by_grade: tuple[tuple[int, int], ...]
    doubly: int
    disputed: int
    assessors: int


@dataclass(frozen=True, slots=True)
class AssessorProgress:
    """An assessor: assigned pairs, how many of them answered; `judgments` counts all grades.

    `left` are assigned pairs without an answer in pools that are open, in `topics_left`.
    """

    name: str
    machine: bool
    assigned: int
    answered: int
    left: int
    topics_left: int
    judgments: int
    unsure: int
    cannot_judge: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A campaign at a glance; pairs are (topic, document), each counted once over all pools.

    `pairs` are those that are `pooled` or that a person has graded. Draft pools are not counted.
    """

    topics: int
    documents: int
    runs: int
    pools: int
    pooled: int
    pairs: int
    judged: int
    doubly: int
    disputed: int
    assigned: int
    answered: int
    missing_documents: int
    by_topic: tuple[TopicProgress, ...]
    by_assessor: tuple[AssessorProgress, ...]

    @property
    def left(self) -> int:
        """How many assigned judgments are still to be made in pools that are open."""
        return sum(line.left for line in self.by_assessor)


@dataclass(frozen=True, slots=True, eq=False)
class _GradedPairs:
    """What people graded, pair by pair: how many of them, the lowest grade and the highest."""

    graders: NDArray[np.int64]
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]


def overview(db: Session, campaign_id: int) -> Overview:
    """The progress of a campaign, as the overview page shows it."""
    answers = answers_of_campaign(db, campaign_id, Occasion.CURRENT)
    pooled = pooled_docnos(db, campaign_id)
    assigned = _assigned(db, campaign_id)
    by_topic = _by_topic(answers, pooled, topic_titles(db, campaign_id), assigned)
    by_assessor = _by_assessor(answers, assigned)
    return Overview(
        topics=_count(db, TopicRow, campaign_id),
        documents=_count(db, DocumentRow, campaign_id),
        runs=_runs(db, campaign_id),
        pools=_opened(db, campaign_id),
        pooled=sum(map(len, pooled.values())),
        pairs=sum(line.pairs for line in by_topic),
        judged=sum(line.judged for line in by_topic),
        doubly=sum(line.doubly for line in by_topic),
        disputed=sum(line.disputed for line in by_topic),
        assigned=sum(line.assigned for line in by_assessor),
        answered=sum(line.answered for line in by_assessor),
        missing_documents=missing_count(db, campaign_id),
        by_topic=by_topic,
        by_assessor=by_assessor,
    )


def graded_pairs(db: Session, campaign_id: int) -> set[tuple[str, str]]:
    """The (topic, docno) pairs, pooled or not, that a person has graded."""
    answers = answers_of_campaign(db, campaign_id, Occasion.CURRENT)
    graded = np.flatnonzero(_of_people(answers).graders)
    return {answers.pairs[place] for place in graded.tolist()}


def pooled_docnos(db: Session, campaign_id: int) -> dict[str, set[str]]:
    """The documents of the opened pools by topic."""
    pooled: dict[str, set[str]] = {}
    rows = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    )
    for topic, docno in rows:
        pooled.setdefault(topic, set()).add(docno)
    return pooled


def missing_count(db: Session, campaign_id: int) -> int:
    """How many documents of opened pools are not loaded."""
    known = select(DocumentRow.docno).where(DocumentRow.campaign_id == campaign_id)
    lacking = (
        select(PoolEntryRow.docno)
        .join(PoolRow)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.opened_at.is_not(None),
            PoolEntryRow.docno.not_in(known),
        )
        .distinct()
        .subquery()
    )
    return db.scalar(select(func.count()).select_from(lacking)) or 0


def _of_people(answers: Answers) -> _GradedPairs:
    count = len(answers.pairs)
    graders = np.zeros(count, np.int64)
    highest = np.full(count, NO_ANSWER, np.int64)
    lowest = np.full(count, np.iinfo(np.int64).max)
    # Row by row: all of them at once would be copied several times over.
    for assessor, row in zip(answers.assessors, answers.grades, strict=True):
        if not assessor.machine:
            graded = row >= 0
            graders += graded
            np.maximum(highest, row, out=highest, where=graded)
            np.minimum(lowest, row, out=lowest, where=graded)
    return _GradedPairs(graders, lowest, highest)


def _by_topic(
    answers: Answers, pooled: Mapping[str, set[str]], titles: Mapping[str, str], assigned: _Assigned
) -> tuple[TopicProgress, ...]:
    found = _of_people(answers)
    by_grade: dict[str, Counter[int]] = {}
    beside: Counter[str] = Counter()
    doubly: Counter[str] = Counter()
    disputed: Counter[str] = Counter()
    judged = np.flatnonzero(found.graders)
    different = (found.lowest != found.highest).tolist()
    graders, highest = found.graders.tolist(), found.highest.tolist()
    for place in judged.tolist():
        topic, docno = answers.pairs[place]
        by_grade.setdefault(topic, Counter())[highest[place]] += 1
        beside[topic] += docno not in pooled.get(topic, ())
        doubly[topic] += graders[place] > 1
        disputed[topic] += different[place]
    return tuple(
        TopicProgress(
            topic=topic,
            title=title,
            pairs=len(pooled.get(topic, ())) + beside[topic],
            judged=by_grade.get(topic, Counter()).total(),
            by_grade=tuple(sorted(by_grade.get(topic, Counter()).items())),
            doubly=doubly[topic],
            disputed=disputed[topic],
            assessors=sum(topic in topics for topics in assigned.every.values()),
        )
        for topic, title in titles.items()
    )


def _by_assessor(answers: Answers, assigned: _Assigned) -> tuple[AssessorProgress, ...]:
    lines = []
    for one, row in zip(answers.assessors, answers.grades, strict=True):
        own, waiting = assigned.every.get(one.name, {}), assigned.open.get(one.name, {})
        answered: dict[str, set[str]] = {}
        if own:
            for place in np.flatnonzero(row != NO_ANSWER).tolist():
                topic, docno = answers.pairs[place]
                answered.setdefault(topic, set()).add(docno)
        left = [len(docnos - answered.get(topic, set())) for topic, docnos in waiting.items()]
        lines.append(
            AssessorProgress(
                name=one.name,
                machine=one.machine,
                assigned=sum(map(len, own.values())),
                answered=sum(len(docnos & answered.get(topic, set())) for topic, docnos in own.items()),
                left=sum(left),
                topics_left=sum(map(bool, left)),
                judgments=int(np.count_nonzero(row >= 0)),
                unsure=int(np.count_nonzero(row == UNSURE)),
                cannot_judge=int(np.count_nonzero(row == CANNOT_JUDGE)),
            )
        )
    return tuple(lines)


def _assigned(db: Session, campaign_id: int) -> _Assigned:
    rows = db.execute(
        select(
            AssessorRow.name,
            AssignmentRow.assessor_id,
            AssignmentRow.pool_id,
            AssignmentRow.topic,
            PoolRow.closed_at.is_(None),
        )
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
        .where(PoolRow.campaign_id == campaign_id, AssignmentRow.revoked_at.is_(None))
    ).all()
    found = _Assigned({}, {})
    if not rows:
        return found
    handouts = handouts_of(db, campaign_id)
    # A topic may be assigned in several pools, and a pair be in each of them.
    for name, assessor_id, pool_id, topic, is_open in rows:
        docnos = handouts.docnos(pool_id, topic, assessor_id)
        for into in (found.every, found.open) if is_open else (found.every,):
            into.setdefault(name, {}).setdefault(topic, set()).update(docnos)
    return found


def _runs(db: Session, campaign_id: int) -> int:
    current = select(func.count()).where(RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None))
    return db.scalar(current) or 0


def _count(db: Session, table: type[TopicRow | DocumentRow], campaign_id: int) -> int:
    return db.scalar(select(func.count()).select_from(table).where(table.campaign_id == campaign_id)) or 0


def _opened(db: Session, campaign_id: int) -> int:
    opened = select(func.count()).where(PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None))
    return db.scalar(opened) or 0
