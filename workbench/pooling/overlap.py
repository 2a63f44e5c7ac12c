"""How many of their first documents runs have in common, each with each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from workbench.errors import WorkbenchError
from workbench.pooling.candidates import gather
from workbench.pooling.contributions import Incidence, incidence_of_tops
from workbench.records import Run, TieRule


@dataclass(frozen=True, slots=True)
class SimilarPair:
    """Two runs, the pairs they have in common and what share that is of the pairs of either."""

    first: str
    second: str
    shared: int
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class SimilarPairs(Sequence[SimilarPair]):
    """Every two runs with documents, the most similar first; of equal shares the earlier tags first.

    Each is made as it is read: a thousand runs have half a million. `first` and `second` are places in the
    tags, all arrays of shape (pairs,).
    """

    tags: tuple[str, ...]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    shared: NDArray[np.int64]
    shares: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.shares)

    @overload
    def __getitem__(self, at: int) -> SimilarPair: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[SimilarPair, ...]: ...
    def __getitem__(self, at: int | slice) -> SimilarPair | tuple[SimilarPair, ...]:
        if isinstance(at, slice):
            return tuple(self._made(at))
        place = range(len(self))[at]
        return next(self._made(slice(place, place + 1)))

    def __iter__(self) -> Iterator[SimilarPair]:
        return self._made(slice(None))

    def sharing(self, share: float) -> tuple[SimilarPair, ...]:
        """Those with such a share or more."""
        return self[: int(np.searchsorted(-self.shares, -share, side="right"))]

    def _made(self, at: slice) -> Iterator[SimilarPair]:
        columns = (self.first[at], self.second[at], self.shared[at], self.shares[at])
        for first, second, shared, share in zip(*(one.tolist() for one in columns), strict=True):
            yield SimilarPair(self.tags[first], self.tags[second], shared, share)


@dataclass(frozen=True, slots=True)
class RunOverlap:
    """The pairs that any two runs have in common to a depth, over all topics.

    `tags` are sorted (bytes); `shared` has a row and a column for each; its diagonal is how many each has.
    """

    depth: int
    tags: tuple[str, ...]
    shared: tuple[tuple[int, ...], ...]

    def share(self, first: int, second: int) -> float | None:
        """Shared pairs over pairs of either run (Jaccard), 0 to 1; None where neither has any.

        Runs are places in `tags`.
        """
        either = self.shared[first][first] + self.shared[second][second] - self.shared[first][second]
        return self.shared[first][second] / either if either else None

    def chain(self) -> tuple[int, ...]:
        """The runs, as places in `tags`, ordered so that similar ones are adjacent.

        Begins with the two runs of the largest share and continues at whichever end has the more similar run
        left; of equal shares the earlier tags go first.
        """
        if len(self.tags) < 2:
            return tuple(range(len(self.tags)))
        shares = self.shares()
        np.fill_diagonal(shares, -1.0)
        chain = [int(place) for place in np.unravel_index(int(shares.argmax()), shares.shape)]
        left = [place for place in range(len(self.tags)) if place not in chain]
        while left:
            before = max(left, key=lambda place: shares[chain[0], place])
            after = max(left, key=lambda place: shares[chain[-1], place])
            if shares[chain[0], before] > shares[chain[-1], after]:
                chain.insert(0, before)
                left.remove(before)
            else:
                chain.append(after)
                left.remove(after)
        return tuple(chain)

    def pairs(self) -> SimilarPairs:
        """Every two runs of which one has documents."""
        runs = len(self.tags)
        shared = np.array(self.shared, np.int64).reshape(runs, runs)
        has = shared.diagonal() > 0
        first, second = np.nonzero(np.triu(has[:, None] | has[None, :], 1))
        values = self.shares()[first, second]
        order = np.argsort(-values, kind="stable")
        first, second = first[order], second[order]
        places = first.astype(np.int32), second.astype(np.int32)
        return SimilarPairs(self.tags, *places, shared[first, second], values[order])

    def shares(self) -> NDArray[np.float64]:
        """The share of every two runs, a row and a column for each; 0 where neither has any."""
        shared = np.array(self.shared, dtype=np.float64).reshape(len(self.tags), len(self.tags))
        sizes = shared.diagonal()
        either = sizes[:, None] + sizes[None, :] - shared
        return np.divide(shared, either, out=np.zeros_like(shared), where=either > 0)


def overlap(runs: Iterable[Run], *, depth: int = 100, ties: TieRule = TieRule.TREC_EVAL) -> RunOverlap:
    """The overlap of the runs' first `depth` documents.

    Raises WorkbenchError for a depth below 1 and Conflict where two runs have the same tag.
    """
    if depth < 1:
        raise WorkbenchError(f"there is no overlap at depth {depth}", remedy="give a depth of 1 or more")
    return overlap_of(incidence_of_tops(gather(runs, depth=depth, ties=ties), depth), depth)


def overlap_of(incidence: Incidence, depth: int) -> RunOverlap:
    """The overlap of runs whose first `depth` documents these are."""
    runs = len(incidence.tags)
    shared = np.zeros((runs, runs), dtype=np.int64)
    for topic in incidence.topics:
        # Most documents are in one run only, and only add to the size of that run.
        met = np.bincount(topic.documents, minlength=len(topic.docnos)) > 1
        among = met[topic.documents]
        # Single precision counts exactly to 2^24, far beyond any depth.
        has = np.zeros((runs, np.count_nonzero(met)), dtype=np.float32)
        has[topic.runs[among], (np.cumsum(met) - 1)[topic.documents[among]]] = 1
        shared += (has @ has.T).astype(np.int64)
        np.fill_diagonal(shared, shared.diagonal() + np.bincount(topic.runs[~among], minlength=runs))
    return RunOverlap(depth, incidence.tags, tuple(tuple(counts) for counts in shared.tolist()))
