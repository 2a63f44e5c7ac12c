"""GLAD: assessors differ in ability, pairs in difficulty."""

from __future__ import annotations

import numpy as np

from workbench.consensus.models.votes import LEAST, Floats, Posterior, Votes, most_likely, normalised
from workbench.consensus.rule import Evidence, Outcome, Pair, Rule
from workbench.consensus.vote_table import most_likely_of_table

MOST_ROUNDS = 100
STEPS = 5
NEAR = 1e-5
PRIOR_MEAN = 1.0
# The odds of a probability that is neither 0 nor 1.
_MOST = float(np.log((1 - LEAST) / LEAST))


def glad(votes: Votes, *, most_rounds: int = MOST_ROUNDS, near: float = NEAR) -> Posterior:
    """The posterior of every pair's grade where a vote is right with probability 1 / (1 + exp(-a b)).

    a is the assessor's ability, which may be negative, b = exp(c) the pair's ease; a wrong vote is any other
    grade alike. Both a and c have normal priors of mean 1 and variance 1. Ends when no probability moves by
    more than `near`. Source: Whitehill, Ruvolo, Wu, Bergsma and Movellan 2009.
    """
    ability = np.full(votes.n_assessors, PRIOR_MEAN)
    ease = np.full(votes.n_pairs, PRIOR_MEAN)
    posterior = votes.shares()
    prior = np.full(votes.n_grades, 1.0 / max(votes.n_grades, 1))
    climb = _Climb(votes)
    rounds, moved = 0, np.inf
    while rounds < most_rounds and moved > near:
        renewed = expected(votes, ability, ease, prior)
        moved = float(np.abs(renewed - posterior).max(initial=0.0))
        posterior = renewed
        ability, ease = climb.learnt(posterior, ability, ease)
        rounds += 1
    with np.errstate(over="ignore"):
        chances = 1.0 / (1.0 + np.exp(-_strengths(votes, ability, ease)))
    right = np.bincount(votes.assessors, chances, minlength=votes.n_assessors)
    given = np.bincount(votes.assessors, minlength=votes.n_assessors)
    return Posterior(posterior, right / np.maximum(given, 1), rounds, moved <= near)


def expected(votes: Votes, ability: Floats, ease: Floats, prior: Floats) -> Floats:
    """The posterior of the grades under abilities, logarithms of ease and a prior; shape (pairs, grades)."""
    # A vote's right / wrong is exp(strength). What it says of the grades that it is not is the same for each
    # of them, and cancels.
    odds = np.clip(_strengths(votes, ability, ease), -_MOST, _MOST) + np.log(max(votes.n_grades - 1, 1))
    size = votes.n_grades * votes.n_pairs
    logs = np.bincount(votes.own_cells, odds, minlength=size).astype(np.float64, copy=False)
    rows: Floats = (
        logs.reshape(votes.n_grades, votes.n_pairs) + np.log(np.maximum(prior, LEAST))[:, np.newaxis]
    )
    return normalised(rows)


def _strengths(votes: Votes, ability: Floats, ease: Floats) -> Floats:
    """Of every vote the ability of its assessor times the ease of its pair; shape (votes,)."""
    found: Floats = ability.take(votes.assessors) * np.exp(ease).take(votes.pairs)
    return found


class _Climb:
    """The M step: abilities and ease after some steps towards what a posterior expects, in turn.

    The arrays by vote are made once: in a thousand steps to ask for memory takes as long as to compute.
    """

    def __init__(self, votes: Votes) -> None:
        from scipy.sparse import csr_array  # here, as in `votes`

        # Vote by vote in the order of the pairs, which are the rows of both matrices.
        order = np.argsort(votes.pairs, kind="stable")
        self._pairs, self._assessors = votes.pairs[order], votes.assessors[order]
        self._own_cells = votes.own_cells[order]
        ends = np.cumsum(np.bincount(self._pairs, minlength=votes.n_pairs))
        shape, rows = (votes.n_pairs, votes.n_assessors), np.concatenate([[0], ends])
        self._surprise, self._curve = (
            csr_array((np.zeros(len(order)), self._assessors, rows), shape=shape) for _ in range(2)
        )
        # The same numbers, by assessor.
        self._surprise_by_assessor, self._curve_by_assessor = self._surprise.T, self._curve.T
        self._strength, self._ability, self._beta = (np.empty(len(order)) for _ in range(3))
        self._chance = np.empty(len(order), np.float32)
        self._agrees = np.empty(len(order))

    def learnt(self, posterior: Floats, ability: Floats, ease: Floats) -> tuple[Floats, Floats]:
        """Abilities and logarithms of ease after the steps."""
        posterior.T.ravel().take(self._own_cells, out=self._agrees, mode="clip")
        beta = self._spread(ability, ease)
        for _ in range(STEPS):
            self._look()
            surprise, curve = self._surprise_by_assessor @ beta, self._curve_by_assessor @ beta**2
            ability = ability + _step(surprise, curve, ability)
            beta = self._spread(ability, ease)
            self._look()
            surprise, curve = self._surprise @ ability, self._curve @ ability**2
            ease = ease + _step(beta * surprise, beta**2 * curve, ease)
            beta = self._spread(ability, ease)
        return ability, ease

    def _spread(self, ability: Floats, ease: Floats) -> Floats:
        """Have every vote know its assessor's ability and its pair's ease; the ease by pair."""
        beta: Floats = np.exp(ease)
        ability.take(self._assessors, out=self._ability, mode="clip")
        beta.take(self._pairs, out=self._beta, mode="clip")
        return beta

    def _look(self) -> None:
        """How much more often each vote is right than it was likely to be, and how fast that changes."""
        strength, chance = self._strength, self._chance
        np.multiply(self._ability, self._beta, out=strength)
        np.negative(strength, out=strength)
        with np.errstate(over="ignore"):
            # In half the precision, where numpy has four at a time: a quarter of the time, and two millionths
            # in the posterior of a crowd of 90,420 votes.
            np.exp(strength, out=chance, dtype=np.float32, casting="same_kind")
            np.add(chance, 1, out=chance)
            np.divide(1, chance, out=chance)
        np.subtract(self._agrees, chance, out=self._surprise.data)
        np.multiply(chance, 1 - chance, out=self._curve.data)


def _step(ascent: Floats, curvature: Floats, now: Floats) -> Floats:
    """A step of Newton's for each parameter alone, no longer than 1 so that none leaps over the top."""
    step: Floats = np.clip((ascent + PRIOR_MEAN - now) / (curvature + 1.0), -1.0, 1.0)
    return step


def by_glad(evidence: Evidence) -> dict[Pair, Outcome]:
    """What GLAD finds most likely for every pair."""
    return most_likely(evidence, glad)


GLAD = Rule(
    "glad",
    "GLAD",
    "the most likely grade, by ability and difficulty (Whitehill et al. 2009); needs many pairs",
    "Whitehill, Ruvolo, Wu, Bergsma and Movellan 2009",
    settle_all=by_glad,
    slow=True,
    settle_table=most_likely_of_table(glad),
)
