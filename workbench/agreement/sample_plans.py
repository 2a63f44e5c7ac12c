"""Every way of drawing an overlap, with the pairs that it needs and what simulated samples come to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from workbench.agreement.sample_estimates import ROUNDS, Proof, proof_of, prove
from workbench.agreement.sample_of_several import (
    Outcomes,
    deviations_for_several,
    kappa_of_several,
    outcomes,
    pairs_for_several,
    samples_of_several,
)
from workbench.agreement.sample_size import (
    LEVEL,
    Chance,
    Draw,
    Floats,
    Needed,
    deviations_by_label,
    kappa_of_shares,
    pairs_needed,
)
from workbench.agreement.sample_topics import prove_topics
from workbench.errors import Finding, InvalidInput


@dataclass(frozen=True, slots=True)
class Planned:
    """A way of drawing with the pairs that it needs, and what simulated samples of it came to."""

    needed: Needed
    proof: Proof


def plans(
    shares: Floats,
    *,
    half_width: float,
    chance: Chance = Chance.POOLED,
    level: float = LEVEL,
    topic_size: float = 1.0,
    likeness: float = 0.0,
    assessors: int = 2,
    rounds: int = ROUNDS,
    seed: int = 1,
) -> tuple[Planned, ...]:
    """Every way of drawing, in the order of Draw, where so many `assessors` judge each pair.

    `shares` is the table that any two of them are expected to have; of more than two enter its shares of the
    grades and its pooled kappa. Raises InvalidInput for what cannot be asked for.
    """
    if assessors == 2:
        return _of_two(shares, half_width, chance, level, topic_size, likeness, rounds, seed)
    if chance is not Chance.POOLED:
        message = "for several assessors the plan is of the pooled kappa"
        raise InvalidInput([Finding("Sample", None, "chance", message, "choose pooled")])
    kappa = float(kappa_of_shares(shares, chance))
    if not np.isfinite(kappa):
        # Nothing to plan for, as said of two.
        return _of_two(shares, half_width, chance, level, topic_size, likeness, rounds, seed)
    expected = outcomes(_prevalence(shares), kappa, assessors)
    return tuple(
        _planned_for_several(expected, draw, half_width, level, topic_size, likeness, rounds, seed)
        for draw in Draw
    )


def spreads_by_label(shares: Floats, assessors: int) -> Floats:
    """By how much what a pair says of pooled kappa varies within each first label; shape (q,)."""
    if assessors == 2:
        return deviations_by_label(shares, Chance.POOLED)
    kappa = float(kappa_of_shares(shares, Chance.POOLED))
    if not np.isfinite(kappa):
        return np.ones(len(shares))
    return deviations_for_several(outcomes(_prevalence(shares), kappa, assessors))


def _prevalence(shares: Floats) -> list[float]:
    prevalence: list[float] = ((shares.sum(axis=0) + shares.sum(axis=1)) / 2).tolist()
    return prevalence


def _of_two(
    shares: Floats,
    half_width: float,
    chance: Chance,
    level: float,
    topic_size: float,
    likeness: float,
    rounds: int,
    seed: int,
) -> tuple[Planned, ...]:
    found = []
    for draw in Draw:
        needed = pairs_needed(
            shares,
            half_width=half_width,
            draw=draw,
            chance=chance,
            level=level,
            topic_size=topic_size,
            likeness=likeness,
        )
        if draw is Draw.TOPIC:
            cells = np.eye(shares.size)
            proof = prove_topics(
                shares.ravel(), cells, _kappa_of_two(shares, chance), needed,
                topic_size=topic_size, likeness=likeness, seed=seed,
            )  # fmt: skip
        else:
            proof = prove(shares, needed, rounds=rounds, seed=seed)
        found.append(Planned(needed, proof))
    return tuple(found)


def _kappa_of_two(shares: Floats, chance: Chance) -> Callable[[Floats], Floats]:
    def kappa_of(sums: Floats) -> Floats:
        tables = sums.reshape(*sums.shape[:-1], *shares.shape)
        return kappa_of_shares(tables / tables.sum(axis=(-1, -2), keepdims=True), chance)

    return kappa_of


def _planned_for_several(
    expected: Outcomes,
    draw: Draw,
    half_width: float,
    level: float,
    topic_size: float,
    likeness: float,
    rounds: int,
    seed: int,
) -> Planned:
    needed = pairs_for_several(
        expected, half_width=half_width, draw=draw, level=level, topic_size=topic_size, likeness=likeness
    )
    if draw is Draw.TOPIC:
        # Of a pair count that it is one, how far it agrees, and its grades.
        flat = expected.counts.reshape(-1, expected.counts.shape[-1])
        sums = np.column_stack([np.ones(len(flat)), expected.agreeing.ravel(), flat / expected.assessors])
        proof = prove_topics(
            expected.shares.ravel(), sums, _kappa_of_sums, needed,
            topic_size=topic_size, likeness=likeness, seed=seed,
        )  # fmt: skip
    else:
        values, variances = samples_of_several(expected, needed, rounds=rounds, seed=seed)
        proof = proof_of(values, variances, needed, seed=seed)
    return Planned(needed, proof)


def _kappa_of_sums(sums: Floats) -> Floats:
    return kappa_of_several(sums[..., 1] / sums[..., 0], sums[..., 2:] / sums[..., :1])
