"""Ties at the cut of a depth pool: documents of equal score of which a rule lets in some and not others."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.pooling.pool import Pair, Pool
from workbench.pooling.tags import each_tag_once
from workbench.ranking import ordered
from workbench.records import Ranking, Run, TieRule, id_bytes


@dataclass(frozen=True, slots=True)
class CutTie:
    """A run's documents for a topic that have the score of the last one within the depth.

    `inside` were let in by the tie rule, `outside` were not; both in the rule's order and neither empty.
    """

    tag: str
    topic: str
    score: float
    inside: tuple[str, ...]
    outside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decided:
    """The pairs of which the tie rule decided whether they are in the pool, each sorted (bytes).

    `let_in` are in it and came from no run without a tie at the cut; `kept_out` are not in it.
    """

    let_in: tuple[Pair, ...]
    kept_out: tuple[Pair, ...]


def cut_ties(
    runs: Iterable[Run], *, depth: int = 100, ties: TieRule = TieRule.TREC_EVAL
) -> tuple[CutTie, ...]:
    """The ties across the cut of a depth pool, sorted by tag, then topic (bytes).

    Raises WorkbenchError for a depth below 1 and Conflict where two runs have the same tag.
    """
    if depth < 1:
        raise WorkbenchError(f"there is no cut at depth {depth}", remedy="give a depth of 1 or more")
    found = [
        tie
        for run in each_tag_once(runs)
        for topic, ranking in run.rankings.items()
        if (tie := _tie(run.tag, topic, ranking, depth, ties)) is not None
    ]
    return tuple(sorted(found, key=lambda tie: (id_bytes(tie.tag), id_bytes(tie.topic))))


def decided(pool: Pool, at_cut: Iterable[CutTie]) -> Decided:
    """Which pairs the tie rule decided in the depth pool that has these ties at its cut."""
    at_cut = tuple(at_cut)
    inside = {(tie.tag, tie.topic, docno) for tie in at_cut for docno in tie.inside}
    let_in = {
        (entry.topic, entry.docno)
        for entry in pool.entries
        if all((one.tag, entry.topic, entry.docno) in inside for one in entry.contributions)
    }
    kept_out = {(tie.topic, docno) for tie in at_cut for docno in tie.outside} - pool.pairs
    return Decided(_sorted(let_in), _sorted(kept_out))


def _tie(tag: str, topic: str, ranking: Ranking, depth: int, ties: TieRule) -> CutTie | None:
    if len(ranking) <= depth:
        return None
    first = heapq.nlargest(depth + 1, ranking.scores)
    score = first[depth - 1]
    if first[depth] != score:
        return None
    tied = [docno for docno, own in zip(ranking.docnos, ranking.scores, strict=True) if own == score]
    places = depth - sum(own > score for own in first)
    by_rule = ordered(Ranking(tuple(tied), (score,) * len(tied)), ties=ties)
    return CutTie(tag, topic, score, by_rule[:places], by_rule[places:])


def _sorted(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    return tuple(sorted(pairs, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1]))))
