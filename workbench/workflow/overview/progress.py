"""How far a campaign has come, in numbers: by topic and by assessor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.frozen import frozen_dataclass, record_of
from workbench.records import id_bytes
from workbench.storage.tables import AssignmentRow, CampaignRow, PoolRow, RunRow, TopicRow
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import document_count, topic_titles
from workbench.workflow.judging.assigned_work import AssignedWork, assigned_work, waiting_work
from workbench.workflow.log import TopicAnswers, answers_by_topic
from workbench.workflow.people.membership import AssessorLine, assessors_of
from workbench.workflow.pools.pooled_topics import NOTHING, TopicDocnos, missing_count, opened_by_topic


@frozen_dataclass
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

    def has_none(self, relevant_from: int) -> bool:
        """Whether all pairs are judged and none of them has this grade or a higher one."""
        return self.judged == self.pairs > 0 and all(grade < relevant_from for grade, _ in self.by_grade)


@frozen_dataclass
class AssessorProgress:
    """An assessor: assigned pairs, how many of them answered; `judgments` counts all grades.

    `left` are assigned pairs without an answer in pools that are open, in `topics_left`. `gone` is who has
    such pairs and cannot judge any more.
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
    gone: bool = False


@frozen_dataclass
class Overview:
    """A campaign at a glance; pairs are (topic, document), each counted once over all pools.

    `pairs` are those that are `pooled` or that a person has graded. Draft pools are not counted. `waiting`
    are judgments that queues and adaptive pools still ask for and nobody has in hand; topics
    `without_relevant` documents are judged and have none.
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
    without_relevant: int
    assigned: int
    answered: int
    waiting: int
    missing_documents: int
    by_topic: tuple[TopicProgress, ...]
    by_assessor: tuple[AssessorProgress, ...]

    @property
    def left(self) -> int:
        """How many judgments are still to be made in pools that are open, by people who can judge."""
        return self.waiting + sum(line.left for line in self.by_assessor if not line.gone)


@frozen_dataclass
class _Judged:
    """What people graded of a topic, as `TopicProgress` has it; `beside` of the pairs are in no pool."""

    judged: int
    by_grade: tuple[tuple[int, int], ...]
    doubly: int
    disputed: int
    beside: int


_NOTHING_JUDGED = _Judged(0, (), 0, 0, 0)


def overview(db: Session, campaign_id: int) -> Overview:
    """The progress of a campaign, as the overview page shows it."""
    answers = answers_by_topic(db, campaign_id)
    pooled = opened_by_topic(db, campaign_id)
    assessors = assessors_of(db, campaign_id)
    machines = frozenset(one.id for one in assessors if one.machine)
    relevant_from = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    work = assigned_work(db, campaign_id, answers)
    by_topic = tuple(
        _progress(
            topic,
            title,
            answers.get(topic),
            pooled.get(topic, NOTHING),
            machines,
            work.assessors.get(topic, 0),
        )
        for topic, title in topic_titles(db, campaign_id).items()
    )
    by_assessor = _by_assessor(answers, assessors, work)
    return Overview(
        topics=len(by_topic),
        documents=document_count(db, campaign_id),
        runs=_number(db, RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None)),
        pools=_number(db, PoolRow.campaign_id == campaign_id, PoolRow.opened_at.is_not(None)),
        pooled=sum(one.count for one in pooled.values()),
        pairs=sum(line.pairs for line in by_topic),
        judged=sum(line.judged for line in by_topic),
        doubly=sum(line.doubly for line in by_topic),
        disputed=sum(line.disputed for line in by_topic),
        without_relevant=sum(line.has_none(relevant_from) for line in by_topic),
        assigned=sum(line.assigned for line in by_assessor),
        answered=sum(line.answered for line in by_assessor),
        waiting=waiting_work(db, campaign_id, answers),
        missing_documents=missing_count(db, campaign_id),
        by_topic=by_topic,
        by_assessor=by_assessor,
    )


def topic_progress(db: Session, campaign_id: int, topic: str) -> TopicProgress:
    """The progress of one topic of a campaign, which it has."""
    answers = answers_by_topic(db, campaign_id)
    machines = _machines(db, campaign_id)
    title = db.scalar(
        select(TopicRow.title).where(TopicRow.campaign_id == campaign_id, TopicRow.topic == topic)
    )
    given = (
        select(AssignmentRow.assessor_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            AssignmentRow.revoked_at.is_(None),
            AssignmentRow.topic == topic,
        )
        .distinct()
    )
    pooled = opened_by_topic(db, campaign_id).get(topic, NOTHING)
    return _progress(topic, title or "", answers.get(topic), pooled, machines, len(db.scalars(given).all()))


def graded_count(db: Session, campaign_id: int) -> int:
    """How many pairs, pooled or not, a person has graded."""
    machines = _machines(db, campaign_id)
    answers = answers_by_topic(db, campaign_id)
    return sum(_judged_of(one, NOTHING, machines).judged for one in answers.values())


def pooled_or_graded(db: Session, campaign_id: int) -> Mapping[str, Set[bytes]]:
    """The documents by topic that are pooled, or that a person has graded."""
    machines = _machines(db, campaign_id)
    known = {topic: set(one.docnos) for topic, one in opened_by_topic(db, campaign_id).items()}
    for topic, answers in answers_by_topic(db, campaign_id).items():
        docnos = answers.docnos
        graded = answers.of_people(machines) & (answers.codes >= 0)
        places = np.flatnonzero(np.bincount(answers.places[graded]))
        known.setdefault(topic, set()).update(id_bytes(docnos[place]) for place in places.tolist())
    return known


def _progress(
    topic: str,
    title: str,
    answers: TopicAnswers | None,
    pooled: TopicDocnos,
    machines: frozenset[int],
    assessors: int,
) -> TopicProgress:
    found = _NOTHING_JUDGED if answers is None else _judged_of(answers, pooled, machines)
    named = {"topic": topic, "title": title, "assessors": assessors}
    return record_of(TopicProgress, found, pairs=pooled.count + found.beside, **named)


def _judged_of(answers: TopicAnswers, pooled: TopicDocnos, machines: frozenset[int]) -> _Judged:
    chosen = answers.of_people(machines) & (answers.codes >= 0)
    places, grades = answers.places[chosen], answers.codes[chosen]
    if not len(places):
        return _NOTHING_JUDGED
    # Answers stand by document: those of one begin where the place changes.
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    highest, lowest = np.maximum.reduceat(grades, starts), np.minimum.reduceat(grades, starts)
    several: NDArray[np.bool_] = np.diff(np.append(starts, len(places))) > 1
    return _Judged(
        judged=len(starts),
        by_grade=tuple(sorted(Counter(highest.tolist()).items())),
        doubly=int(np.count_nonzero(several)),
        disputed=int(np.count_nonzero(highest != lowest)),
        beside=int(np.count_nonzero(~pooled.among(answers)[places[starts]])),
    )


def _by_assessor(
    answers: Mapping[str, TopicAnswers], assessors: Iterable[AssessorLine], work: AssignedWork
) -> tuple[AssessorProgress, ...]:
    kinds: dict[int, NDArray[np.int64]] = {}
    for one in answers.values():
        for who, counts in _kinds(one).items():
            kinds[who] = kinds.get(who, np.zeros(3, np.int64)) + counts
    lines = []
    for assessor in assessors:
        judgments, unsure, cannot_judge = kinds.get(assessor.id, np.zeros(3, np.int64)).tolist()
        share = work.share(assessor.id)
        lines.append(
            record_of(
                AssessorProgress,
                share,
                name=assessor.name,
                machine=assessor.machine,
                judgments=judgments,
                unsure=unsure,
                cannot_judge=cannot_judge,
                gone=bool(share.left) and not assessor.able,
            )
        )
    return tuple(lines)


def _kinds(answers: TopicAnswers) -> dict[int, NDArray[np.int64]]:
    """How many grades, "unsure" and "cannot judge" each assessor gave."""
    found = {}
    for assessor in np.unique(answers.assessors).tolist():
        codes = answers.codes[answers.assessors == assessor]
        found[assessor] = np.count_nonzero([codes >= 0, codes == UNSURE, codes == CANNOT_JUDGE], axis=1)
    return found


def _machines(db: Session, campaign_id: int) -> frozenset[int]:
    return frozenset(one.id for one in assessors_of(db, campaign_id) if one.machine)


def _number(db: Session, *which: ColumnElement[bool]) -> int:
    return db.scalar(select(func.count()).where(*which)) or 0
