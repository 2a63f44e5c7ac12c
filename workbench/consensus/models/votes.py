"""Votes: who gave which grade to which pair, as numbers; and the grade a model finds most likely."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rule import Evidence, Outcome, Pair, Settled
from workbench.records import sorted_pairs

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

# A probability of exactly 0 could never be raised again by anybody.
LEAST = 1e-10


@dataclass(frozen=True, eq=False)
class Votes:
    """One place in each array a vote: the pair's number, the assessor's and the grade's, each from 0.

    The same assessor may have voted several times on a pair.
    """

    # No slots: the matrices are made once, and multiplied with in every round of a model.
    pairs: Numbers
    assessors: Numbers
    grades: Numbers
    n_pairs: int
    n_assessors: int
    n_grades: int

    def shares(self) -> Floats:
        """The share of every grade among a pair's votes; shape (pairs, grades)."""
        cells = self.grades * self.n_pairs + self.pairs
        counts = np.bincount(cells, minlength=self.n_pairs * self.n_grades)
        rows = counts.reshape(self.n_grades, self.n_pairs).astype(np.float64)
        rows /= np.maximum(rows.sum(axis=0), 1.0)
        return rows.T

    @cached_property
    def by_pair(self) -> tuple[Any, Any]:
        """How often each assessor gave each grade to each pair; a sparse matrix (pairs, assessors x grades).

        Times a figure by assessor and grade it gives the sums over each pair's votes. Beside it stands the
        same transposed: times a figure by pair it gives the sums over what each assessor gave.
        """
        # Imported here: whoever asks for another rule must not wait for scipy. A product takes half the time
        # of `take` and `bincount`.
        from scipy.sparse import csr_array

        columns = self.assessors * self.n_grades + self.grades
        shape = self.n_pairs, self.n_assessors * self.n_grades
        matrix = csr_array((np.ones(len(columns)), (self.pairs, columns)), shape=shape)
        return matrix, matrix.T


def normalised(logs: Floats) -> Floats:
    """Probabilities (pairs, grades) from logarithms up to a constant of each pair (grades, pairs)."""
    # They stay in memory grade by grade: few long rows are compared and added faster than many short ones.
    rows: Floats = np.exp(logs - logs.max(axis=0))
    rows /= rows.sum(axis=0)
    return rows.T


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """How likely every grade is for every pair, shape (pairs, grades), and how reliable every assessor.

    `reliability` is the model's chance that an assessor is right, by assessor; `rounds` were needed, and
    `settled` is false where they were not enough.
    """

    probabilities: Floats
    reliability: Floats
    rounds: int
    settled: bool

    def grades(self) -> Numbers:
        """The number of the most likely grade of every pair; of equally likely ones the lower."""
        likeliest: Numbers = self.probabilities.argmax(axis=1)
        return likeliest

    def confidence(self) -> Floats:
        """The probability of that grade."""
        highest: Floats = self.probabilities.max(axis=1)
        return highest


def votes_of(triples: Iterable[tuple[int, int, int]]) -> Votes:
    """Votes from (pair, assessor, grade), numbers from 0 without gaps."""
    table = np.array(list(triples), dtype=np.int64).reshape(-1, 3)
    pairs, assessors, grades = table.T
    sizes = table.max(axis=0, initial=-1) + 1
    return Votes(pairs, assessors, grades, *sizes.tolist())


def most_likely(evidence: Evidence, model: Callable[[Votes], Posterior]) -> dict[Pair, Outcome]:
    """The most likely grade of every pair under a model, with its probability."""
    graded = evidence.graded
    # Numbered in the order of their ids, so that nothing depends on who judged first.
    pairs = sorted_pairs(graded)
    assessors = {
        name: at for at, name in enumerate(sorted({name for one in graded.values() for name in one}))
    }
    grades = sorted({grade for one in graded.values() for grade in one.values()})
    place = {grade: at for at, grade in enumerate(grades)}
    votes = votes_of(
        (number, assessors[name], place[grade])
        for number, pair in enumerate(pairs)
        for name, grade in sorted(graded[pair].items())
    )
    if not len(votes.pairs):
        return {}
    posterior = model(votes)
    return {
        pair: Settled(grades[at], sure)
        for pair, at, sure in zip(
            pairs, posterior.grades().tolist(), posterior.confidence().tolist(), strict=True
        )
    }
