"""The order of a run: score descending, ties by a named rule; the rank column is not used."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from operator import eq, ge, gt

import numpy as np
from numpy.typing import NDArray

from workbench.records import Ranking, TieRule, id_bytes

Docnos = np.ndarray[tuple[int], np.dtype[np.bytes_]]
Scores = NDArray[np.float64]
Positions = NDArray[np.intp]
_WORD = 8


def ordered(ranking: Ranking, *, ties: TieRule = TieRule.TREC_EVAL) -> tuple[str, ...]:
    """All docnos of a ranking, best first.

    Scores are compared as doubles. Under `trec_eval` equal scores are ordered by docno descending, bytewise
    (trec_eval 9.0.8, form_res_rels.c); under `docno-ascending` by docno ascending (the official TREC-COVID
    pools); under `file` in the order of the file.
    """
    if _is_ordered(ranking, ties):
        return ranking.docnos
    return tuple(_by_rule(zip(ranking.docnos, ranking.scores, strict=True), ties))


def top(ranking: Ranking, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> tuple[str, ...]:
    """The first `depth` docnos of a ranking under the same order as `ordered`."""
    if depth < 1:
        return ()
    if depth >= len(ranking) or _is_ordered(ranking, ties):
        return ordered(ranking, ties=ties)[:depth]
    # Only documents at or above the depth-th score can be among the first, so only those are ordered.
    floor = heapq.nlargest(depth, ranking.scores)[-1]
    candidates = ((d, s) for d, s in zip(ranking.docnos, ranking.scores, strict=True) if s >= floor)
    return tuple(_by_rule(candidates, ties)[:depth])


def _is_ordered(ranking: Ranking, ties: TieRule) -> bool:
    """Whether a ranking is in order already; most are, and the check takes a tenth of the time of sorting."""
    docnos, scores = ranking.docnos, ranking.scores
    if all(map(gt, scores, scores[1:])):
        return True
    if not all(map(ge, scores, scores[1:])):
        return False
    if ties is TieRule.FILE:
        return True
    tied = [at for at, same in enumerate(map(eq, scores, scores[1:])) if same]
    descending = ties is TieRule.TREC_EVAL
    return all((id_bytes(docnos[at]) > id_bytes(docnos[at + 1])) is descending for at in tied)


def _by_rule(scored: Iterable[tuple[str, float]], ties: TieRule) -> list[str]:
    pairs = list(scored)
    if ties is TieRule.TREC_EVAL:
        pairs.sort(key=lambda pair: (pair[1], id_bytes(pair[0])), reverse=True)
    elif ties is TieRule.DOCNO_ASCENDING:
        pairs.sort(key=lambda pair: (-pair[1], id_bytes(pair[0])))
    else:
        pairs.sort(key=lambda pair: -pair[1])
    return [docno for docno, _ in pairs]


def array_order(docnos: Docnos, scores: Scores, numbers: Positions, ties: TieRule) -> Positions:
    """The order of a run in arrays: by topic number, then that of `ordered`; shape (documents,).

    Docnos are bytes of one width, a multiple of 8, filled up with zeros.
    """
    falls = (scores[1:] <= scores[:-1]) | (numbers[1:] != numbers[:-1])
    order = np.arange(len(scores)) if falls.all() else np.lexsort((-scores, numbers))
    if ties is TieRule.FILE:
        return order
    scores, numbers = scores[order], numbers[order]
    same = np.zeros(len(order) + 1, dtype=np.bool_)
    same[1:-1] = (scores[1:] == scores[:-1]) & (numbers[1:] == numbers[:-1])
    tied = np.flatnonzero(same[1:] | same[:-1])
    groups = np.cumsum(~same[:-1])[tied]
    # The first byte of a word is its highest here, so that words are ordered as their bytes are.
    words = docnos[order[tied]].view(">u8").reshape(len(tied), docnos.itemsize // _WORD).astype(np.uint64)
    if ties is TieRule.TREC_EVAL:
        words = ~words
    order[tied] = order[tied[np.lexsort((*words.T[::-1], groups))]]
    return order
