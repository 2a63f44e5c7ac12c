"""Votes: who gave which grade to which pair, as numbers; and the grade a model finds most likely."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.rule import Evidence, Outcome, Pair, Settled
from workbench.records import id_bytes

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]

# A probability of exactly 0 could never be raised again by anybody.
LEAST = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Votes:
    """One place in each array a vote: the pair's number, the assessor's and the grade's, each from 0.

    The same assessor may have voted several times on a pair.
    """

    pairs: Numbers
    assessors: Numbers
    grades: Numbers
    n_pairs: int
    n_assessors: int
    n_grades: int

    def shares(self) -> Floats:
        """The share of every grade among a pair's votes; shape (pairs, grades)."""
        counts = np.bincount(self.pairs * self.n_grades + self.grades, minlength=self.n_pairs * self.n_grades)
        table = counts.reshape(self.n_pairs, self.n_grades).astype(np.float64)
        shares: Floats = table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)
        return shares

    @property
    def cells(self) -> Numbers:
        """For each vote the place of its assessor and grade in a table of both, row by row."""
        return self.assessors * self.n_grades + self.grades

    def posterior(self, by_grade: Iterable[Floats], prior: Floats | float = 0.0) -> tuple[Floats, Floats]:
        """How likely every grade is for every pair, shape (pairs, grades); the logarithm of each pair's mean.

        `by_grade` has for each grade the logarithm of each vote's likelihood, (votes,), `prior` the
        logarithms of the grades' own, (grades, 1). The mean of the grades' likelihoods is of shape (pairs,).
        """
        logs = np.stack([np.bincount(self.pairs, one, minlength=self.n_pairs) for one in by_grade]) + prior
        # Shape (grades, pairs): a few long rows are compared and added faster than many short ones.
        top = logs.max(axis=0)
        weights = np.exp(logs - top)
        return (weights / weights.sum(axis=0)).T, top + np.log(weights.mean(axis=0))

    def own(self, posterior: Floats) -> Floats:
        """The probability of each vote's grade under a posterior, shape (votes,)."""
        by_grade = posterior.T.reshape(-1)
        found: Floats = by_grade.take(self.grades * self.n_pairs + self.pairs)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Posterior:
    """How likely every grade is for every pair, shape (pairs, grades), and how reliable every assessor.

    `reliability` is the model's chance that an assessor is right (Dawid and Skene, GLAD) or knows (MACE), by
    assessor; `rounds` were needed, and `settled` is false where they were not enough.
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
    pairs = sorted(graded, key=lambda pair: (id_bytes(pair[0]), id_bytes(pair[1])))
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
