"""The pairs from which an overlap is drawn: one person graded them, and nobody else has been given them.

They are found topic by topic, as arrays: of a million pairs most are candidates in a campaign that judges
every pair once. A pair becomes a record of its own when it is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.records import id_bytes
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.handout import FixedHandout, kind_of
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.pooled_topics import NOTHING, TopicDocnos, pooled_by_topic
from workbench.workflow.pools.topic_answers import TopicAnswers

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair with its first label, as the place among the categories.

    `able` are the assessors, of those asked for, who have not answered it.
    """

    topic: str
    docno: str
    label: int
    able: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class CandidatesOfTopic:
    """The candidates of one topic: the `places` of their documents, ascending, and their `labels`."""

    answers: TopicAnswers
    places: NDArray[np.int32]
    labels: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidates in the order of their ids' bytes, those of one topic after the other.

    `by_label` says how many there are of each label. `second` are the assessors asked for, `machines` those
    whose answers do not count.
    """

    topics: tuple[CandidatesOfTopic, ...]
    by_label: tuple[int, ...]
    second: frozenset[int]
    machines: frozenset[int]

    @property
    def pairs(self) -> int:
        """How many there are."""
        return sum(self.by_label)

    @property
    def topic_sizes(self) -> tuple[int, ...]:
        """How many there are of every topic."""
        return tuple(len(one.places) for one in self.topics)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The label of each of them."""
        return np.concatenate([np.empty(0, np.int64), *(one.labels for one in self.topics)])

    def chosen(self, places: Sequence[int]) -> list[Candidate]:
        """Those at some places among all, in the order of their ids' bytes."""
        ordered = np.array(sorted(places), np.int64)
        starts = np.cumsum([0, *self.topic_sizes])
        ends = np.searchsorted(ordered, starts)
        found: list[Candidate] = []
        for number, topic in enumerate(self.topics):
            own = ordered[ends[number] : ends[number + 1]] - starts[number]
            found += self._named(topic, own)
        return found

    def _named(self, topic: CandidatesOfTopic, own: NDArray[np.int64]) -> Iterator[Candidate]:
        if not len(own):
            return
        answers, docnos = topic.answers, topic.answers.docnos
        # Answers stand by document.
        places = topic.places[own]
        starts, ends = (np.searchsorted(answers.places, places, side) for side in ("left", "right"))
        rows = zip(places.tolist(), topic.labels[own].tolist(), starts.tolist(), ends.tolist(), strict=True)
        for place, label, start, end in rows:
            answered = frozenset(answers.assessors[start:end].tolist()) - self.machines
            yield Candidate(answers.topic, docnos[place], label, self.second - answered)


@dataclass(frozen=True, slots=True)
class Given:
    """Documents of a topic, and the assessors to each of whom all of them are assigned."""

    docnos: TopicDocnos
    assessors: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class _Single:
    """The places of those documents of a topic that one person graded and no other was given; the grades."""

    places: NDArray[np.int32]
    grades: NDArray[np.int64]


def candidates_of(
    db: Session,
    campaign_id: int,
    *,
    relevant_from: int | None,
    second: Collection[int] | None = None,
    others: int = 1,
) -> Candidates:
    """The pairs that exactly one person graded and that no other person has been given.

    Labels are relevant (0) or not (1) by the `relevant_from` threshold, or with None grades, highest first.
    Of the assessors in `second` at least `others` must not have answered the pair; without them everybody
    counts.
    """
    scale = campaign_of(db, campaign_id).scale
    grades = sorted((grade.value for grade in scale.grades), reverse=True)
    label = {
        grade: place if relevant_from is None else int(grade < relevant_from)
        for place, grade in enumerate(grades)
    }
    machine = select(AssessorRow.id).where(AssessorRow.campaign_id == campaign_id, AssessorRow.machine)
    machines, given = frozenset(db.scalars(machine)), given_by_topic(db, campaign_id)
    asked = frozenset(second or ())
    by_label = np.zeros(len(grades) if relevant_from is None else 2, np.int64)
    topics = []
    for topic, answers in answers_by_topic(db, campaign_id).items():
        to_others = given.get(topic, ())
        key = ("singly judged", machines, to_others)
        single = answers.keep(key, partial(_singly_judged, machines, to_others))
        chosen = np.ones(len(single.places), bool)
        if second is not None:
            answered = answers.places[answers.of_people(machines) & np.isin(answers.assessors, list(asked))]
            counts = np.bincount(answered, minlength=answers.documents)
            chosen = len(asked) - counts[single.places] >= others
        if chosen.any():
            known, which = np.unique(single.grades[chosen], return_inverse=True)
            labels = np.array([label[grade] for grade in known.tolist()], np.int64)[which]
            by_label += np.bincount(labels, minlength=len(by_label))
            topics.append(CandidatesOfTopic(answers, single.places[chosen], labels))
    return Candidates(tuple(topics), tuple(by_label.tolist()), asked, machines)


def given_by_topic(db: Session, campaign_id: int) -> dict[str, tuple[Given, ...]]:
    """What is assigned in open pools, by topic."""
    rows = db.execute(
        select(AssignmentRow.pool_id, AssignmentRow.topic, AssignmentRow.assessor_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.closed_at.is_(None),
            AssignmentRow.revoked_at.is_(None),
        )
        .order_by(AssignmentRow.pool_id, AssignmentRow.id)
    ).all()
    by_pool: dict[int, dict[str, set[int]]] = {}
    for pool_id, topic, assessor_id in rows:
        by_pool.setdefault(pool_id, {}).setdefault(topic, set()).add(assessor_id)
    found: dict[str, list[Given]] = {}
    for pool in db.scalars(select(PoolRow).where(PoolRow.id.in_(by_pool)).order_by(PoolRow.id)):
        for topic, given in _given_of(db, pool, by_pool[pool.id]):
            found.setdefault(topic, []).append(given)
    return {topic: tuple(several) for topic, several in found.items()}


def _given_of(
    db: Session, pool: PoolRow, assigned: Mapping[str, Collection[int]]
) -> Iterator[tuple[str, Given]]:
    """What is assigned of one pool; where everybody gets all pairs these are known as long as the pool is."""
    kind = kind_of(pool)
    if kind is FixedHandout:
        pooled = pooled_by_topic(db, pool)
        for topic, assessors in assigned.items():
            yield topic, Given(pooled.get(topic, NOTHING), frozenset(assessors))
        return
    handouts = kind.load(db, [pool])
    for topic, assessors in assigned.items():
        handout = handouts.get((pool.id, topic))
        if handout is None:
            continue
        for assessor in sorted(assessors):
            docnos = TopicDocnos.of(map(id_bytes, handout.docnos(assessor)))
            yield topic, Given(docnos, frozenset([assessor]))


def _singly_judged(machines: frozenset[int], given: Sequence[Given], answers: TopicAnswers) -> _Single:
    graded = answers.of_people(machines) & (answers.codes >= 0)
    places = answers.places[graded]
    judges, grades = np.zeros((2, answers.documents), np.int64)
    judges[places], grades[places] = answers.assessors[graded], answers.codes[graded]
    alone = np.bincount(places, minlength=answers.documents) == 1
    for one in given:
        theirs = one.docnos.among(answers)
        # Of two to whom a pair is assigned one is another than who graded it.
        alone &= ~theirs | (judges == min(one.assessors) if len(one.assessors) == 1 else False)
    found = np.flatnonzero(alone).astype(np.int32)
    return _Single(found, grades[found])
