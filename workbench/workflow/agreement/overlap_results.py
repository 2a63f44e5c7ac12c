"""What the overlaps that were drawn have shown: how much is judged, and the coefficient of all pairs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import numpy as np
from sqlalchemy import Row, Select, select
from sqlalchemy.orm import Session

from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.resampling import Resamples
from workbench.agreement.sample_request import LEVEL, PlanRequest
from workbench.agreement.sample_results import SampleEstimate, estimate_from_pairs, estimate_from_topics
from workbench.agreement.sample_size import Draw
from workbench.storage.chunks import chunks
from workbench.storage.events import CURRENT_PURPOSES
from workbench.storage.tables import AssessorRow, JudgmentEventRow, PoolEntryRow, PoolRow
from workbench.workflow.agreement.independent_answers import GivenAnswer
from workbench.workflow.agreement.overlap_candidates import Pair
from workbench.workflow.agreement.overlap_drawing import kept_request
from workbench.workflow.agreement.selection import answers_before_discussion
from workbench.workflow.campaigns.campaigns import campaign_of
from workbench.workflow.pools.current_answers import answers_by_topic, changes_of
from workbench.workflow.pools.pool_rows import OVERLAP
from workbench.workflow.pools.topic_answers import TopicAnswers

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
    entries = {row.id: _entries(db, row.id) for row in pools}
    discussed = answers_before_discussion(db, campaign_id)
    drawn = {(topic, docno) for of_pool in entries.values() for topic, docno, _ in of_pool}
    events_by_pair = _events_of(db, campaign_id, drawn, discussed)
    current = {pair: _current(pair, events, discussed) for pair, events in events_by_pair.items()}
    results = []
    for row in pools:
        firsts = {pair: _first(events, row.created_at) for pair, events in events_by_pair.items()}
        judged = _judged_pairs(entries[row.id], firsts, kept_request(row.recipe), current)
        results.append(_result(row, grades, list(judged), level))
    return tuple(results)


@dataclass(frozen=True, slots=True)
class _PersonEvent:
    """An event of a person about a document that can be current: its number, the grade if any, and when."""

    assessor: int
    docno: str
    number: int
    grade: int | None
    when: datetime


_Entries = Sequence[Row[str, str, int | None]]
_Planned = tuple[int, Graded, list[Graded]]
"""A pair that is judged as planned: its topic's number, the first label, and the later grades."""


def _result(row: PoolRow, grades: Sequence[int], planned: Sequence[_Planned], level: float) -> OverlapResult:
    request, parameters = kept_request(row.recipe), row.recipe["parameters"]
    threshold = row.recipe["relevant_from"]
    q = len(grades) if threshold is None else 2
    judged = [
        (topic, [first, *((who, _place(grade, grades, threshold)) for who, grade in later)])
        for topic, first, later in planned
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


def _entries(db: Session, pool_id: int) -> _Entries:
    entry = PoolEntryRow
    chosen = select(entry.topic, entry.docno, entry.stratum).where(entry.pool_id == pool_id)
    return db.execute(chosen.order_by(entry.topic)).all()


def _judged_pairs(
    entries: _Entries,
    firsts: Mapping[Pair, int | None],
    request: PlanRequest,
    current: Mapping[Pair, tuple[Graded, ...]],
) -> Iterator[_Planned]:
    """Every pair of a pool that is judged as planned."""
    needed = 1 if request.non_response else request.others
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


def _first(events: Sequence[_PersonEvent], at: datetime) -> int | None:
    """Who had graded a pair at a moment: of several whoever did so last."""
    latest = {one.assessor: one for one in events if one.when <= at}
    graded = [one for one in latest.values() if one.grade is not None]
    return max(graded, key=lambda one: one.number).assessor if graded else None


def _current(
    pair: Pair, events: Sequence[_PersonEvent], discussed: Mapping[tuple[int, Pair], GivenAnswer]
) -> tuple[Graded, ...]:
    """The independent grades of a pair, in the order in which their assessors began it."""
    # What was added last stays, in the place of the first.
    latest = {one.assessor: one.grade for one in events}
    # What assessors said after they had seen each other's answers is no second opinion.
    latest |= {who: discussed[who, pair][1] for who in latest if (who, pair) in discussed}
    return tuple((who, grade) for who, grade in latest.items() if grade is not None)


def _events_of(
    db: Session,
    campaign_id: int,
    drawn: Collection[Pair],
    discussed: Mapping[tuple[int, Pair], GivenAnswer],
) -> dict[Pair, list[_PersonEvent]]:
    """What people said of some pairs, as it was recorded; kept with the answers of each topic."""
    by_topic: dict[str, set[str]] = {}
    for topic, docno in drawn:
        by_topic.setdefault(topic, set()).add(docno)
    before: dict[str, set[int]] = {}
    for who, (topic, _) in discussed:
        before.setdefault(topic, set()).add(who)
    people, known = frozenset(db.scalars(_people(campaign_id))), answers_by_topic(db, campaign_id)
    # A transaction that is behind others must not keep what it reads with answers that are newer.
    shared = changes_of(db, campaign_id) >= 0
    found: dict[Pair, list[_PersonEvent]] = {}
    for topic, docnos in by_topic.items():
        answers, some = known.get(topic), frozenset(docnos)
        # Whoever has no current answer in a topic has none that counts, unless there was a discussion.
        asked = people if answers is None or answers.discussed else people & set(answers.keep("who", _who))
        asked |= people & before.get(topic, set())
        read = partial(_read, db, campaign_id, topic, some, asked)
        if answers is None or not shared:
            events = read(answers)
        else:
            events = answers.keep(("said of", some, asked), read)
        for one in events:
            found.setdefault((topic, one.docno), []).append(one)
    return found


def _who(answers: TopicAnswers) -> tuple[int, ...]:
    return tuple(np.unique(answers.assessors).tolist())


def _read(
    db: Session,
    campaign_id: int,
    topic: str,
    docnos: frozenset[str],
    assessors: frozenset[int],
    _: TopicAnswers | None,
) -> tuple[_PersonEvent, ...]:
    event = JudgmentEventRow
    chosen = select(event.assessor_id, event.docno, event.id, event.grade, event.recorded_at).where(
        event.campaign_id == campaign_id,
        event.assessor_id.in_(sorted(assessors)),
        event.topic == topic,
        event.purpose.in_(CURRENT_PURPOSES),
    )
    rows = [row for part in chunks(sorted(docnos)) for row in db.execute(chosen.where(event.docno.in_(part)))]
    return tuple(sorted((_PersonEvent(*row) for row in rows), key=lambda one: one.number))


def _people(campaign_id: int) -> Select[int]:
    return select(AssessorRow.id).where(
        AssessorRow.campaign_id == campaign_id, AssessorRow.machine.is_(False)
    )
