"""What a rule does to a collection, in a few numbers that can be compared between rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

from workbench.consensus.settle import Consensus


@dataclass(frozen=True, slots=True)
class Summary:
    """How many pairs a rule settles and leaves, and what the qrels are like that it makes.

    `left` counts the unsettled pairs by reason, the most first; `by_grade` the lines of each grade,
    ascending. `adjudicated` of the settled grades are an adjudicator's. `without_relevant` are the judged
    topics that have no relevant document, in the order given. `confidence` is the mean over the settled
    pairs, None without any.
    """

    settled: int
    adjudicated: int
    unsettled: int
    left: tuple[tuple[str, int], ...]
    by_grade: tuple[tuple[int, int], ...]
    relevant_from: int
    relevant: int
    topics: int
    without_relevant: tuple[str, ...]
    confidence: float | None


def summary(found: Consensus, *, topics: Collection[str] | None = None) -> Summary:
    """The summary of what a rule gave; `topics` are those judged, else those that the rule saw."""
    seen = dict.fromkeys([q.topic for q in found.qrels] + [pair.topic for pair in found.unsettled])
    relevant = [q.topic for q in found.qrels if q.grade >= found.relevant_from]
    with_relevant = set(relevant)
    sure = found.confidence
    return Summary(
        settled=len(found.qrels),
        adjudicated=sum(label.adjudicated for label in found.labels),
        unsettled=len(found.unsettled),
        left=tuple(Counter(pair.reason for pair in found.unsettled).most_common()),
        by_grade=tuple(sorted(Counter(q.grade for q in found.qrels).items())),
        relevant_from=found.relevant_from,
        relevant=len(relevant),
        topics=len({q.topic for q in found.qrels}),
        without_relevant=tuple(
            topic for topic in (seen if topics is None else topics) if topic not in with_relevant
        ),
        confidence=sum(sure) / len(sure) if sure else None,
    )
