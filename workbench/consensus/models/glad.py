"""GLAD: assessors differ in ability, pairs in difficulty."""

from __future__ import annotations

import numpy as np

from workbench.consensus.models.votes import LEAST, Floats, Numbers, Posterior, Votes, most_likely
from workbench.consensus.rule import Evidence, Outcome, Pair, Rule

MOST_ROUNDS = 100
STEPS = 5
NEAR = 1e-5
PRIOR_MEAN = 1.0


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
    rounds, moved = 0, np.inf
    while rounds < most_rounds and moved > near:
        renewed = expected(votes, ability, ease, prior)
        moved = float(np.abs(renewed - posterior).max(initial=0.0))
        posterior = renewed
        ability, ease = learnt(votes, posterior, ability, ease)
        rounds += 1
    right = np.bincount(votes.assessors, _right(votes, ability, ease), minlength=votes.n_assessors)
    given = np.bincount(votes.assessors, minlength=votes.n_assessors)
    return Posterior(posterior, right / np.maximum(given, 1), rounds, moved <= near)


def expected(votes: Votes, ability: Floats, ease: Floats, prior: Floats) -> Floats:
    """The posterior of the grades under abilities, logarithms of ease and a prior; shape (pairs, grades)."""
    right = np.clip(_right(votes, ability, ease), LEAST, 1 - LEAST)
    wrong, same = np.log((1 - right) / max(votes.n_grades - 1, 1)), np.log(right)
    posterior, _ = votes.posterior(
        (np.where(votes.grades == grade, same, wrong) for grade in range(votes.n_grades)),
        np.log(np.maximum(prior, LEAST))[:, np.newaxis],
    )
    return posterior


def learnt(votes: Votes, posterior: Floats, ability: Floats, ease: Floats) -> tuple[Floats, Floats]:
    """Abilities and ease after some steps towards what the posterior expects, in turn."""
    agrees = votes.own(posterior)
    for _ in range(STEPS):
        beta = np.exp(ease).take(votes.pairs)
        right = _chance(ability.take(votes.assessors) * beta)
        ability = ability + _step(votes.assessors, agrees, right, beta, ability)
        strength = ability.take(votes.assessors) * beta
        ease = ease + _step(votes.pairs, agrees, _chance(strength), strength, ease)
    return ability, ease


def _step(at: Numbers, agrees: Floats, right: Floats, slope: Floats, now: Floats) -> Floats:
    """A step of Newton's for each parameter alone, no longer than 1 so that none leaps over the top."""
    ascent = np.bincount(at, (agrees - right) * slope, minlength=len(now)) + PRIOR_MEAN - now
    curvature = np.bincount(at, right * (1 - right) * slope**2, minlength=len(now)) + 1.0
    step: Floats = np.clip(ascent / curvature, -1.0, 1.0)
    return step


def _right(votes: Votes, ability: Floats, ease: Floats) -> Floats:
    """How likely every vote is to be right; shape (votes,)."""
    return _chance(ability.take(votes.assessors) * np.exp(ease).take(votes.pairs))


def _chance(strength: Floats) -> Floats:
    chance: Floats = 1.0 / (1.0 + np.exp(-np.clip(strength, -500, 500)))
    return chance


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
)
