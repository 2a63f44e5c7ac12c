"""Simulated draws of whole topics: what intervals over the topics that were drawn come to."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

import numpy as np

from workbench.agreement.intervals import shares_below
from workbench.agreement.resampling import topic_draws
from workbench.agreement.sample_estimates import Proof
from workbench.agreement.sample_size import Floats, Needed

ROUNDS, RESAMPLES = 400, 800
FEWEST_ROUNDS = 100
# Numbers that are held at once: beyond, fewer samples are simulated, and none where few would say little.
_MOST_RESAMPLES, _MOST_OUTCOMES = 2**23, 2**22


def prove_topics(
    shares: Floats,
    sums: Floats,
    value_of: Callable[[Floats], Floats],
    needed: Needed,
    *,
    topic_size: float,
    likeness: float,
    rounds: int = ROUNDS,
    seed: int = 1,
) -> Proof:
    """Draw whole topics as a plan says, and bootstrap the topics of each sample.

    `shares` (outcomes,) are the chances of what may be said of a pair, `sums` (outcomes, s) what each adds to
    the sums from which `value_of` (..., s) reckons. The shares vary from topic to topic as a Dirichlet
    distribution does, in which any two pairs of a topic are alike by `likeness`, whatever is reckoned of
    them. All topics are as large as a pair's is on average.
    """
    if needed.pairs is None or needed.value is None:
        return Proof(None, None, 0, 0, seed)
    size = max(round(topic_size), 1)
    topics = max(ceil(needed.pairs / size), 2)
    rounds = min(
        rounds, _MOST_RESAMPLES // (topics * RESAMPLES // 4), _MOST_OUTCOMES // (topics * len(shares))
    )
    if rounds < FEWEST_ROUNDS:
        return Proof(None, None, 0, 0, seed)
    generator = np.random.default_rng(seed)
    counts = generator.multinomial(size, _of_topics(shares, likeness, (rounds, topics), generator))
    by_topic = counts @ sums
    # The same resamples for every sample: they are drawn apart from it.
    draws = topic_draws(topics, RESAMPLES, seed)
    found = value_of(np.einsum("bt,rts->rbs", draws, by_topic, optimize=True))
    there = np.isfinite(found).all(axis=1)
    if not there.any():
        return Proof(None, None, rounds, rounds, seed)
    low, high = np.quantile(found[there], shares_below(needed.level, topics), axis=1)
    covered = (low <= needed.value + 1e-12) & (needed.value - 1e-12 <= high)
    half_width = float(np.median((high - low) / 2))
    return Proof(float(covered.mean()), half_width, int((~there).sum()), rounds, seed)


def _of_topics(
    shares: Floats, likeness: float, size: tuple[int, int], generator: np.random.Generator
) -> Floats:
    """The shares of the outcomes in each topic; shape (rounds, topics, outcomes)."""
    if likeness <= 0:
        return np.broadcast_to(shares, (*size, len(shares)))
    drawn = generator.standard_gamma(shares * (1 - likeness) / likeness, size=(*size, len(shares)))
    total = drawn.sum(axis=-1, keepdims=True)
    # Where topics are nearly of one mind all may be too small to tell: then one outcome is the whole topic.
    alone = np.eye(len(shares))[generator.choice(len(shares), p=shares / shares.sum(), size=size)]
    return np.where(total > 0, drawn / np.where(total > 0, total, 1.0), alone)
