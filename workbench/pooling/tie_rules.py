"""What a depth pool would be under each tie rule: how large, and what would enter and leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from workbench.pooling.cut_ties import CutTie
from workbench.pooling.incidence import Incidence
from workbench.pooling.pool import Pair
from workbench.records import TieRule, sorted_ids


@dataclass(frozen=True, slots=True)
class RuleOutcome:
    """The pool under a tie rule: its pairs, and what changes from the pool of the rule that was chosen.

    `entering` and `leaving` are sorted by topic and docno (bytes).
    """

    rule: TieRule
    pairs: int
    entering: tuple[Pair, ...]
    leaving: tuple[Pair, ...]


def outcomes(
    incidence: Incidence, at_cut: Mapping[TieRule, Iterable[CutTie]], *, chosen: TieRule
) -> tuple[RuleOutcome, ...]:
    """The outcome of every rule in `at_cut`, from the ties at the cut as each of them splits these.

    `incidence` is what the runs have among their first documents under the chosen rule.
    """
    inside = {rule: _inside(ties) for rule, ties in at_cut.items()}
    mine = inside[chosen]
    certain = _certain(incidence, mine)
    here = {topic: set(counts) - certain[topic] for topic, counts in mine.items()}
    found = []
    for rule, by_topic in inside.items():
        there = {topic: set(counts) - certain[topic] for topic, counts in by_topic.items()}
        entering = _pairs({topic: docnos - here[topic] for topic, docnos in there.items()})
        leaving = _pairs({topic: docnos - there[topic] for topic, docnos in here.items()})
        found.append(RuleOutcome(rule, incidence.pairs + len(entering) - len(leaving), entering, leaving))
    return tuple(found)


def _inside(ties: Iterable[CutTie]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for tie in ties:
        counts.setdefault(tie.topic, Counter()).update(tie.inside)
    return counts


def _certain(incidence: Incidence, inside: Mapping[str, Counter[str]]) -> dict[str, set[str]]:
    """By topic with ties, the documents that some run brings whatever the rule."""
    certain: dict[str, set[str]] = {}
    for topic in incidence.topics:
        if topic.topic in inside:
            times = np.bincount(topic.documents, minlength=len(topic.docnos)).tolist()
            by_ties = inside[topic.topic]
            certain[topic.topic] = {
                docno for docno, count in zip(topic.docnos, times, strict=True) if count > by_ties[docno]
            }
    return certain


def _pairs(by_topic: Mapping[str, set[str]]) -> tuple[Pair, ...]:
    return tuple((topic, docno) for topic in sorted_ids(by_topic) for docno in sorted_ids(by_topic[topic]))
