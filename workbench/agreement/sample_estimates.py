"""What a sample says of a coefficient, how simulated ones prove a plan, and what topics are like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.agreement.contingency import MISSING
from workbench.agreement.intervals import Interval
from workbench.agreement.ratings import Ratings
from workbench.agreement.sample_size import Floats, Needed, normal_point

ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A coefficient of a whole estimated from a sample of `n` pairs; None where `undefined` says why."""

    value: float | None
    n: int
    interval: Interval
    undefined: str = ""


@dataclass(frozen=True, slots=True)
class Proof:
    """What simulated samples of a plan came to: how often the interval held the true value, how wide it was.

    `undefined` of the `rounds`, drawn from `seed`, had no value or no variance and are left out.
    """

    coverage: float | None
    half_width: float | None
    undefined: int
    rounds: int
    seed: int


def proof_of(values: Floats, variances: Floats, needed: Needed, *, seed: int) -> Proof:
    """What samples came to, from the value of each and the variance that is seen in it."""
    rounds = len(values)
    there = np.isfinite(values) & np.isfinite(variances)
    if not there.any():
        return Proof(None, None, rounds, rounds, seed)
    reach = normal_point(needed.level) * np.sqrt(variances[there])
    covered = np.abs(values[there] - (needed.value or 0.0)) <= reach + 1e-12
    return Proof(float(covered.mean()), float(np.median(reach)), int((~there).sum()), rounds, seed)


def likeness(moves: Floats, topics: NDArray[np.int64]) -> float:
    """How much the pairs of one topic resemble one another in what they say of a coefficient, 0 to 1.

    `moves` (pairs,) is by how much each pair moves it, `topics` (pairs,) numbers their topics. The
    correlation within topics by analysis of variance; less than nothing counts as 0, and so does one topic
    alone. Source: Donner and Koval 1980; Kish 1965 for what follows from it.
    """
    sizes = np.bincount(topics).astype(np.float64)
    there = sizes > 0
    n, k = len(moves), int(there.sum())
    if k < 2 or n <= k or not np.isfinite(moves).all():
        return 0.0
    sums = np.bincount(topics, moves)
    means = np.divide(sums, sizes, out=np.zeros_like(sums), where=there)
    between = float((sizes * (means - moves.mean()) ** 2).sum()) / (k - 1)
    within = float(((moves - means[topics]) ** 2).sum()) / (n - k)
    usual = (n - float((sizes**2).sum()) / n) / (k - 1)
    below = between + (usual - 1) * within
    return min(max((between - within) / below, 0.0), 1.0) if below > 0 else 0.0


def strictness_of(ratings: Ratings, enough: int) -> Floats:
    """How far everybody's shares of the grades are from the others' on the same pairs; shape (people, q).

    Of whoever has `enough` doubly judged pairs, the most first.
    """
    q = len(ratings.categories)
    there = ratings.codes != MISSING
    raters = there.sum(axis=0)
    counts = np.stack([(ratings.codes == place).sum(axis=0) for place in range(q)], axis=1)
    found = []
    for own, judged in zip(ratings.codes, there & (raters > 1), strict=True):
        n = int(judged.sum())
        if n >= enough:
            mine = np.bincount(own[judged], minlength=q) / n
            others = counts[judged] - np.eye(q)[own[judged]]
            found.append((n, mine - (others / (raters[judged][:, np.newaxis] - 1)).mean(axis=0)))
    found.sort(key=lambda one: -one[0])
    return np.array([apart for _, apart in found]).reshape(-1, q)


def mean_topic_size(sizes: ArrayLike) -> float:
    """The size of the topic in which a pair lies, on average over pairs: large topics count for more."""
    found = np.asarray(sizes, dtype=np.float64)
    return float((found**2).sum() / found.sum()) if found.sum() else 1.0
