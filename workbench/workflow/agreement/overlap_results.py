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
from workbench.agreement.sample_estimates import Estimate, stratified_kappa
from workbench.agreement.sample_results import kappa_of_sample, kappa_of_topics, kappa_of_topics_of_several
from workbench.agreement.sample_size import (
    LEVEL,
    Chance,
    Draw,
    kappa_of_shares,
    normal_point,
    variance_at_random,
)
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.several.over_topics import Resamples
from workbench.storage.events import HOLDING, current_events
from workbench.storage.tables import AssessorRow, JudgmentEventRow, PoolEntryRow, PoolRow
from workbench.workflow.agreement.overlap_candidates import Pair
from workbench.workflow.agreement.overlap_drawing import STRATEGY
from workbench.workflow.campaigns.campaigning import campaign_of

AT_RANDOM = "Fleiss, Cohen and Everitt 1969"


@dataclass(frozen=True, slots=True)
class OverlapResult:
    """An overlap pool: how many of its pairs all its `assessors` have graded, and the kappa that follows.

    `table` counts these by first label (as it was when the pairs were drawn) and what each of the others
    said, highest first.
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
    assessors: int = 2


def overlap_results(
    db: Session, campaign_id: int, *, chance: Chance = Chance.POOLED, level: float = LEVEL
) -> tuple[OverlapResult, ...]:
    """The overlaps of a campaign, oldest first; of a pair count those who judged it first after the first."""
    rows = db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)).all()
    pools = [row for row in rows if row.recipe["strategy"] == STRATEGY]
    if not pools:
        return ()
    grades = sorted((grade.value for grade in campaign_of(db, campaign_id).scale.grades), reverse=True)
    later = _later_grades(db, campaign_id)
    return tuple(_result(db, row, grades, later, chance, level) for row in pools)


def _result(
    db: Session,
    row: PoolRow,
    grades: Sequence[int],
    later: dict[Pair, tuple[int, ...]],
    chance: Chance,
    level: float,
) -> OverlapResult:
    line = row.recipe["relevant_from"]
    categories = tuple(grades) if line is None else (1, 0)
    entries = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno, PoolEntryRow.stratum)
        .where(PoolEntryRow.pool_id == row.id)
        .order_by(PoolEntryRow.topic)
    ).all()
    parameters = row.recipe["parameters"]
    assessors = int(parameters.get("assessors", 2))
    topics: dict[str, int] = {}
    judged = []
    for topic, docno, stratum in entries:
        at = topics.setdefault(topic, len(topics))
        said = later.get((topic, docno), ())[: assessors - 1]
        # What was added to the pool by hand afterwards was not drawn.
        if len(said) == assessors - 1 and stratum is not None:
            places = [grades.index(grade) if line is None else int(grade < line) for grade in said]
            judged.append((at, stratum - 1, places))
    q = len(categories)
    tables = np.zeros((len(topics), q, q), dtype=np.int64)
    for at, first, places in judged:
        for place in places:
            tables[at, first, place] += 1
    draw = Draw(parameters["draw"])
    resamples = Resamples(seed=int(parameters["seed"]), level=level)
    if assessors > 2:
        estimate = _of_several(judged, q, draw, row.recipe["candidates"], resamples)
    elif draw is Draw.LABEL:
        estimate = stratified_kappa(tables.sum(axis=0), row.recipe["candidates"], chance=chance, level=level)
    elif draw is Draw.TOPIC:
        estimate = kappa_of_topics(tables, chance, resamples)
    else:
        estimate = _at_random(tables.sum(axis=0), chance, level)
    return OverlapResult(
        row.id,
        row.name,
        draw,
        row.pairs,
        len(judged),
        categories,
        line,
        tuple(tuple(counts) for counts in tables.sum(axis=0).tolist()),
        estimate,
        assessors,
    )


def _of_several(
    judged: Sequence[tuple[int, int, list[int]]],
    q: int,
    draw: Draw,
    sizes: Sequence[int],
    resamples: Resamples,
) -> Estimate:
    counts = np.array([np.bincount([first, *rest], minlength=q) for _, first, rest in judged]).reshape(-1, q)
    if draw is Draw.TOPIC:
        return kappa_of_topics_of_several(counts, [at for at, _, _ in judged], resamples)
    labels = [first for _, first, _ in judged]
    return kappa_of_sample(counts, labels, sizes=sizes if draw is Draw.LABEL else None, level=resamples.level)


def _at_random(table: NDArray[np.int64], chance: Chance, level: float) -> Estimate:
    n = int(table.sum())
    none = Interval(None, None, level, AT_RANDOM, n, undefined="the kappa is undefined")
    if not n:
        return Estimate(None, 0, none, NOBODY)
    value = float(kappa_of_shares(table / n, chance))
    if not np.isfinite(value):
        return Estimate(None, n, none, NO_VARIATION)
    reach = normal_point(level) * sqrt(float(variance_at_random(table / n, chance)) / n)
    return Estimate(value, n, Interval(value - reach, min(value + reach, 1.0), level, AT_RANDOM, n))


def _later_grades(db: Session, campaign_id: int) -> dict[Pair, tuple[int, ...]]:
    """Of every pair that two people or more graded, what all but the first of them say now, in turn."""
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
    return {
        pair: tuple(grade for _, grade in sorted(by_moment)[1:])
        for pair, by_moment in held.items()
        if len(by_moment) > 1
    }
