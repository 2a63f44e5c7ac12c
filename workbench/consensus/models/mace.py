"""MACE: an assessor either knows the grade or gives one at random, by a habit of his or her own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.consensus.models.votes import LEAST, Floats, Posterior, Votes, most_likely, normalised
from workbench.consensus.rule import Evidence, Outcome, Pair, Rule
from workbench.consensus.vote_table import most_likely_of_table

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
        for number in range(rounds):
            if number == rounds - 1:
                likelihood = likelihood_of(votes, habits)
            habits = learnt(votes, expected(votes, habits), habits, smoothing / votes.n_grades)
        if best is None or likelihood > best[0]:
            best = likelihood, habits
    if best is None:
        return Posterior(votes.shares(), np.ones(votes.n_assessors), 0, settled=False)
    return Posterior(expected(votes, best[1]), best[1].knows, rounds * restarts, settled=True)


def expected(votes: Votes, habits: Habits) -> Floats:
    """The posterior of the grades under some habits; shape (pairs, grades)."""
    # What a vote says of the grades that it is not is the same for each of them, and cancels.
    other, same = _logarithms(habits)
    logs = votes.by_own_grade[0] @ (same - other).ravel()
    return normalised(logs.reshape(votes.n_grades, votes.n_pairs))


def likelihood_of(votes: Votes, habits: Habits) -> float:
    """The logarithm of how likely the votes are under some habits."""
    other, same = _logarithms(habits)
    logs = (votes.by_own_grade[0] @ (same - other).ravel()).reshape(votes.n_grades, votes.n_pairs)
    top = logs.max(axis=0)
    means = top + np.log(np.exp(logs - top).mean(axis=0))
    return float((means + votes.by_pair[0] @ other.ravel()).sum())


def learnt(votes: Votes, posterior: Floats, before: Habits, smoothing: float) -> Habits:
    """The habits that follow from a posterior and those before."""
    knows = before.knows[:, np.newaxis]
    either = np.maximum(knows + (1.0 - knows) * before.habit, LEAST)
    # All votes of an assessor for a grade are known or guessed alike: they are added up first.
    right = (votes.by_own_grade[1] @ posterior.T.ravel()).reshape(before.habit.shape)
    knew = right * knows / either
    known = knew.sum(axis=1)
    habit = votes.given - knew + smoothing
    random = habit.sum(axis=1)
    both = known + smoothing + random
    return Habits((known + smoothing) / both, habit / random[:, np.newaxis])


def _logarithms(habits: Habits) -> tuple[Floats, Floats]:
    """Of a vote for another grade than the true one, and for that; both (assessors, grades)."""
    knows = habits.knows[:, np.newaxis]
    by_chance = (1.0 - knows) * habits.habit
    return np.log(np.maximum(by_chance, LEAST)), np.log(np.maximum(by_chance + knows, LEAST))


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
    settle_table=most_likely_of_table(mace),
)
