"""A run as the kernels of measures see it: the grades of what it retrieved, in order, topic after topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from workbench.scoring.relevance import ABSENT, Floats, Grades, Positions, Relevance


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """The relevant documents that a run retrieved, topic after topic, by rank.

    `rows` are their topics, `ranks` count from 1 in each topic, and `nth` says the how many-th relevant
    document of its topic each is, from 1; all of shape (hits,).
    """

    rows: Positions
    ranks: Positions
    nth: Positions


@dataclass(eq=False)
class JudgedRun:
    """The grades of what a run retrieved for the topics of the qrels.

    `topics` are the numbers of its topics in the qrels, rising, shape (topics,); the documents of row i stand
    from `starts[i]` to `starts[i + 1]`, best first; `grades` are theirs, ABSENT where the qrels have none.
    `pairs` are their numbers in qrels with subtopics, ABSENT likewise; None in other qrels. `scores` gives
    their scores, for the measures that ask which documents are tied.
    """

    relevance: Relevance
    topics: Positions
    starts: Positions
    grades: Grades
    pairs: Grades | None = None
    scores: Callable[[], Floats] | None = None
    _hits: dict[int, Hits] = field(default_factory=dict, init=False)

    def __len__(self) -> int:
        return len(self.topics)

    @cached_property
    def retrieved(self) -> Positions:
        """How many documents each topic has; shape (topics,)."""
        return np.diff(self.starts)

    @cached_property
    def rows(self) -> Positions:
        """The row of each document's topic; shape (documents,)."""
        return np.repeat(np.arange(len(self.topics)), self.retrieved)

    @cached_property
    def ranks(self) -> Positions:
        """The rank of each document in its topic, from 1; shape (documents,)."""
        return np.arange(1, len(self.grades) + 1) - self.starts[self.rows]

    @cached_property
    def levels(self) -> Positions:
        """The number of each document's level: documents of a topic with one score share it.

        Where scores are not known, as in `judged_only`, no two documents are tied.
        """
        if self.scores is None:
            return np.arange(len(self.grades))
        scores = self.scores()
        anew = (scores[1:] != scores[:-1]) | (self.rows[1:] != self.rows[:-1])
        return np.append(0, np.cumsum(anew))[: len(scores)]

    def hits(self, rel: int) -> Hits:
        """The retrieved documents that have at least the grade `rel`."""
        if rel not in self._hits:
            at = np.flatnonzero(self.grades >= rel)
            # Ranks and rows of these alone: those of all documents would take most of the time.
            firsts = np.searchsorted(at, self.starts)
            rows = np.repeat(np.arange(len(self)), np.diff(firsts))
            ranks = at + 1 - self.starts[rows]
            self._hits[rel] = Hits(rows, ranks, np.arange(1, len(at) + 1) - firsts[rows])
        return self._hits[rel]

    def relevant(self, rel: int) -> Positions:
        """How many documents of the qrels have at least the grade `rel`, for each topic of the run."""
        return self.relevance.relevant(rel)[self.topics]

    def not_relevant(self, rel: int) -> Positions:
        """How many documents of the qrels have a grade from 0 to below `rel`, for each topic of the run."""
        return self.relevant(0) - self.relevant(rel)

    def judged_only(self) -> JudgedRun:
        """The run without the documents that have no grade, or a negative one: those below move up."""
        kept = self.grades >= 0
        sizes = np.bincount(self.rows[kept], minlength=len(self))
        pairs = None if self.pairs is None else self.pairs[kept]
        starts = np.append(0, np.cumsum(sizes))
        return JudgedRun(self.relevance, self.topics, starts, self.grades[kept], pairs)

    def of_all_topics(self) -> JudgedRun:
        """The run with every topic of the qrels; of those that it lacks nothing is retrieved."""
        return self.with_rows(self.topics)

    def with_rows(self, rows: Positions, runs: int = 1) -> JudgedRun:
        """The same with a row for every topic of each of several runs, of which these are the `rows` here."""
        topics = len(self.relevance.topics)
        sizes = np.zeros(runs * topics, dtype=np.intp)
        sizes[rows] = self.retrieved
        starts, numbers = np.append(0, np.cumsum(sizes)), np.tile(np.arange(topics), runs)
        return JudgedRun(self.relevance, numbers, starts, self.grades, self.pairs, self.scores)

    def counted(self, rows: Positions) -> Positions:
        """How many of these rows belong to each topic; shape (topics,)."""
        return np.bincount(rows, minlength=len(self))

    def summed(self, rows: Positions, values: Floats) -> Floats:
        """The sums of values by topic, added up in their order; shape (topics,)."""
        return np.bincount(rows, weights=values, minlength=len(self)).astype(np.float64, copy=False)

    def in_qrels(self) -> Positions:
        """Where the documents stand that the qrels have, whatever their grade."""
        return np.flatnonzero(self.grades != ABSENT)


def ratio(part: Floats, whole: Floats) -> Floats:
    """Part divided by whole, element by element, of the same shape; NaN where there is no whole."""
    found: Floats = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return found


def share(part: ArrayLike, whole: ArrayLike) -> Floats:
    """Part divided by whole, element by element; 0 where there is nothing to divide by."""
    parts, over = np.broadcast_arrays(np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64))
    return np.asarray(np.divide(parts, over, out=np.zeros(over.shape), where=over != 0))
