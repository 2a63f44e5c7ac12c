"""Runs for the tests of pooling: by hand, and drawn with many ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hypothesis import strategies as st

from tests.formats.strategies import IDS
from workbench.records import Ranking, Run, TieRule, id_bytes

Scores = Mapping[str, Mapping[str, float]]


def run(tag: str, topics: Scores) -> Run:
    """A run from scores by topic and docno, in the order of the mapping."""
    return Run(
        tag, {topic: Ranking(tuple(scores), tuple(scores.values())) for topic, scores in topics.items()}
    )


def ranked(tag: str, docnos: Sequence[str], *, topic: str = "1") -> Run:
    """A run of one topic, best document first, without ties."""
    return run(tag, {topic: {docno: float(-place) for place, docno in enumerate(docnos)}})


def by_hand(scores: Mapping[str, float], ties: TieRule) -> list[str]:
    """The docnos in the order of the rule: a stable sort by score after one by docno."""
    docnos = list(scores)
    if ties is not TieRule.FILE:
        docnos.sort(key=id_bytes, reverse=ties is TieRule.TREC_EVAL)
    return sorted(docnos, key=lambda docno: -scores[docno])


# Few topics, documents and scores, so that runs meet and tie.
_TOPICS = st.sampled_from(["1", "10", "9", "MB001", "\udcff"])
_DOCNOS = st.one_of(st.sampled_from(["a", "B", "10", "9", "d#1", "é"]), IDS)
SCORES = st.dictionaries(
    _TOPICS, st.dictionaries(_DOCNOS, st.integers(0, 3).map(float), min_size=1, max_size=8), max_size=3
)
MANY_SCORES = st.dictionaries(IDS, SCORES, max_size=4)
"""Scores by tag, topic and docno."""


ABC = [
    ranked("A", ["d01", "d02", "d03", "d04", "d05"]),
    ranked("B", ["d03", "d06", "d01", "d07", "d08"]),
    ranked("C", ["d09", "d06", "d02", "d10", "d04"]),
]
"""The three runs of the field's worked cases of fusion and of adaptive pools."""
ABC_RELEVANT = {"d01", "d03", "d04", "d06"}
