"""The pairs that one person has judged and nobody else is to judge yet: of these an overlap is drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.agreement.ratings import NO_ANSWER
from workbench.storage.tables import AssessorRow, AssignmentRow, PoolRow
from workbench.workflow.agreement.selection import current_answers
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.judging.handouts import shares_of

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair and who judged it: the assessor's id, and the label, as its place among the categories.

    `able` are the assessors, of those asked for, who have said nothing of it.
    """

    topic: str
    docno: str
    label: int
    able: frozenset[int]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Candidates in the order of their ids' bytes, how many have each label, and how many each topic."""

    found: tuple[Candidate, ...]
    by_label: tuple[int, ...]
    topic_sizes: tuple[int, ...]

    @property
    def pairs(self) -> int:
        """How many there are."""
        return len(self.found)


def candidates_of(
    db: Session,
    campaign_id: int,
    *,
    line: int | None,
    second: Collection[int] | None = None,
    others: int = 1,
) -> Candidates:
    """The pairs that exactly one person graded and that no other person has been given.

    Labels are relevant (0) or not (1) from `line`, or with None grades, highest first. Of the assessors in
    `second` at least `others` must have said nothing of the pair; without them everybody may.
    """
    scale = campaign_of(db, campaign_id).scale
    grades = sorted((grade.value for grade in scale.grades), reverse=True)
    places = {grade: place for place, grade in enumerate(grades)}
    answers = current_answers(db, campaign_id)
    ids = dict(
        db.execute(
            select(AssessorRow.name, AssessorRow.id).where(AssessorRow.campaign_id == campaign_id)
        ).all()
    )
    people = [row for row, voice in enumerate(answers.assessors) if not voice.machine]
    said = answers.grades[people]
    numbers = [ids[answers.assessors[row].name] for row in people]
    given = _given(db, campaign_id)
    found = []
    for column in np.flatnonzero((said >= 0).sum(axis=0) == 1).tolist():
        topic, docno = answers.pairs[column]
        (judge,) = np.flatnonzero(said[:, column] >= 0).tolist()
        if given.get((topic, docno), set()) - {numbers[judge]}:
            continue
        spoke = {numbers[row] for row in np.flatnonzero(said[:, column] != NO_ANSWER).tolist()}
        able = frozenset() if second is None else frozenset(second) - spoke
        if second is not None and len(able) < others:
            continue
        grade = int(said[judge, column])
        label = places[grade] if line is None else int(grade < line)
        found.append(Candidate(topic, docno, label, able))
    labels = Counter(one.label for one in found)
    return Candidates(
        tuple(found),
        tuple(labels[place] for place in range(len(grades) if line is None else 2)),
        tuple(Counter(one.topic for one in found).values()),
    )


def _given(db: Session, campaign_id: int) -> dict[Pair, set[int]]:
    """To which people every pair is given in a pool that is open."""
    rows = db.execute(
        select(AssignmentRow.pool_id, AssignmentRow.topic, AssignmentRow.assessor_id)
        .join(PoolRow, PoolRow.id == AssignmentRow.pool_id)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolRow.closed_at.is_(None),
            AssignmentRow.revoked_at.is_(None),
        )
    ).all()
    shares = shares_of(db, campaign_id)
    given: dict[Pair, set[int]] = {}
    for pool_id, topic, assessor_id in rows:
        for docno in shares.docnos(pool_id, topic, assessor_id):
            given.setdefault((topic, docno), set()).add(assessor_id)
    return given
