"""What the overlaps that were drawn have come to: how much is judged, and the kappa of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.agreement.result import NO_VARIATION, NOBODY
from workbench.agreement.sample_estimates import Estimate, likeness, mean_topic_size, stratified_kappa
from workbench.agreement.sample_size import (
    LEVEL,
    Chance,
    Draw,
    kappa_of_shares,
    normal_point,
    variance_at_random,
)
from workbench.agreement.several.bootstrap import Interval
from workbench.storage.events import HOLDING, current_events
from workbench.storage.tables import AssessorRow, JudgmentEventRow, PoolEntryRow, PoolRow
from workbench.workflow.agreement.overlap_candidates import Pair
from workbench.workflow.agreement.overlap_drawing import STRATEGY
from workbench.workflow.campaigns.campaigning import campaign_of

AT_RANDOM = "Fleiss, Cohen and Everitt 1969"
WHOLE_TOPICS = "Fleiss, Cohen and Everitt 1969 with the design effect of whole topics"


@dataclass(frozen=True, slots=True)
class OverlapResult:
    """An overlap pool: how many of its pairs a second person has graded, and the kappa that follows.

    `table` counts them by first label (as it was when the pairs were drawn) and second, highest first.
    """

    pool_id: int
    pool: str
    draw: Draw
    pairs: int
    judged: int
    categories: tuple[int, ...]
    relevant_from: int | None
    table: tuple[tuple[int, ...], ...]
    estimate: Estimate


def overlap_results(
    db: Session, campaign_id: int, *, chance: Chance = Chance.POOLED, level: float = LEVEL
) -> tuple[OverlapResult, ...]:
    """The overlaps of a campaign, oldest first; a pair's second grade is that of who judged it second."""
    rows = db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)).all()
    pools = [row for row in rows if row.recipe["strategy"] == STRATEGY]
    if not pools:
        return ()
    grades = sorted((grade.value for grade in campaign_of(db, campaign_id).scale.grades), reverse=True)
    second = _second_grades(db, campaign_id)
    return tuple(_result(db, row, grades, second, chance, level) for row in pools)


def _result(
    db: Session, row: PoolRow, grades: Sequence[int], second: dict[Pair, int], chance: Chance, level: float
) -> OverlapResult:
    line = row.recipe["relevant_from"]
    categories = tuple(grades) if line is None else (1, 0)
    entries = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno, PoolEntryRow.stratum)
        .where(PoolEntryRow.pool_id == row.id)
        .order_by(PoolEntryRow.topic)
    ).all()
    topics: dict[str, int] = {}
    q = len(categories)
    tables = np.zeros((len({topic for topic, _, _ in entries}), q, q), dtype=np.int64)
    for topic, docno, stratum in entries:
        at = topics.setdefault(topic, len(topics))
        grade = second.get((topic, docno))
        # What was added to the pool by hand afterwards was not drawn.
        if grade is not None and stratum is not None:
            place = grades.index(grade) if line is None else int(grade < line)
            tables[at, stratum - 1, place] += 1
    table = tables.sum(axis=0)
    draw = Draw(row.recipe["parameters"]["draw"])
    if draw is Draw.LABEL:
        estimate = stratified_kappa(table, row.recipe["candidates"], chance=chance, level=level)
    else:
        estimate = _plain(tables, draw, chance, level)
    return OverlapResult(
        row.id,
        row.name,
        draw,
        row.pairs,
        int(table.sum()),
        categories,
        line,
        tuple(tuple(counts) for counts in table.tolist()),
        estimate,
    )


def _plain(tables: NDArray[np.int64], draw: Draw, chance: Chance, level: float) -> Estimate:
    table = tables.sum(axis=0)
    n = int(table.sum())
    method = WHOLE_TOPICS if draw is Draw.TOPIC else AT_RANDOM
    none = Interval(None, None, level, method, n, undefined="the kappa is undefined")
    if not n:
        return Estimate(None, 0, none, NOBODY)
    value = float(kappa_of_shares(table / n, chance))
    if not np.isfinite(value):
        return Estimate(None, n, none, NO_VARIATION)
    effect = 1.0
    if draw is Draw.TOPIC:
        effect += (mean_topic_size(tables.sum(axis=(1, 2))) - 1) * likeness(tables, chance=chance)
    reach = normal_point(level) * sqrt(float(variance_at_random(table / n, chance)) * effect / n)
    return Estimate(value, n, Interval(value - reach, min(value + reach, 1.0), level, method, n))


def _second_grades(db: Session, campaign_id: int) -> dict[Pair, int]:
    """Of every pair that two people or more graded, what the second of them says now."""
    event = JudgmentEventRow
    people = select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False)
    )
    begun = {
        (who, topic, docno): number
        for who, topic, docno, number in db.execute(
            select(event.assessor_id, event.topic, event.docno, func.min(event.id))
            .where(
                event.campaign_id == campaign_id, event.purpose.in_(HOLDING), event.assessor_id.in_(people)
            )
            .group_by(event.assessor_id, event.topic, event.docno)
        )
    }
    held: dict[Pair, list[tuple[int, int]]] = {}
    for said in current_events(db, campaign_id):
        number = begun.get((said.assessor_id, said.topic, said.docno))
        if said.grade is not None and number is not None:
            held.setdefault((said.topic, said.docno), []).append((number, said.grade))
    return {pair: sorted(by_moment)[1][1] for pair, by_moment in held.items() if len(by_moment) > 1}
