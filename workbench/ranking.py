"""The order of a run: score descending, ties by a named rule; the rank column is not used."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from operator import eq, ge, gt
from typing import Any

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
    order = ties_ordered(score_order(scores, numbers), docnos, scores, numbers, ties)
    return np.arange(len(scores)) if order is None else order


def arranged(values: NDArray[Any], order: Positions | None) -> NDArray[Any]:
    """Values in an order; as they are where it is None."""
    return values if order is None else values.take(order)


def score_order(scores: Scores, numbers: Positions) -> Positions | None:
    """The order by topic number, then score, ties in the order of the file; None where the file has it."""
    order = np.argsort(numbers, kind="stable") if (numbers[1:] < numbers[:-1]).any() else None
    in_order, topics = arranged(scores, order), arranged(numbers, order)
    rises = (in_order[1:] > in_order[:-1]) & (topics[1:] == topics[:-1])
    if not rises.any():
        return order
    if order is None:
        order = np.arange(len(scores))
    starts = np.flatnonzero(np.append(True, topics[1:] != topics[:-1]))
    ends = np.append(starts[1:], len(topics))
    unordered = np.logical_or.reduceat(np.append(False, rises), starts)
    # Topic by topic takes a fifth of the time of one sort of everything by two keys.
    for begin, end in zip(starts[unordered].tolist(), ends[unordered].tolist(), strict=True):
        order[begin:end] = order[begin:end][np.argsort(-in_order[begin:end], kind="stable")]
    return order


def ties_ordered(
    order: Positions | None,
    docnos: Docnos,
    scores: Scores,
    numbers: Positions,
    ties: TieRule,
    *,
    kinds: NDArray[np.int64] | None = None,
) -> Positions | None:
    """What `score_order` gave, with ties in the order of the rule; docnos as in `array_order`.

    With `kinds`, a number for each document, documents of one score that are all of one kind may stay in any
    order: whoever asks only for the kinds by rank need not wait for it.
    """
    if ties is TieRule.FILE:
        return order
    scores, numbers = arranged(scores, order), arranged(numbers, order)
    same = (scores[1:] == scores[:-1]) & (numbers[1:] == numbers[:-1])
    matter = same
    if kinds is not None:
        kinds = arranged(kinds, order)
        matter = same & (kinds[1:] != kinds[:-1])
    if not matter.any():
        return order
    groups = np.cumsum(np.append(False, ~same))
    tied = np.zeros(groups[-1] + 1, dtype=np.bool_)
    tied[groups[1:][matter]] = True
    at = np.flatnonzero(tied[groups])
    order = np.arange(len(scores)) if order is None else order.copy()
    order[at] = order[at[_docno_order(docnos[order[at]], groups[at], ties)]]
    return order


def _docno_order(docnos: Docnos, groups: Positions, ties: TieRule) -> Positions:
    """The order of docnos in each group, the groups by number.

    Sorted are words of a group's number and, in the bits that it leaves, some bytes of the docno. Those that
    are equal so far are groups again, of which the next bytes decide: so few are sorted more than once, which
    takes a quarter of the time of sorting by all words of a docno.
    """
    width = docnos.itemsize
    padded = docnos.astype(f"S{width + _WORD}")

    def words_from(octet: int) -> NDArray[np.uint64]:
        # The first byte of a word is its highest here, so that words are ordered as their bytes are.
        return np.ndarray((len(docnos),), ">u8", padded, octet, (width + _WORD,))

    # Docnos of many collections begin alike.
    octets = range(0, width, _WORD)
    octet = next((at for at in octets if (words_from(at) != words_from(at)[0]).any()), 0)
    flip = np.uint64(2**64 - 1 if ties is TieRule.TREC_EVAL else 0)
    order = np.arange(len(docnos))
    places = order.copy()
    while True:
        bits = int(groups.max()).bit_length()
        there = order[places]
        keys = (words_from(octet)[there].astype(np.uint64) ^ flip) >> np.uint64(bits)
        keys |= groups.view(np.uint64) << np.uint64(64 - bits)
        by_key = keys.argsort()
        order[places] = there[by_key]
        keys = keys[by_key]
        equal = keys[1:] == keys[:-1]
        octet += (64 - bits) // 8
        if octet >= width or not equal.any():
            return order
        again = np.append(equal, False) | np.append(False, equal)
        groups = np.cumsum(np.append(True, ~equal))[again]
        places = places[again]
