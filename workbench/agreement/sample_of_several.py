"""How many pairs that several assessors judge give their pooled kappa's interval a wished half width.

For two assessors a table of shares says all; of more the same shares and kappa leave open how often a third
agrees where two do. Expected is here that every pair has its own shares of the grades, which vary from pair
to pair as a Dirichlet distribution does; any two assessors then have the table of `expected_shares`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from math import comb, factorial

import numpy as np

from workbench.agreement.sample_size import (
    LEVEL,
    Chance,
    Draw,
    Floats,
    Needed,
    expected_shares,
    needed_of,
)
from workbench.errors import Finding, InvalidInput

MOST_ASSESSORS = 10
# Beyond so many outcomes simulating takes too long to wait for.
MOST_OUTCOMES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Outcomes:
    """What `assessors` may say of one pair: in row j the first of them gives grade j.

    `shares` (q, kinds) are the chances of each outcome, `counts` (q, kinds, q) how many of all assessors give
    each grade in it.
    """

    assessors: int
    shares: Floats
    counts: Floats

    @property
    def agreeing(self) -> Floats:
        """The share of pairs of assessors that agree, in each outcome; shape (q, kinds)."""
        return agreeing(self.counts)


def outcomes(prevalence: Sequence[float], kappa: float, assessors: int) -> Outcomes:
    """The outcomes where assessors give the grades in these shares and every two agree by this kappa.

    Given the first one's grade the others' follow a Dirichlet-multinomial distribution. Raises InvalidInput
    for shares that are none, a kappa below 0, and for too many assessors. Source: Mosimann 1962.
    """
    expected_shares(prevalence, kappa)
    _require(prevalence, kappa, assessors)
    p = np.asarray(prevalence, dtype=np.float64)
    q, others = len(p), assessors - 1
    kinds = np.array(
        [np.bincount(one, minlength=q) for one in combinations_with_replacement(range(q), others)]
    )
    theta = kappa / (1 - kappa)
    # Times that a grade came, from 0: p (p + theta) (p + 2 theta) ..., begun one further for the first's own.
    steps = np.arange(others) * theta
    ones = np.ones((q, 1))
    usual = np.concatenate([ones, np.cumprod(p[:, np.newaxis] + steps, axis=1)], axis=1)
    own = np.concatenate([ones, np.cumprod(p[:, np.newaxis] + steps + theta, axis=1)], axis=1)
    ways = np.array([factorial(others) / np.prod([factorial(n) for n in kind]) for kind in kinds.tolist()])
    shares = np.empty((q, len(kinds)))
    for first in range(q):
        chances = [(own if grade == first else usual)[grade, kinds[:, grade]] for grade in range(q)]
        shares[first] = p[first] * ways * np.prod(chances, axis=0) / np.prod(1 + steps + theta)
    counts = kinds[np.newaxis] + np.eye(q)[:, np.newaxis]
    return Outcomes(assessors, shares, counts)


def agreeing(counts: Floats) -> Floats:
    """The share of pairs of assessors that agree, from how many gave each grade (..., q)."""
    n = counts.sum(axis=-1)
    share: Floats = (counts * (counts - 1)).sum(axis=-1) / (n * (n - 1))
    return share


def kappa_of_several(observed: Floats, shares: Floats) -> Floats:
    """The pooled kappa from observed agreement (...) and shares of the grades (..., q); NaN where none."""
    expected = (shares**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # What adds up to 1 but for rounding is one grade alone.
        return np.where(expected < 1 - 1e-12, (observed - expected) / (1 - expected), np.nan)


def moves_of_several(counts: Floats, observed: Floats, shares: Floats) -> Floats:
    """By how much kappa grows when the share of an outcome does; shape (..., outcomes).

    `counts` (outcomes, q) say who gave what, `observed` (...) and `shares` (..., q) what all come to.
    """
    left = 1 - (shares**2).sum(axis=-1)[..., np.newaxis]
    by_outcome = 2 * shares @ (counts / counts.sum(axis=-1, keepdims=True)).T
    with np.errstate(divide="ignore", invalid="ignore"):
        moved: Floats = (agreeing(counts) * left - (1 - observed)[..., np.newaxis] * by_outcome) / left**2
    return moved


def pairs_for_several(
    expected: Outcomes,
    *,
    half_width: float,
    draw: Draw = Draw.RANDOM,
    level: float = LEVEL,
    topic_size: float = 1.0,
    likeness: float = 0.0,
) -> Needed:
    """How many pairs of that many assessors give pooled kappa's interval this half width.

    As for two: at random by the large-sample variance of what a pair moves kappa, by the first one's label by
    what its spread within labels is, whole topics times their design effect. Source: the variance without
    agreement is that of Fleiss, Nee and Landis 1979.
    """
    observed, shares = _whole(expected.shares[np.newaxis], expected)
    kappa = float(kappa_of_several(observed, shares)[0])
    flat = expected.counts.reshape(-1, expected.counts.shape[-1])
    moved = moves_of_several(flat, observed, shares).reshape(expected.shares.shape)
    mean = float((expected.shares * moved).sum())
    return needed_of(
        kappa,
        at_random=float((expected.shares * moved**2).sum()) - mean**2,
        weighed=np.sqrt(_by_label(expected.shares, moved)),
        half_width=half_width,
        draw=draw,
        chance=Chance.POOLED,
        level=level,
        topic_size=topic_size,
        likeness=likeness,
        assessors=expected.assessors,
    )


def deviations_for_several(expected: Outcomes) -> Floats:
    """The standard deviation, within each first label, of what an outcome moves kappa; shape (q,)."""
    observed, shares = _whole(expected.shares[np.newaxis], expected)
    flat = expected.counts.reshape(-1, expected.counts.shape[-1])
    moved = moves_of_several(flat, observed, shares).reshape(expected.shares.shape)
    rows = expected.shares.sum(axis=1)
    spread = np.sqrt(_by_label(expected.shares, moved))
    deviations: Floats = np.divide(spread, rows, out=np.zeros_like(rows), where=rows > 0)
    return deviations


def samples_of_several(
    expected: Outcomes, needed: Needed, *, rounds: int, seed: int
) -> tuple[Floats, Floats]:
    """The kappas of simulated samples of a plan, at random or by label, and the variances seen in each."""
    generator = np.random.default_rng(seed)
    rows = expected.shares.sum(axis=1)
    flat = expected.counts.reshape(-1, expected.counts.shape[-1])
    shape = expected.shares.shape
    values, variances = [], []
    for some in np.array_split(np.arange(rounds), max(1, rounds * expected.shares.size // 2**21)):
        if needed.draw is Draw.LABEL:
            drawn = np.asarray(needed.by_label, dtype=np.float64)
            within = [row / share if share else np.full(len(row), 1 / len(row)) for row, share in zip(
                expected.shares, rows, strict=True
            )]  # fmt: skip
            found = np.stack(
                [
                    generator.multinomial(int(n), chances, size=len(some)) / n * share
                    for n, chances, share in zip(drawn, within, rows, strict=True)
                ],
                axis=1,
            )
        else:
            n = needed.pairs or 0
            found = generator.multinomial(n, expected.shares.ravel(), size=len(some)).reshape(-1, *shape) / n
        observed, shares = _whole(found, expected)
        moved = moves_of_several(flat, observed, shares).reshape(-1, *shape)
        values.append(kappa_of_several(observed, shares))
        if needed.draw is Draw.LABEL:
            variances.append((_by_label(found, moved) / np.maximum(drawn - 1, 1)).sum(axis=-1))
        else:
            mean = (found * moved).sum(axis=(1, 2))
            variances.append(((found * moved**2).sum(axis=(1, 2)) - mean**2) / n)
    return np.concatenate(values), np.concatenate(variances)


def _whole(found: Floats, expected: Outcomes) -> tuple[Floats, Floats]:
    """Observed agreement (rounds,) and shares of the grades (rounds, q) of shares of outcomes."""
    observed = (found * expected.agreeing).sum(axis=(1, 2))
    shares: Floats = np.einsum("rjk,jkq->rq", found, expected.counts) / expected.assessors
    return observed, shares


def _by_label(shares: Floats, moved: Floats) -> Floats:
    """(w_j s_j) squared: the share of each first label times the spread of what moves within it."""
    rows = shares.sum(axis=-1)
    mean = np.divide((shares * moved).sum(axis=-1), rows, out=np.zeros_like(rows), where=rows > 0)
    squares = np.divide((shares * moved**2).sum(axis=-1), rows, out=np.zeros_like(rows), where=rows > 0)
    spread: Floats = rows**2 * np.maximum(squares - mean**2, 0.0)
    return spread


def _require(prevalence: Sequence[float], kappa: float, assessors: int) -> None:
    findings = []
    if not 3 <= assessors <= MOST_ASSESSORS:
        message, remedy = f"{assessors} assessors of a pair cannot be planned for", f"2 to {MOST_ASSESSORS}"
        findings.append(Finding("Sample", None, "assessors", message, remedy))
    elif len(prevalence) * comb(assessors + len(prevalence) - 2, assessors - 1) > MOST_OUTCOMES:
        message = f"{assessors} assessors can say too many things on {len(prevalence)} grades"
        findings.append(Finding("Sample", None, "assessors", message, "plan for fewer, or relevant or not"))
    if kappa < 0:
        message = f"for several assessors kappa cannot be guessed as {kappa:g}"
        findings.append(Finding("Sample", None, "kappa", message, "give 0 or more"))
    if findings:
        raise InvalidInput(findings)
