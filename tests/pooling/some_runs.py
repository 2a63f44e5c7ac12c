"""Runs for the tests of pooling: by hand, and drawn with many ties."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

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
_TOPICS = ("1", "10", "9", "MB001", "\udcff")
_TOPIC_LISTS = [few for number in (1, 2, 3) for few in permutations(_TOPICS, number)] + [()]
_DOCNOS = ("a", "B", "10", "9", "d#1", "é")


def _some_topics(draw: st.DrawFn, docnos: Sequence[str]) -> dict[str, dict[str, float]]:
    # Drawing costs more than all that is done with what is drawn, so one byte says all of a document: whether
    # it is in the ranking, its score, and where its line stands.
    topics = draw(st.sampled_from(_TOPIC_LISTS))
    raw = draw(st.binary(min_size=len(topics) * len(docnos), max_size=len(topics) * len(docnos)))
    said = {topic: raw[at * len(docnos) :][: len(docnos)] for at, topic in enumerate(topics)}
    return {topic: _some_ranking(docnos, part) for topic, part in said.items()}


def _some_ranking(docnos: Sequence[str], said: bytes) -> dict[str, float]:
    # The simplest bytes, zeros, are a ranking of all documents with one score.
    lines = sorted((byte >> 5, at) for at, byte in enumerate(said) if (byte >> 2) & 7 not in {1, 2, 3})
    return {docnos[at]: float(said[at] & 3) for _, at in lines or [(0, 0)]}


@st.composite
def _many_scores(draw: st.DrawFn) -> dict[str, dict[str, dict[str, float]]]:
    docnos = list(dict.fromkeys([*_DOCNOS, *draw(st.lists(IDS, min_size=1, max_size=2))]))
    # No runs at all are drawn now and then, but not as often as lists of free length would be empty.
    number = draw(st.sampled_from([1, 2, 3, 4, 3, 2, 4, 0]))
    tags = draw(st.lists(IDS, min_size=number, max_size=number, unique=True))
    return {tag: _some_topics(draw, docnos) for tag in tags}


MANY_SCORES = _many_scores()
"""Scores by tag, topic and docno."""


ABC = [
    ranked("A", ["d01", "d02", "d03", "d04", "d05"]),
    ranked("B", ["d03", "d06", "d01", "d07", "d08"]),
    ranked("C", ["d09", "d06", "d02", "d10", "d04"]),
]
"""The three runs of the field's worked cases of fusion and of adaptive pools."""
ABC_RELEVANT = {"d01", "d03", "d04", "d06"}
