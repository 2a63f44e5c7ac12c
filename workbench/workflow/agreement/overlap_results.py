"""What the overlaps that were drawn have come to: how much is judged, and the kappa of the whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Select, and_, func, select
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING
from workbench.agreement.resampling import Resamples
from workbench.agreement.sample_request import Target
from workbench.agreement.sample_results import SampleEstimate, estimate_from_pairs, estimate_from_topics
from workbench.agreement.sample_size import LEVEL, Draw
from workbench.storage.events import HOLDING, current_events
from workbench.storage.tables import AssessorRow, JudgmentEventRow, PoolEntryRow, PoolRow
from workbench.workflow.agreement.overlap import Pair
from workbench.workflow.agreement.overlap_drawing import STRATEGY
from workbench.workflow.campaigns.campaigns import campaign_of

Said = tuple[int, int]
"""An assessor's id, and the grade that he or she holds."""


@dataclass(frozen=True, slots=True)
class OverlapResult:
    """An overlap pool: how many of its pairs are judged as planned, and the coefficient that follows.

    All its `assessors` are to grade a pair, or, where some judgments were planned to be `missing`, two.
    `table` counts these by first label (as it was when the pairs were drawn) and what each of the others
    said, highest first. The estimate is of the coefficient that is the `aim`.
    """

    pool_id: int
    pool: str
    draw: Draw
    pairs: int
    judged: int
    categories: tuple[int, ...]
    relevant_from: int | None
    table: tuple[tuple[int, ...], ...]
    estimate: SampleEstimate
    aim: Target
    assessors: int = 2
    missing: float = 0.0


def overlap_results(db: Session, campaign_id: int, *, level: float = LEVEL) -> tuple[OverlapResult, ...]:
    """The overlaps of a campaign, oldest first; of a pair count those who judged it first after the first."""
    rows = db.scalars(select(PoolRow).where(PoolRow.campaign_id == campaign_id).order_by(PoolRow.id)).all()
    pools = [row for row in rows if row.recipe["strategy"] == STRATEGY]
    if not pools:
        return ()
    grades = sorted((grade.value for grade in campaign_of(db, campaign_id).scale.grades), reverse=True)
    said = _said_in_turn(db, campaign_id)
    return tuple(_result(db, row, grades, said, level) for row in pools)


def _result(
    db: Session, row: PoolRow, grades: Sequence[int], said: dict[Pair, tuple[Said, ...]], level: float
) -> OverlapResult:
    line = row.recipe["relevant_from"]
    categories = tuple(grades) if line is None else (1, 0)
    entries = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno, PoolEntryRow.stratum)
        .where(PoolEntryRow.pool_id == row.id)
        .order_by(PoolEntryRow.topic)
    ).all()
    parameters = row.recipe["parameters"]
    assessors, missing = int(parameters.get("assessors", 2)), float(parameters.get("missing", 0))
    aim = Target(parameters.get("coefficient", "pooled"), parameters.get("weights", "nominal"))
    firsts = _firsts_of(db, row)
    topics: dict[str, int] = {}
    judged: list[tuple[int, list[Said]]] = []
    for topic, docno, stratum in entries:
        at = topics.setdefault(topic, len(topics))
        held, first = dict(said.get((topic, docno), ())), firsts.get((topic, docno))
        # Where the judgment that was drawn has been taken back nobody else stands in for the first.
        if first is None or first not in held:
            continue
        later = [one for one in held.items() if one[0] != first][: assessors - 1]
        # What was added to the pool by hand afterwards was not drawn.
        if stratum is not None and len(later) >= (1 if missing else assessors - 1):
            places = [
                (who, grades.index(grade) if line is None else int(grade < line)) for who, grade in later
            ]
            judged.append((at, [(first, stratum - 1), *places]))
    q = len(categories)
    people = sorted({who for _, of_pair in judged for who, _ in of_pair})
    codes = np.full((max(len(people), 2), len(judged)), MISSING, dtype=np.int8)
    table = np.zeros((q, q), dtype=np.int64)
    for column, (_, of_pair) in enumerate(judged):
        for who, place in of_pair:
            codes[people.index(who), column] = place
        for _, place in of_pair[1:]:
            table[of_pair[0][1], place] += 1
    draw = Draw(parameters["draw"])
    if draw is Draw.TOPIC:
        resamples = Resamples(seed=int(parameters["seed"]), level=level)
        estimate = estimate_from_topics(codes, [at for at, _ in judged], resamples, grades=q, aim=aim)
    else:
        labels = [of_pair[0][1] for _, of_pair in judged]
        sizes = row.recipe["candidates"] if draw is Draw.LABEL else None
        estimate = estimate_from_pairs(codes, labels, grades=q, aim=aim, sizes=sizes, level=level)
    return OverlapResult(
        row.id,
        row.name,
        draw,
        row.pairs,
        len(judged),
        categories,
        line,
        tuple(tuple(counts) for counts in table.tolist()),
        estimate,
        aim,
        assessors,
        missing,
    )


def _firsts_of(db: Session, pool: PoolRow) -> dict[Pair, int]:
    """Who, by number, graded each pair of an overlap when it was drawn."""
    event, entry = JudgmentEventRow, PoolEntryRow
    latest = (
        select(func.max(event.id))
        .join(entry, and_(entry.topic == event.topic, entry.docno == event.docno))
        .where(
            entry.pool_id == pool.id,
            event.campaign_id == pool.campaign_id,
            event.purpose.in_(HOLDING),
            event.assessor_id.in_(_people(pool.campaign_id)),
            event.recorded_at <= pool.created_at,
        )
        .group_by(event.assessor_id, event.topic, event.docno)
    )
    held = select(event.topic, event.docno, event.assessor_id).where(
        event.id.in_(latest), event.grade.is_not(None)
    )
    return {(topic, docno): who for topic, docno, who in db.execute(held)}


def _people(campaign_id: int) -> Select[int]:
    return select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False)
    )


def _said_in_turn(db: Session, campaign_id: int) -> dict[Pair, tuple[Said, ...]]:
    """Of every pair that people graded, who they are and what they say now, in the order they began."""
    event = JudgmentEventRow
    begun = {
        (who, topic, docno): number
        for who, topic, docno, number in db.execute(
            select(event.assessor_id, event.topic, event.docno, func.min(event.id))
            .where(
                event.campaign_id == campaign_id,
                event.purpose.in_(HOLDING),
                event.assessor_id.in_(_people(campaign_id)),
            )
            .group_by(event.assessor_id, event.topic, event.docno)
        )
    }
    held: dict[Pair, list[tuple[int, int, int]]] = {}
    for said in current_events(db, campaign_id):
        number = begun.get((said.assessor_id, said.topic, said.docno))
        if said.grade is not None and number is not None:
            held.setdefault((said.topic, said.docno), []).append((number, said.assessor_id, said.grade))
    return {
        pair: tuple((who, grade) for _, who, grade in sorted(by_moment)) for pair, by_moment in held.items()
    }
