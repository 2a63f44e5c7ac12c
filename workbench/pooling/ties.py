"""Ties at the cut of a depth pool, and the pool that each tie rule would make."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import ge

import numpy as np

from workbench.frozen import frozen_dataclass
from workbench.pooling.contributions import Incidence
from workbench.pooling.pool import Pair
from workbench.ranking import ordered
from workbench.records import Ranking, Run, TieRule, id_bytes, sorted_ids


@frozen_dataclass
class CutTie:
    """A run's documents for a topic that have the score of the last one within the depth.

    `inside` were let in by the tie rule, `outside` were not; both in the rule's order and neither empty.
    """

    tag: str
    topic: str
    score: float
    inside: tuple[str, ...]
    outside: tuple[str, ...]


@frozen_dataclass
class DecidedByTies:
    """The pairs of which the tie rule decided whether they are in the pool, each sorted (bytes).

    `let_in` are in it and came from no run without a tie at the cut; `kept_out` are not in it.
    """

    let_in: tuple[Pair, ...]
    kept_out: tuple[Pair, ...]


def cut_ties_by_rule(run: Run, depth: int) -> dict[TieRule, list[CutTie]]:
    """A run's ties across the cut as each of the rules splits them; of no depth below 1."""
    found: dict[TieRule, list[CutTie]] = {rule: [] for rule in TieRule}
    for topic, ranking in run.rankings.items():
        score = _score_across(ranking.scores, depth)
        if score is None:
            continue
        tied = [docno for docno, own in zip(ranking.docnos, ranking.scores, strict=True) if own == score]
        places = depth - sum(own > score for own in ranking.scores)
        group = Ranking(tuple(tied), (score,) * len(tied))
        for rule, ties in found.items():
            by_rule = ordered(group, ties=rule)
            ties.append(CutTie(run.tag, topic, score, by_rule[:places], by_rule[places:]))
    return found


def in_order(ties: Iterable[CutTie]) -> tuple[CutTie, ...]:
    """Ties sorted by tag, then topic (bytes)."""
    return tuple(sorted(ties, key=lambda tie: (id_bytes(tie.tag), id_bytes(tie.topic))))


def decided_in(incidence: Incidence, at_cut: Sequence[CutTie]) -> DecidedByTies:
    """Which pairs the tie rule decided in the depth pool of these runs, with these ties at its cut."""
    inside = _inside(at_cut)
    certain = _certain(incidence, inside)
    outside: dict[str, set[str]] = {}
    for tie in at_cut:
        outside.setdefault(tie.topic, set()).update(tie.outside)
    pooled = {topic.topic: topic.docnos for topic in incidence.topics}
    return DecidedByTies(
        _pairs(_open(inside, certain)),
        _pairs({topic: docnos.difference(pooled[topic]) for topic, docnos in outside.items()}),
    )


def _score_across(scores: Sequence[float], depth: int) -> float | None:
    """The score of the last document within the depth if the first beyond it has the same, else None."""
    if len(scores) <= depth:
        return None
    # Most runs come in the order of their scores, and to see that is quicker than to order them.
    if not all(map(ge, scores, scores[1:])):
        scores = heapq.nlargest(depth + 1, scores)
    return scores[depth - 1] if scores[depth] == scores[depth - 1] else None


@frozen_dataclass
class RuleOutcome:
    """The pool under a tie rule: its pairs, and what changes from the pool of the rule that was chosen.

    `added` and `removed` are sorted by topic and docno (bytes).
    """

    rule: TieRule
    pairs: int
    added: tuple[Pair, ...]
    removed: tuple[Pair, ...]


def outcomes(
    incidence: Incidence, at_cut: Mapping[TieRule, Iterable[CutTie]], *, chosen: TieRule
) -> tuple[RuleOutcome, ...]:
    """The outcome of every rule in `at_cut`, from the ties at the cut as each of them splits these.

    `incidence` is what the runs have among their first documents under the chosen rule.
    """
    inside = {rule: _inside(ties) for rule, ties in at_cut.items()}
    mine = inside[chosen]
    certain = _certain(incidence, mine)
    here = _open(mine, certain)
    found = []
    for rule, by_topic in inside.items():
        there = _open(by_topic, certain)
        added = _pairs({topic: docnos - here[topic] for topic, docnos in there.items()})
        removed = _pairs({topic: docnos - there[topic] for topic, docnos in here.items()})
        found.append(RuleOutcome(rule, incidence.pairs + len(added) - len(removed), added, removed))
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


def _open(inside: Mapping[str, Counter[str]], certain: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """By topic, the documents that no run would bring without its tie."""
    return {topic: set(counts) - certain[topic] for topic, counts in inside.items()}


def _pairs(by_topic: Mapping[str, set[str]]) -> tuple[Pair, ...]:
    return tuple((topic, docno) for topic in sorted_ids(by_topic) for docno in sorted_ids(by_topic[topic]))
