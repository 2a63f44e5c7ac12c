"""The one order in which a run is read: score descending, ties by a named rule; ranks are not used."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from workbench.records import Ranking, TieRule, id_bytes


def ordered(ranking: Ranking, *, ties: TieRule = TieRule.TREC_EVAL) -> tuple[str, ...]:
    """All docnos of a ranking, best first.

    Scores are compared as doubles. Under `trec_eval` equal scores are ordered by docno descending, bytewise
    (trec_eval 9.0.8, form_res_rels.c); under `docno-ascending` the other way round (the official TREC-COVID
    pools); under `file` as they stand in the file.
    """
    return tuple(_by_rule(zip(ranking.docnos, ranking.scores, strict=True), ties))


def top(ranking: Ranking, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> tuple[str, ...]:
    """The first `depth` docnos of a ranking under the same order as `ordered`."""
    if depth >= len(ranking):
        return ordered(ranking, ties=ties)
    if depth < 1:
        return ()
    # Only documents at or above the depth-th score can be among the first, so only those are ordered.
    floor = heapq.nlargest(depth, ranking.scores)[-1]
    candidates = ((d, s) for d, s in zip(ranking.docnos, ranking.scores, strict=True) if s >= floor)
    return tuple(_by_rule(candidates, ties)[:depth])


def _by_rule(scored: Iterable[tuple[str, float]], ties: TieRule) -> list[str]:
    pairs = list(scored)
    if ties is TieRule.TREC_EVAL:
        pairs.sort(key=lambda pair: (pair[1], id_bytes(pair[0])), reverse=True)
    elif ties is TieRule.DOCNO_ASCENDING:
        pairs.sort(key=lambda pair: (-pair[1], id_bytes(pair[0])))
    else:
        pairs.sort(key=lambda pair: -pair[1])
    return [docno for docno, _ in pairs]
