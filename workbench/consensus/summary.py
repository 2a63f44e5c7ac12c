"""A rule in a few numbers: what it settles and leaves, and how accurate it is against expert labels."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass

from workbench.consensus.rule import Pair
from workbench.consensus.settle import Consensus
from workbench.records import pair_of, sorted_ids


@dataclass(frozen=True, slots=True)
class Summary:
    """How many pairs a rule settles and leaves, and what the qrels are like that it makes.

    `left` counts the unsettled pairs by reason, the most first; `by_grade` the lines of each grade,
    ascending. `adjudicated` of the settled grades are an adjudicator's. `without_relevant` are the judged
    topics that have no relevant document, in the order given or that of bytes. `confidence` is the mean over
    the settled pairs, None without any.
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
    seen = sorted_ids({q.topic for q in found.qrels} | {pair.topic for pair in found.unsettled})
    relevant = [q.topic for q in found.qrels if q.grade >= found.relevant_from]
    with_relevant = set(relevant)
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
        confidence=math.fsum(found.confidence) / len(found.qrels) if found.qrels else None,
    )


@dataclass(frozen=True, slots=True)
class Accuracy:
    """A rule against expert labels: of `known` labelled pairs that were judged it settled `n`.

    `binary` is the share of these on the right side of the relevance threshold, `exact` that with the very
    grade; None where the rule settled none of them, or where its grades are not the experts' scale (`exact`).
    """

    known: int
    n: int
    binary: float | None
    exact: float | None


def accuracy(
    found: Consensus, gold: Mapping[Pair, int], *, relevant_from: int = 1, same_scale: bool = True
) -> Accuracy:
    """Compare what a rule gave with expert labels of the same pairs; `relevant_from` is the experts' line.

    Negative expert labels are none. Pairs that the rule left are counted in `known`, not in `n`.
    """
    labels = {pair_of(label): label for label in found.labels}
    judged = labels.keys() | {pair_of(pair) for pair in found.unsettled}
    known = [pair for pair, grade in gold.items() if grade >= 0 and pair in judged]
    both = [(labels[pair], gold[pair]) for pair in known if pair in labels]
    n = len(both)
    if not n:
        return Accuracy(len(known), 0, None, None)
    right = sum((label.grade >= found.relevant_from) == (grade >= relevant_from) for label, grade in both)
    return Accuracy(
        known=len(known),
        n=n,
        binary=right / n,
        exact=sum(label.grade == grade for label, grade in both) / n if same_scale else None,
    )


def summary_json(found: Summary | None, refused: str = "") -> dict[str, object]:
    """A summary as an object, or why there is none."""
    if found is None:
        return {"refused": refused}
    fields = asdict(found)
    return fields | {
        "left": dict(found.left),
        "by_grade": {str(grade): count for grade, count in found.by_grade},
        "without_relevant": list(found.without_relevant),
    }
