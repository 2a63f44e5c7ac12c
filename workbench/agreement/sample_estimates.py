"""What a sample that was drawn by the first assessor's label, or at random, says of kappa; and its proof."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from workbench.agreement.result import NO_VARIATION, NOBODY
from workbench.agreement.sample_size import (
    LEVEL,
    Chance,
    Draw,
    Floats,
    Needed,
    deviations_by_label,
    kappa_of_shares,
    moves,
    normal_point,
    variance_at_random,
)
from workbench.agreement.several.bootstrap import Interval
from workbench.agreement.table import checked

ROUNDS = 1000
BY_LABEL = "linearised variance of a sample stratified by the first label"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A kappa of a whole estimated from a sample of `n` pairs; None exactly where `undefined` says why."""

    value: float | None
    n: int
    interval: Interval
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What simulated samples of a plan came to: how often the interval held the true kappa, how wide it was.

    `undefined` of the `rounds`, drawn from `seed`, had no kappa or no variance and are left out.
    """

    coverage: float | None
    half_width: float | None
    undefined: int
    rounds: int
    seed: int


def stratified_kappa(
    counts: ArrayLike, sizes: Sequence[int], *, chance: Chance = Chance.POOLED, level: float = LEVEL
) -> Estimate:
    """The kappa of all pairs of which each first label's were drawn by themselves.

    `counts[k, l]` are drawn pairs with the first label k and the second label l, `sizes[k]` all pairs with
    the first label k, from which they were drawn. Raises WorkbenchError for what is no table. Source:
    Cochran 1977, section 5A.
    """
    table = checked(counts).astype(np.float64)
    n = int(table.sum())
    whole = np.asarray(sizes, dtype=np.float64)
    drawn = table.sum(axis=1)
    none = Interval(None, None, level, BY_LABEL, n, undefined="the kappa is undefined")
    if not n:
        return Estimate(None, 0, none, NOBODY)
    if ((drawn == 0) & (whole > 0)).any():
        return Estimate(None, n, none, "of some first label no pair is judged a second time yet")
    shares = _whole(table, whole)
    value = float(kappa_of_shares(shares, chance))
    if not np.isfinite(value):
        return Estimate(None, n, none, NO_VARIATION)
    error = float(np.sqrt(_variance_by_label(shares, drawn, chance)))
    reach = normal_point(level) * error
    return Estimate(value, n, Interval(value - reach, min(value + reach, 1.0), level, BY_LABEL, n))


def prove(
    shares: Floats, needed: Needed, *, rounds: int = ROUNDS, seed: int = 1, pairs: int | None = None
) -> Proof:
    """Draw samples as a plan says from a table as it is expected, and look at the intervals they give.

    Whole topics are simulated elsewhere: how their pairs hang together is not in a table. `pairs` stands for
    another size than the plan's.
    """
    n = needed.pairs if pairs is None else pairs
    if needed.draw is Draw.TOPIC or n is None or needed.kappa is None:
        return Proof(None, None, 0, 0, seed)
    generator = np.random.default_rng(seed)
    if needed.draw is Draw.LABEL:
        rows = shares.sum(axis=1)
        within = np.divide(shares, rows[:, np.newaxis], out=np.zeros_like(shares), where=rows[:, None] > 0)
        within[rows == 0] = np.eye(len(rows))[rows == 0]
        drawn = np.asarray(needed.by_label, dtype=np.float64)
        tables = np.stack(
            [generator.multinomial(int(k), p, size=rounds) for k, p in zip(drawn, within, strict=True)],
            axis=1,
        ).astype(np.float64)
        found = _whole(tables, rows)
        variance = _variance_by_label(found, drawn, needed.chance)
    else:
        found = generator.multinomial(n, shares.ravel(), size=rounds).reshape(rounds, *shares.shape) / n
        variance = variance_at_random(found, needed.chance) / n
    values = kappa_of_shares(found, needed.chance)
    return proof_of(values, variance, needed, seed=seed)


def proof_of(values: Floats, variances: Floats, needed: Needed, *, seed: int) -> Proof:
    """What samples came to, from the kappa of each and the variance that is seen in it."""
    rounds = len(values)
    there = np.isfinite(values) & np.isfinite(variances)
    if not there.any():
        return Proof(None, None, rounds, rounds, seed)
    reach = normal_point(needed.level) * np.sqrt(variances[there])
    covered = np.abs(values[there] - (needed.kappa or 0.0)) <= reach + 1e-12
    return Proof(float(covered.mean()), float(np.median(reach)), int((~there).sum()), rounds, seed)


def likeness(tables: ArrayLike, *, chance: Chance = Chance.POOLED) -> float:
    """How much the pairs of one topic resemble one another in what they say of kappa, 0 to 1.

    `tables` (topics, q, q) count doubly judged pairs by topic. The correlation within topics of what each
    pair moves the kappa of all, by analysis of variance; less than nothing counts as 0, and so does one
    topic alone. Source: Donner and Koval 1980; Kish 1965 for what follows from it.
    """
    counts = np.asarray(tables, dtype=np.float64)
    counts = counts[counts.sum(axis=(1, 2)) > 0]
    n, topics = float(counts.sum()), len(counts)
    if topics < 2 or n <= topics:
        return 0.0
    g = moves(counts.sum(axis=0) / n, chance)
    if not np.isfinite(g).all():
        return 0.0
    sizes = counts.sum(axis=(1, 2))
    means = (counts * g).sum(axis=(1, 2)) / sizes
    mean = float((sizes * means).sum()) / n
    between = float((sizes * (means - mean) ** 2).sum()) / (topics - 1)
    spread_within = (counts * (g - means[:, np.newaxis, np.newaxis]) ** 2).sum()
    within = float(spread_within) / (n - topics)
    usual = (n - float((sizes**2).sum()) / n) / (topics - 1)
    below = between + (usual - 1) * within
    return min(max((between - within) / below, 0.0), 1.0) if below > 0 else 0.0


def mean_topic_size(sizes: ArrayLike) -> float:
    """The size of the topic in which a pair lies, on average over pairs: large topics count for more."""
    found = np.asarray(sizes, dtype=np.float64)
    return float((found**2).sum() / found.sum()) if found.sum() else 1.0


def _whole(tables: Floats, sizes: Floats) -> Floats:
    """The shares of the whole, from drawn tables (..., q, q) whose rows were drawn by themselves."""
    drawn = tables.sum(axis=-1, keepdims=True)
    within = np.divide(tables, drawn, out=np.zeros_like(tables), where=drawn > 0)
    shares: Floats = within * (sizes / sizes.sum())[:, np.newaxis]
    return shares


def _variance_by_label(shares: Floats, drawn: Floats, chance: Chance) -> Floats:
    deviations = deviations_by_label(shares, chance)
    by_label = (shares.sum(axis=-1) * deviations) ** 2
    # With one pair in a row its spread cannot be seen; n - 1 as for any variance from a sample.
    variance: Floats = (by_label / np.maximum(drawn - 1, 1)).sum(axis=-1)
    return variance
