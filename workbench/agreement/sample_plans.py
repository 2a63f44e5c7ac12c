"""Every way of drawing an overlap, with the pairs that it needs and what simulated samples come to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.agreement.sample_aims import Aim, Sums
from workbench.agreement.sample_estimates import ROUNDS, Proof, proof_of
from workbench.agreement.sample_expected import Expected, of_alike, of_each, of_table
from workbench.agreement.sample_moves import needed_for, simulated
from workbench.agreement.sample_size import LEVEL, Draw, Floats, Needed
from workbench.agreement.sample_topics import prove_topics

SELDOM = 0.05
"""By how much simulated intervals may hold less often than they say before it is said."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A way of drawing with the pairs that it needs, and what simulated samples of it came to."""

    needed: Needed
    proof: Proof

    @property
    def seldom(self) -> bool:
        """Whether intervals of that size hold far less often than they say, as near the bounds of a scale."""
        coverage = self.proof.coverage
        return coverage is not None and coverage < self.needed.level - SELDOM


def expected_of(
    shares: Floats,
    aim: Aim,
    *,
    assessors: int = 2,
    missing: float = 0.0,
    strictness: Floats | None = None,
    at_least: float | None = None,
) -> Expected:
    """What so many assessors are expected to say, any two of whom have this table of `shares`.

    Of more than two enter the table's shares of the grades and its pooled kappa by the aim's weights; where
    that is lower than so many can have (as a measured one may be), `at_least` stands for it if given.
    `strictness` (people, grades) holds, for those whom the unpooled kappa tells apart, how far their shares
    of the grades are from the others'; of whom nothing is known, they are as everybody's. Each of the others
    says nothing with the chance `missing`. Raises InvalidInput for what cannot be.
    """
    prevalence = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    weights = aim.weights_of(len(shares))
    by_chance = float(prevalence @ weights @ prevalence)
    apart = aim.method == "unpooled" and (assessors > 2 or strictness is not None)
    if by_chance <= 1e-12 or (assessors == 2 and not apart):
        return of_table(shares, missing=missing)
    kappa = 1 - float((shares * weights).sum()) / by_chance
    if at_least is not None:
        kappa = max(kappa, at_least)
    if not apart:
        return of_alike(prevalence.tolist(), kappa, assessors, missing=missing)
    marginals = np.broadcast_to(prevalence, (assessors, len(shares))).copy()
    if strictness is not None:
        # Of k assessors one is (k - 1) / k as far from the mean of all as from the others'.
        known = strictness[:assessors] * (assessors - 1) / assessors
        marginals[: len(known)] += known
        marginals -= known.sum(axis=0) / assessors
        marginals = np.maximum(marginals, 0.0)
        marginals /= marginals.sum(axis=1, keepdims=True)
    return of_each(marginals, kappa, weights=weights, missing=missing)


def plans(
    expected: Expected,
    aim: Aim | None = None,
    *,
    half_width: float,
    level: float = LEVEL,
    topic_size: float = 1.0,
    likeness: float = 0.0,
    rounds: int = ROUNDS,
    seed: int = 1,
) -> tuple[Planned, ...]:
    """Every way of drawing, in the order of Draw; raises InvalidInput for what cannot be asked for.

    Without `rounds` nothing is simulated.
    """
    aim = aim or Aim()
    found = []
    for draw in Draw:
        needed = needed_for(
            expected, aim,
            half_width=half_width, draw=draw, level=level, topic_size=topic_size, likeness=likeness,
        )  # fmt: skip
        found.append(Planned(needed, _proof(expected, aim, needed, topic_size, likeness, rounds, seed)))
    return tuple(found)


def _proof(
    expected: Expected,
    aim: Aim,
    needed: Needed,
    topic_size: float,
    likeness: float,
    rounds: int,
    seed: int,
) -> Proof:
    if needed.pairs is None or not rounds:
        return Proof(None, None, 0, 0, seed)
    if needed.draw is not Draw.TOPIC:
        values, variances = simulated(expected, aim, needed, rounds=rounds, seed=seed)
        return proof_of(values, variances, needed, seed=seed)
    sums = Sums(aim, expected.grades, expected.assessors)
    return prove_topics(
        expected.shares, sums.of_pairs(expected.codes), sums.value, needed,
        topic_size=topic_size, likeness=likeness, seed=seed,
    )  # fmt: skip
