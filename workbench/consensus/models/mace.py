"""MACE: an assessor either knows the grade or gives one at random, by a habit of his or her own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.consensus.models.votes import LEAST, Floats, Posterior, Votes, most_likely
from workbench.consensus.rule import Evidence, Outcome, Pair, Rule

RESTARTS = 10
ROUNDS = 50
SMOOTHING = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Habits:
    """The chance that an assessor knows (assessors,), and what is given otherwise (assessors, grades)."""

    knows: Floats
    habit: Floats


def mace(
    votes: Votes,
    *,
    seed: int = 0,
    restarts: int = RESTARTS,
    rounds: int = ROUNDS,
    smoothing: float = SMOOTHING,
) -> Posterior:
    """The posterior of every pair's grade, the most likely of several random starts.

    `smoothing` is divided by the number of grades and added to every count, so that an assessor of few votes
    is neither wholly trusted nor not at all. Source: Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013.
    """
    generator = np.random.default_rng(seed)
    best: tuple[float, Habits] | None = None
    for _ in range(restarts):
        knows = generator.uniform(0.5, 1.0, votes.n_assessors)
        habit = generator.dirichlet(np.full(votes.n_grades, 10.0), votes.n_assessors)
        habits = Habits(knows, habit)
        likelihood = -np.inf
        for _ in range(rounds):
            posterior, likelihood = expected(votes, habits)
            habits = learnt(votes, posterior, habits, smoothing / votes.n_grades)
        if best is None or likelihood > best[0]:
            best = likelihood, habits
    if best is None:
        return Posterior(votes.shares(), np.ones(votes.n_assessors), 0, settled=False)
    posterior, _ = expected(votes, best[1])
    return Posterior(posterior, best[1].knows, rounds * restarts, settled=True)


def expected(votes: Votes, habits: Habits) -> tuple[Floats, float]:
    """The posterior of the grades under some habits, and the logarithm of the votes' likelihood."""
    knows = habits.knows[:, np.newaxis]
    by_chance = (1.0 - knows) * habits.habit
    # A vote is one of few in a table of assessors and grades: the logarithms are taken there.
    other, same = (
        np.log(np.maximum(table, LEAST)).take(votes.cells) for table in (by_chance, by_chance + knows)
    )
    posterior, likelihoods = votes.posterior(
        np.where(votes.grades == grade, same, other) for grade in range(votes.n_grades)
    )
    return posterior, float(likelihoods.sum())


def learnt(votes: Votes, posterior: Floats, before: Habits, smoothing: float) -> Habits:
    """The habits that follow from a posterior and those before."""
    knows = before.knows[:, np.newaxis]
    either = np.maximum(knows + (1.0 - knows) * before.habit, LEAST)
    cells = votes.cells
    knew = votes.own(posterior) * before.knows.take(votes.assessors) / either.take(cells)
    known = np.bincount(votes.assessors, knew, minlength=votes.n_assessors)
    guessed = np.bincount(cells, 1.0 - knew, minlength=votes.n_assessors * votes.n_grades)
    habit = guessed.reshape(votes.n_assessors, votes.n_grades) + smoothing
    random = habit.sum(axis=1)
    both = known + smoothing + random
    return Habits((known + smoothing) / both, habit / random[:, np.newaxis])


def by_mace(evidence: Evidence) -> dict[Pair, Outcome]:
    """What MACE finds most likely for every pair, from the starts of seed 0."""
    return most_likely(evidence, mace)


MACE = Rule(
    "mace",
    "MACE",
    "the most likely grade, where an assessor knows or guesses (Hovy et al. 2013); needs many pairs",
    "Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013",
    settle_all=by_mace,
    slow=True,
)
