"""How much the outcome of each dispute could move the ranking of a campaign's runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from workbench.consensus.disputes import Dispute
from workbench.consensus.simple import lower_median
from workbench.pooling.run_tops import RunTops
from workbench.records import Judgment, Scale, id_bytes
from workbench.scoring.gains import Ranks, gain_measure
from workbench.scoring.influence import Influence, TopicGrades, influences
from workbench.storage.tables import RunRow
from workbench.workflow.runs.packed_store import tops_of

Pair = tuple[str, str]


def runs_that_count(db: Session, campaign_id: int) -> dict[str, str]:
    """The hashes of the runs that hold and are not set aside, by tag, in the order of the tags."""
    chosen = select(RunRow.tag, RunRow.sha256).where(
        RunRow.campaign_id == campaign_id, RunRow.replaced_at.is_(None), RunRow.verdict != "set_aside"
    )
    return dict(db.execute(chosen.order_by(RunRow.tag)).all())


def dispute_influences(
    db: Session,
    campaign_id: int,
    found: Sequence[Dispute],
    *,
    said: Mapping[Pair, Sequence[Judgment]],
    decided: Mapping[Pair, int],
    scale: Scale,
    measure: str,
) -> dict[Pair, Influence]:
    """The influence of every disputed pair on the runs that count, by (topic, docno).

    Every pair has the grade that was `decided`, else the lower median of the grades `said`; a disputed one
    could get each of the grades given, or where fewer than two were, each of the scale. Raises WorkbenchError
    for an unknown measure.
    """
    chosen = gain_measure(measure, relevant_from=scale.relevant_from)
    grades: dict[Pair, int] = {}
    for pair, judgments in said.items():
        given = {one.assessor: one.grade for one in judgments if one.grade is not None}
        if given:
            grades[pair] = lower_median(given)
    grades |= decided
    # A pair that has no grade yet counts for nothing, as an unjudged document does.
    for one in found:
        grades.setdefault((one.topic, one.docno), scale.grades[0].value)
    tags = list(runs_that_count(db, campaign_id))
    tops = tops_of(db, campaign_id, tags, depth=chosen.depth)
    every = [grade.value for grade in scale.grades]
    outcomes = {(one.topic, one.docno): one.grades if len(one.grades) > 1 else every for one in found}
    topics = _topics(tops, len(tags), grades)
    return influences(topics, outcomes, measure=chosen)


def _topics(tops: Iterable[RunTops], runs: int, grades: Mapping[Pair, int]) -> list[TopicGrades]:
    places: dict[str, dict[bytes, int]] = {}
    docnos: dict[str, list[str]] = {}
    for topic, docno in grades:
        of_topic = places.setdefault(topic, {})
        of_topic[id_bytes(docno)] = len(of_topic)
        docnos.setdefault(topic, []).append(docno)
    ranks = {topic: np.zeros((runs, len(known)), dtype=np.int32) for topic, known in places.items()}
    for number, one in enumerate(tops):
        _fill(ranks, number, one, places)
    return [
        TopicGrades(
            topic, tuple(docnos[topic]), ranks[topic], tuple(grades[topic, docno] for docno in docnos[topic])
        )
        for topic in places
    ]


def _fill(
    ranks: Mapping[str, Ranks], number: int, run: RunTops, places: Mapping[str, Mapping[bytes, int]]
) -> None:
    """Write the ranks of one run's documents into the row of its number."""
    of_topics = [(places.get(topic), topic) for topic in run.topics]
    rows = [ranks[topic][number] if known is not None else None for known, topic in of_topics]
    for at, docno, rank in zip(run.numbers.tolist(), run.docnos.tolist(), run.ranks.tolist(), strict=True):
        known, row = of_topics[at][0], rows[at]
        if known is not None and row is not None:
            place = known.get(docno)
            if place is not None:
                row[place] = rank
