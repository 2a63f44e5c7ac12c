"""The form in which a run is kept for use: three arrays, in which the tops of all topics stand first.

The documents of a run stand rank by rank (of every topic its first, then of every topic its second, ...) in
trec_eval's order. Their docnos come first, as bytes of one width filled up with zeros; then their scores as
doubles; then their places in the file as 32-bit numbers, counted in each topic from 0; all little-endian.
What the topics are and how many documents each has is kept beside it, and so the topic and rank of every
document is known. The tops to a depth are the beginning of each array: whoever needs no more reads no more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from workbench.docnos import Docnos
from workbench.formats.packed_lines import LONGEST_ID, WORD, Positions
from workbench.formats.packed_runs import PackedRun
from workbench.formats.run_table import Scores
from workbench.frozen import frozen_dataclass
from workbench.ranking import array_order
from workbench.records import Run, TieRule, id_bytes

_SCORE, _PLACE = np.dtype("<f8"), np.dtype("<u4")

Range = tuple[int, int]
"""Offset and length of a part of the arrays, in bytes."""


@frozen_dataclass
class Layout:
    """Where things stand in a packed form: the width of its docnos, and how many documents each topic has."""

    width: int
    counts: tuple[int, ...]

    @property
    def longest(self) -> int:
        """How many documents the topic with the most has."""
        return max(self.counts, default=0)

    def count(self, depth: int | None) -> int:
        """How many documents are the first `depth` of their topic; all where it is None."""
        return sum(self.counts) if depth is None else sum(min(depth, count) for count in self.counts)

    def ranges(self, depth: int | None) -> tuple[Range, Range, Range]:
        """Where docnos, scores and places of the tops to a depth stand."""
        documents, included = self.count(None), self.count(depth)
        scores = documents * self.width
        places = scores + documents * _SCORE.itemsize
        return (
            (0, included * self.width),
            (scores, included * _SCORE.itemsize),
            (places, included * _PLACE.itemsize),
        )

    def ranked(self, depth: int | None) -> tuple[Positions, Positions]:
        """Topic number and rank (from 1) of every document of the tops to a depth, as they stand.

        Nobody may write to them: whoever asks soon again, of a run of the same layout, is given the same.
        """
        return _ranked(self, depth)


@lru_cache(maxsize=2)
def _ranked(layout: Layout, depth: int | None) -> tuple[Positions, Positions]:
    sizes = np.array(layout.counts, dtype=np.intp)
    if depth is not None:
        sizes = np.minimum(sizes, depth)
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    ranks = np.arange(1, len(numbers) + 1) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    order = np.argsort(ranks, kind="stable")
    found = numbers[order], ranks[order]
    for one in found:
        one.flags.writeable = False
    return found


def places_of(layout: Layout, topics: tuple[int, ...]) -> tuple[Positions, Positions]:
    """Where the documents of some topics stand in each array: topic after topic, best first.

    Those of topic number i of `topics` are the places from `starts[i]` to `starts[i + 1]`; returns both.
    """
    numbers, _ = layout.ranked(None)
    by_topic, ends = np.argsort(numbers, kind="stable"), np.cumsum([0, *layout.counts])
    found = [by_topic[ends[topic] : ends[topic + 1]] for topic in topics]
    return np.cumsum([0, *map(len, found)]), np.concatenate([np.empty(0, np.intp), *found])


@frozen_dataclass
class PackedForm:
    """A run to be kept: the arrays, and what is to be known for reading them."""

    topics: tuple[str, ...]
    layout: Layout
    arrays: bytes


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """The first `depth` documents of each topic in trec_eval's order, or all (None): read from a form."""

    layout: Layout
    depth: int | None
    docnos: Docnos
    scores: Scores
    places: Positions

    def settles(self, depth: int, ties: TieRule) -> bool:
        """Whether no document that is not here could be among the first `depth` of its topic."""
        if self.depth is None or self.layout.longest <= self.depth or depth < 1:
            return True
        if ties is TieRule.TREC_EVAL or depth >= self.depth:
            return ties is TieRule.TREC_EVAL and depth <= self.depth
        # Under another rule a document can come up from below the cut, if its score is that at the cut.
        numbers, ranks = self.layout.ranked(self.depth)
        at_cut, last = np.full((2, len(self.layout.counts)), np.nan)
        at_cut[numbers[ranks == depth]] = self.scores[ranks == depth]
        last[numbers[ranks == self.depth]] = self.scores[ranks == self.depth]
        longer = np.array(self.layout.counts) > self.depth
        return not (longer & (at_cut == last)).any()

    def run(self, tag: str, topics: tuple[str, ...]) -> PackedRun:
        """These documents as a run in the order of its file; without a depth it is the whole run."""
        numbers, _ = self.layout.ranked(self.depth)
        order = np.lexsort((self.places, numbers))
        starts = np.searchsorted(numbers[order], np.arange(len(topics) + 1))
        docnos, scores = self.docnos[order], self.scores[order]
        return PackedRun(tag, topics, starts, docnos, scores, self.layout.count(None), self.depth)


def pack(run: PackedRun) -> PackedForm:
    """The form of a whole run."""
    sizes = np.diff(run.starts)
    numbers = np.repeat(np.arange(len(sizes)), sizes)
    order = array_order(run.docnos, run.scores, numbers, TieRule.TREC_EVAL)
    ranks = np.arange(len(order)) - run.starts[numbers]
    order = order[np.argsort(ranks, kind="stable")]
    longest = int(np.strings.str_len(run.docnos).max(initial=1))
    width = -(-longest // WORD) * WORD
    arrays = (
        run.docnos[order].astype(f"S{width}").tobytes(),
        run.scores[order].astype(_SCORE).tobytes(),
        (order - run.starts[numbers[order]]).astype(_PLACE).tobytes(),
    )
    return PackedForm(run.topics, Layout(width, tuple(sizes.tolist())), b"".join(arrays))


def as_arrays(run: Run) -> PackedRun | None:
    """A run as arrays, or None where a docno is too long for them (over 128 bytes) or holds a zero byte."""
    rankings = run.rankings.values()
    listed = [docno for ranking in rankings for docno in ranking.docnos]
    joined = id_bytes("\n".join(listed))
    docnos = joined.split(b"\n") if listed else []
    longest = max(map(len, docnos), default=1)
    if longest > LONGEST_ID or b"\0" in joined:
        return None
    scores = np.array([score for ranking in rankings for score in ranking.scores], dtype=np.float64)
    starts = np.cumsum([0, *(len(ranking) for ranking in rankings)])
    packed = np.array(docnos, dtype=f"S{-(-longest // WORD) * WORD}")
    return PackedRun(run.tag, tuple(run.rankings), starts, packed, scores, len(docnos), None)


def docnos_of(data: bytes, layout: Layout) -> Docnos:
    """The docnos that were read of a form."""
    return np.frombuffer(data, dtype=f"S{layout.width}")


def scores_of(data: bytes) -> Scores:
    """The scores that were read of a form."""
    return np.frombuffer(data, dtype=_SCORE).astype(np.float64, copy=False)


def head_of(layout: Layout, depth: int | None, docnos: bytes, scores: bytes, places: bytes) -> Head:
    """What was read of a form to a depth; `Layout.ranges` says what is to be read."""
    return Head(
        layout,
        depth,
        docnos_of(docnos, layout),
        scores_of(scores),
        np.frombuffer(places, dtype=_PLACE).astype(np.intp),
    )
