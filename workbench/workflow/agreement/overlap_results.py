"""What the overlaps that were drawn have shown: how much is judged, and the coefficient of all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.resampling import Resamples
from workbench.agreement.sample_request import LEVEL, PlanRequest
from workbench.agreement.sample_results import SampleEstimate, estimate_from_pairs, estimate_from_topics
from workbench.agreement.sample_size import Draw
from workbench.storage.events import CURRENT_PURPOSES, current_events
from workbench.storage.tables import AssessorRow, JudgmentEventRow, PoolEntryRow, PoolRow
from workbench.workflow.agreement.independent_answers import discussed_answers
from workbench.workflow.agreement.overlap_candidates import Pair
from workbench.workflow.agreement.overlap_drawing import kept_request
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.pools.pool_rows import OVERLAP

Graded = tuple[int, int]
"""An assessor's id, and the current grade or its place among the categories."""


@dataclass(frozen=True, slots=True)
class OverlapResult:
    """An overlap pool: how many of its pairs are judged as planned, and the estimated coefficient.

    All assessors of the `request` must grade a pair, or, where some non-response was expected, two. `table`
    counts these by first label (as it was when the pairs were drawn) and the grade of each of the others,
    highest first.
    """

    pool_id: int
    pool: str
    draw: Draw
    request: PlanRequest
    pairs: int
    judged: int
    table: tuple[tuple[int, ...], ...]
    estimate: SampleEstimate


def overlap_results(db: Session, campaign_id: int, *, level: float = LEVEL) -> tuple[OverlapResult, ...]:
    """The overlaps of a campaign, oldest first; later assessors of a pair count in the order they began."""
    rows = db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)).all()
    pools = [row for row in rows if row.recipe["strategy"] == OVERLAP]
    if not pools:
        return ()
    grades = sorted((grade.value for grade in campaign_of(db, campaign_id).scale.grades), reverse=True)
    current = _current_grades(db, campaign_id)
    return tuple(_result(db, row, grades, current, level) for row in pools)


def _result(
    db: Session, row: PoolRow, grades: Sequence[int], current: Mapping[Pair, tuple[Graded, ...]], level: float
) -> OverlapResult:
    request, parameters = kept_request(row.recipe), row.recipe["parameters"]
    threshold = row.recipe["relevant_from"]
    q = len(grades) if threshold is None else 2
    judged = [
        (topic, [first, *((who, _place(grade, grades, threshold)) for who, grade in later)])
        for topic, first, later in _judged_pairs(db, row, request, current)
    ]
    codes = _codes([graded for _, graded in judged])
    table = np.zeros((q, q), dtype=np.int64)
    for _, ((_, first_place), *later) in judged:
        for _, place in later:
            table[first_place, place] += 1
    draw = Draw(parameters["draw"])
    if draw is Draw.TOPIC:
        resamples = Resamples(seed=int(parameters["seed"]), level=level)
        topics = [topic for topic, _ in judged]
        estimate = estimate_from_topics(codes, topics, resamples, grades=q, target=request.target)
    else:
        labels = [graded[0][1] for _, graded in judged]
        sizes = row.recipe["candidates"] if draw is Draw.LABEL else None
        estimate = estimate_from_pairs(
            codes, labels, grades=q, target=request.target, sizes=sizes, level=level
        )
    counts = tuple(tuple(line) for line in table.tolist())
    return OverlapResult(row.id, row.name, draw, request, row.pairs, len(judged), counts, estimate)


def _judged_pairs(
    db: Session, row: PoolRow, request: PlanRequest, current: Mapping[Pair, tuple[Graded, ...]]
) -> Iterator[tuple[int, Graded, list[Graded]]]:
    """Every pair that is judged as planned: its topic's number, the first label, and the later grades."""
    entries = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno, PoolEntryRow.stratum)
        .where(PoolEntryRow.pool_id == row.id)
        .order_by(PoolEntryRow.topic)
    ).all()
    needed = 1 if request.non_response else request.others
    firsts = _firsts_of(db, row)
    topics: dict[str, int] = {}
    for topic, docno, stratum in entries:
        at = topics.setdefault(topic, len(topics))
        graded, first = dict(current.get((topic, docno), ())), firsts.get((topic, docno))
        # Where the judgment that was drawn has been withdrawn nobody else replaces the first assessor.
        if first is None or first not in graded:
            continue
        later = [one for one in graded.items() if one[0] != first][: request.others]
        # What was added to the pool by hand afterwards was not drawn.
        if stratum is not None and len(later) >= needed:
            yield at, (first, stratum - 1), later


def _place(grade: int, grades: Sequence[int], relevant_from: int | None) -> int:
    """The place of a grade among the categories, highest first."""
    return grades.index(grade) if relevant_from is None else int(grade < relevant_from)


def _codes(judged: Sequence[Sequence[Graded]]) -> Codes:
    """Who gave what to every pair; shape (assessors, pairs)."""
    people = sorted({who for graded in judged for who, _ in graded})
    row_of = {who: row for row, who in enumerate(people)}
    codes = np.full((max(len(people), 2), len(judged)), MISSING, dtype=np.int8)
    for column, graded in enumerate(judged):
        for who, place in graded:
            codes[row_of[who], column] = place
    return codes


def _firsts_of(db: Session, pool: PoolRow) -> dict[Pair, int]:
    """The id of the assessor who had graded each pair of an overlap when it was drawn."""
    event, entry = JudgmentEventRow, PoolEntryRow
    latest = (
        select(func.max(event.id))
        .join(entry, and_(entry.topic == event.topic, entry.docno == event.docno))
        .where(
            entry.pool_id == pool.id,
            event.campaign_id == pool.campaign_id,
            event.purpose.in_(CURRENT_PURPOSES),
            event.assessor_id.in_(_people(pool.campaign_id)),
            event.recorded_at <= pool.created_at,
        )
        .group_by(event.assessor_id, event.topic, event.docno)
    )
    graded = select(event.topic, event.docno, event.assessor_id).where(
        event.id.in_(latest), event.grade.is_not(None)
    )
    return {(topic, docno): who for topic, docno, who in db.execute(graded)}


def _people(campaign_id: int) -> Select[int]:
    return select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False)
    )


def _current_grades(db: Session, campaign_id: int) -> dict[Pair, tuple[Graded, ...]]:
    """The independent grades of every pair that people graded, in the order in which these began it."""
    event = JudgmentEventRow
    begun = {
        (who, topic, docno): number
        for who, topic, docno, number in db.execute(
            select(event.assessor_id, event.topic, event.docno, func.min(event.id))
            .where(
                event.campaign_id == campaign_id,
                event.purpose.in_(CURRENT_PURPOSES),
                event.assessor_id.in_(_people(campaign_id)),
            )
            .group_by(event.assessor_id, event.topic, event.docno)
        )
    }
    grades = {(one.assessor_id, (one.topic, one.docno)): one.grade for one in current_events(db, campaign_id)}
    # What assessors said after they had seen each other's answers is no second opinion.
    grades |= {place: grade for place, (_, grade) in discussed_answers(db, campaign_id).items()}
    found: dict[Pair, list[tuple[int, int, int]]] = {}
    for (who, pair), grade in grades.items():
        number = begun.get((who, *pair))
        if grade is not None and number is not None:
            found.setdefault(pair, []).append((number, who, grade))
    return {
        pair: tuple((who, grade) for _, who, grade in sorted(begun_first))
        for pair, begun_first in found.items()
    }
