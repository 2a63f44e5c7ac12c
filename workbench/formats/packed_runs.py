"""Runs as arrays: read several times faster than line by line, as far as they are in order.

`packed_lines`, `packed_scores` and `packed_ids` are the inner loop. It reads nothing that the plain reader
(`runs.read_run`) would not, and tells no errors: what it does not understand, wrong or only rare, raises
NotUnderstood, and the plain reader decides.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from workbench.docnos import hashes
from workbench.errors import WorkbenchError
from workbench.formats.identifiers import all_seen
from workbench.formats.packed_lines import (
    WORD,
    Lines,
    NotUnderstood,
    Positions,
    Words,
    any_twice,
    blocks,
    fingerprints,
    packed_lines,
)
from workbench.formats.packed_scores import doubles
from workbench.formats.run_table import MOST_LINES, Scores
from workbench.formats.source import Readable, open_source
from workbench.ranking import array_order
from workbench.records import Ranking, Run, TieRule

BLOCK = 2**20
"""How many bytes are read at a time: what is made of them stays in a processor's cache."""

Docnos = np.ndarray[tuple[int], np.dtype[np.bytes_]]


@dataclass(frozen=True, slots=True, eq=False)
class PackedRun:
    """A run as arrays: of topic number i the documents `starts[i]` to `starts[i + 1]`, in file order.

    With a `depth` only documents that can be among the first `depth` of their topic, whatever the tie rule,
    are held. `lines` counts those of the file that hold something. `hashes` are those of the docnos
    (`docnos.hashes`), where they are known.
    """

    tag: str
    topics: tuple[str, ...]
    starts: Positions
    docnos: Docnos
    scores: Scores
    lines: int
    depth: int | None
    hashes: Words | None = None

    def first(self, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> Positions:
        """Where the first `depth` documents of each topic stand: topic by topic, best first.

        Raises WorkbenchError where the run was not read to this depth.
        """
        if self.depth is not None and depth > self.depth:
            raise WorkbenchError(
                f"the run was read to depth {self.depth}, not {depth}", remedy="read it again"
            )
        at = _leading(self.scores, self.starts, depth)
        numbers = self.numbers(at)
        order = array_order(self.docnos[at], self.scores[at], numbers, ties)
        starts = np.searchsorted(numbers, np.arange(len(self.topics) + 1))
        return at[order[np.arange(len(at)) - starts[numbers] < depth]]

    def ranked(self, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> tuple[Positions, Positions, Docnos]:
        """Topic number, rank (from 1) and docno of the documents that `first` gives, in its order.

        Raises WorkbenchError where the run was not read to this depth.
        """
        at = self.first(depth, ties=ties)
        numbers = self.numbers(at)
        starts = np.searchsorted(numbers, np.arange(len(self.topics) + 1))
        return numbers, np.arange(1, len(at) + 1) - starts[numbers], self.docnos[at]

    def numbers(self, at: Positions) -> Positions:
        """The numbers of the topics to which the documents at these places belong."""
        return np.searchsorted(self.starts, at, side="right") - 1

    def top(self, depth: int, *, ties: TieRule = TieRule.TREC_EVAL) -> Run:
        """The run with the first `depth` documents of each topic, best first, as `ranking.top` has them.

        Raises WorkbenchError where the run was not read to this depth.
        """
        at = self.first(depth, ties=ties)
        ends = np.searchsorted(self.numbers(at), np.arange(len(self.topics) + 1)).tolist()
        docnos, scores = _decoded(self.docnos[at]), tuple(self.scores[at].tolist())
        rankings = {
            topic: Ranking(docnos[begin:end], scores[begin:end])
            for topic, (begin, end) in zip(self.topics, pairwise(ends), strict=True)
        }
        return Run(self.tag, rankings)

    def whole(self) -> Run:
        """The run as `read_run` has it, in file order; raises WorkbenchError where it was not read whole."""
        if self.depth is not None:
            raise WorkbenchError(f"the run was read to depth {self.depth}", remedy="read it again")
        return self.leading()

    def leading(self) -> Run:
        """The run with every document that is held, in file order."""
        docnos, scores, starts = _decoded(self.docnos), tuple(self.scores.tolist()), self.starts.tolist()
        rankings = {
            topic: Ranking(docnos[begin:end], scores[begin:end])
            for topic, (begin, end) in zip(self.topics, pairwise(starts), strict=True)
        }
        return Run(self.tag, rankings)


@dataclass(slots=True)
class _Pieces:
    """What is gathered from block to block: the topics' numbers, fingerprints of all lines, lines kept."""

    depth: int | None
    topics: dict[bytes, int] = field(default_factory=dict)
    tags: set[bytes] = field(default_factory=set)
    prints: list[Words] = field(default_factory=list)
    numbers: list[Positions] = field(default_factory=list)
    scores: list[Scores] = field(default_factory=list)
    docnos: list[Docnos] = field(default_factory=list)
    hashes: list[Words] = field(default_factory=list)


def read_packed(
    stream: Readable,
    *,
    source: str,
    depth: int | None = None,
    topics: Collection[str] | None = None,
    block: int = BLOCK,
    visible: bool = False,
) -> PackedRun:
    """Read a run, plain or gzip, as arrays, of each topic what can be among its first `depth`.

    Raises NotUnderstood for a run that may be wrong, among others where a topic is not among `topics` or,
    with `visible`, an id may hold what cannot be seen; and InvalidInput for a stream that cannot be read.
    """
    _keep_freed_memory()
    pieces, count = _Pieces(depth), 0
    for text in blocks(open_source(stream, source), block):
        if visible and not all_seen(text):
            raise NotUnderstood
        lines = packed_lines(text)
        if len(lines):
            _add(pieces, lines)
        count += len(lines)
        if count > MOST_LINES:
            raise NotUnderstood
    if len(pieces.tags) != 1:
        raise NotUnderstood
    prints = np.concatenate(pieces.prints)
    names = _decoded(pieces.topics)
    if any_twice(prints) or (topics is not None and not set(topics).issuperset(names)):
        raise NotUnderstood
    numbers, scores = np.concatenate(pieces.numbers), np.concatenate(pieces.scores)
    docnos, hashed = np.concatenate(pieces.docnos), np.concatenate(pieces.hashes)
    # Most files have their lines topic after topic; to move them would take a twentieth of the time.
    if (numbers[1:] < numbers[:-1]).any():
        by_topic = np.argsort(numbers, kind="stable")
        numbers, docnos, scores = numbers[by_topic], docnos[by_topic], scores[by_topic]
        hashed = hashed[by_topic]
    (tag,) = _decoded(pieces.tags)
    starts = np.searchsorted(numbers, np.arange(len(names) + 1))
    return PackedRun(tag, names, starts, docnos, scores, len(prints), depth, hashed)


def _keep_freed_memory() -> None:
    """Keep the C library from giving every freed array back to the system, only to ask for its pages again.

    glibc does so with arrays of a block's size until it has once freed a larger one; it costs a fifth of the
    time. Nothing is written to this one, so that it takes no memory. Other systems do not mind.
    """
    np.empty(24 * 2**20, dtype=np.uint8)


def _add(pieces: _Pieces, lines: Lines) -> None:
    topic, _, docno, _, score, tag = lines.columns
    starts, tags = lines.changes()
    pieces.tags.update(lines.values(tag.at(tags)))
    known, names = pieces.topics, lines.values(topic.at(starts))
    starts = np.append(starts, len(lines))
    numbers = np.repeat([known.setdefault(name, len(known)) for name in names], np.diff(starts))
    words = lines.id_words(docno)
    hashed = hashes(words)
    pieces.prints.append(fingerprints(hashed, numbers.view(np.uint64)))
    scores = doubles(lines, score)
    kept: Any = slice(None) if pieces.depth is None else _leading(scores, starts, pieces.depth)
    pieces.numbers.append(numbers[kept])
    pieces.scores.append(scores[kept])
    pieces.hashes.append(hashed[kept])
    pieces.docnos.append(packed_docnos([word[kept] for word in words]))


def _leading(scores: Scores, starts: Positions, depth: int) -> Positions:
    """Where the documents stand that can be among the first `depth` of their topic under some tie rule."""
    if depth < 1:
        return np.empty(0, dtype=np.intp)
    sizes = np.diff(starts)
    long = np.flatnonzero(sizes > depth)
    floors = np.full(len(sizes), -np.inf)
    rises = scores[1:] > scores[:-1]
    changes = starts[1:-1]
    rises[changes[(changes > 0) & (changes < len(scores))] - 1] = False
    if rises.any():
        for number in long.tolist():
            part, below = scores[starts[number] : starts[number + 1]], sizes[number] - depth
            floors[number] = np.partition(part, below)[below]
    else:
        floors[long] = scores[starts[long] + depth - 1]
    return np.flatnonzero(scores >= np.repeat(floors, sizes))


def packed_docnos(words: Sequence[Words]) -> Docnos:
    """Ids from their words, first to last, as bytes filled up with zeros."""
    joined = np.stack(words, axis=1).astype("<u8", copy=False)
    return joined.view(f"S{joined.shape[1] * WORD}").ravel()


def _decoded(ids: Docnos | Collection[bytes]) -> tuple[str, ...]:
    listed = ids.tolist() if isinstance(ids, np.ndarray) else ids
    return tuple(b"\n".join(listed).decode("utf-8", "surrogateescape").split("\n"))
