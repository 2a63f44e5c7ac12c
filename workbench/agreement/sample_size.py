"""How many doubly judged pairs give a kappa's interval a wished half width.

All follows from one thing: how much a kappa moves when the share of one cell of its table does. The sum of
squares of these moves is the large-sample variance of Fleiss, Cohen and Everitt 1969 where the pairs are
drawn at random, and taken row by row that of a sample drawn by the first assessor's label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from workbench.errors import Finding, InvalidInput

Floats = NDArray[np.float64]
LEVEL = 0.95
NARROWEST, WIDEST = 0.005, 0.5
UNDEFINED = "everyone is expected to give one grade, so that there is no kappa to estimate"
FEWEST = 30
"""Large-sample variances are not trusted below so many pairs."""


class Chance(StrEnum):
    """How a kappa reckons chance: from both assessors' grades pooled, or from each one's own."""

    POOLED = "pooled"
    UNPOOLED = "unpooled"


class Draw(StrEnum):
    """How the pairs that a second assessor judges are drawn."""

    RANDOM = "random"
    LABEL = "label"
    TOPIC = "topic"


@dataclass(frozen=True, slots=True)
class Needed:
    """The pairs that a wished half width asks for, and how they were reckoned.

    `variance` is that of the kappa of one pair, so that the half width of n pairs is z sqrt(variance / n);
    a draw of whole topics has it times `effect`. `by_label` are the pairs of each first label, in the order
    of the shares, for a draw by label only. `pairs` is None exactly where `undefined` says why. Each pair is
    judged by so many `assessors`, the first one among them.
    """

    draw: Draw
    chance: Chance
    kappa: float | None
    half_width: float
    level: float
    variance: float | None
    effect: float
    pairs: int | None
    by_label: tuple[int, ...] = ()
    undefined: str = ""
    assessors: int = 2

    def reach(self, pairs: float) -> float | None:
        """The half width that so many pairs give."""
        if self.variance is None or pairs <= 0:
            return None
        return normal_point(self.level) * sqrt(self.variance * self.effect / pairs)


def expected_shares(prevalence: Sequence[float], kappa: float) -> Floats:
    """The shares of a table whose assessors both give the grades in these shares and agree by this kappa.

    kappa diag(p) + (1 - kappa) p p': the common correlation model. Shape (grades, grades), lowest or highest
    first as given. Raises InvalidInput for shares that are none and for a kappa that they do not allow.
    Source: Donner and Eliasziw 1992, extended to several grades as by Altaye, Donner and Klar 2001.

    >>> expected_shares([0.3, 0.7], 0.5).round(3).tolist()
    [[0.195, 0.105], [0.105, 0.595]]
    """
    p = np.asarray(prevalence, dtype=np.float64)
    findings = []
    if p.ndim != 1 or len(p) < 2 or (p < 0).any() or abs(float(p.sum()) - 1) > 1e-6 or p.max() >= 1:
        message = f"the shares of the grades cannot be {', '.join(f'{share:g}' for share in p.ravel())}"
        remedy = "two or more from 0 to below 1 that sum to 1"
        findings.append(Finding("Sample", None, "prevalence", message, remedy))
    if not -1 <= kappa < 1:
        message, remedy = f"kappa cannot be guessed as {kappa:g}", "give less than 1, as 0.6"
        findings.append(Finding("Sample", None, "kappa", message, remedy))
    if findings:
        raise InvalidInput(findings)
    shares: Floats = kappa * np.diag(p) + (1 - kappa) * np.outer(p, p)
    if (shares < 0).any():
        message = f"with these shares of the grades kappa cannot be as low as {kappa:g}"
        raise InvalidInput([Finding("Sample", None, "kappa", message, "guess a higher one")])
    return shares


def kappa_of_shares(shares: Floats, chance: Chance, disagreements: ArrayLike | None = None) -> Floats:
    """The kappas of tables of shares (..., q, q), NaN where there is none."""
    observed, expected, _ = _parts(shares, chance, _agreeing(shares, disagreements))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)


def moves(shares: Floats, chance: Chance, disagreements: ArrayLike | None = None) -> Floats:
    """By how much kappa grows when the share of a cell does, from 0 to 1; shape (..., q, q)."""
    agreeing = _agreeing(shares, disagreements)
    observed, expected, by_cell = _parts(shares, chance, agreeing)
    left = (1 - expected)[..., np.newaxis, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope: Floats = (agreeing * left - (1 - observed)[..., np.newaxis, np.newaxis] * by_cell) / left**2
    return slope


def variance_at_random(shares: Floats, chance: Chance, disagreements: ArrayLike | None = None) -> Floats:
    """The variance of kappa from one pair drawn at random; of n pairs it is an nth of it.

    Source: Fleiss, Cohen and Everitt 1969 (unpooled); for the pooled kappa with equal shares Bloch and
    Kraemer 1989.
    """
    g = moves(shares, chance, disagreements)
    mean = (shares * g).sum(axis=(-1, -2))
    variance: Floats = np.maximum((shares * g**2).sum(axis=(-1, -2)) - mean**2, 0.0)
    return variance


def deviations_by_label(shares: Floats, chance: Chance, disagreements: ArrayLike | None = None) -> Floats:
    """The standard deviation, within each row of a table, of what its cells move; shape (..., q)."""
    g = moves(shares, chance, disagreements)
    rows = shares.sum(axis=-1, keepdims=True)
    within = np.divide(shares, rows, out=np.zeros_like(shares), where=rows > 0)
    mean = (within * g).sum(axis=-1)
    deviations: Floats = np.sqrt(np.maximum((within * g**2).sum(axis=-1) - mean**2, 0.0))
    return deviations


def pairs_needed(
    shares: Floats,
    *,
    half_width: float,
    draw: Draw = Draw.RANDOM,
    chance: Chance = Chance.POOLED,
    level: float = LEVEL,
    disagreements: ArrayLike | None = None,
    topic_size: float = 1.0,
    likeness: float = 0.0,
) -> Needed:
    """How many pairs give an interval of kappa this half width, where the table is as `shares` expects.

    At random n = z^2 V / d^2 (Cantor 1996). By the first assessor's label, whose shares are known, pairs are
    spread by w_k s_k, which needs the fewest: n = (z / d)^2 (sum of w_k s_k)^2 (Neyman 1934; Cochran 1977,
    section 5.5). Whole topics of `topic_size` pairs need 1 + (m - 1) rho times those at random (Kish 1965),
    rho being the `likeness` of pairs of a topic. Raises InvalidInput for what cannot be asked for.
    """
    return needed_of(
        float(kappa_of_shares(shares, chance, disagreements)),
        at_random=float(variance_at_random(shares, chance, disagreements)),
        weighed=shares.sum(axis=1) * deviations_by_label(shares, chance, disagreements),
        half_width=half_width,
        draw=draw,
        chance=chance,
        level=level,
        topic_size=topic_size,
        likeness=likeness,
    )


def needed_of(
    kappa: float,
    *,
    at_random: float,
    weighed: Floats,
    half_width: float,
    draw: Draw,
    chance: Chance,
    level: float,
    topic_size: float,
    likeness: float,
    assessors: int = 2,
) -> Needed:
    """The same from kappa, its variance of one pair at random, and w_k s_k of each first label."""
    _require(half_width, level, topic_size, likeness)
    effect = 1 + (topic_size - 1) * likeness if draw is Draw.TOPIC else 1.0
    if not np.isfinite(kappa):
        return Needed(
            draw,
            chance,
            None,
            half_width,
            level,
            None,
            effect,
            None,
            undefined=UNDEFINED,
            assessors=assessors,
        )
    variance = float(weighed.sum()) ** 2 if draw is Draw.LABEL else at_random
    exact = (normal_point(level) / half_width) ** 2 * variance * effect
    # A hair above a whole number is rounding, not another pair.
    pairs = max(ceil(exact - 1e-9), FEWEST)
    by_label: tuple[int, ...] = ()
    if draw is Draw.LABEL:
        by_label = spread(pairs, weighed)
        pairs = sum(by_label)
    return Needed(
        draw, chance, kappa, half_width, level, variance, effect, pairs, by_label, assessors=assessors
    )


def spread(pairs: int, weighed: ArrayLike, sizes: Sequence[int] | None = None) -> tuple[int, ...]:
    """Pairs spread over strata in proportion to weights, two or more of each, none beyond its size.

    What a small stratum cannot give goes to the others.
    """
    weights = np.asarray(weighed, dtype=np.float64)
    most = np.full(len(weights), np.inf) if sizes is None else np.asarray(sizes, dtype=np.float64)
    least = np.minimum(2, most)
    counts = least.copy()
    while (rest := min(pairs, most.sum()) - counts.sum()) >= 1:
        free = counts < most
        share = np.where(free, weights, 0.0)
        share = share if share.sum() > 0 else free.astype(np.float64)
        wanted = np.maximum(min(pairs, most.sum()) * share / share.sum() - counts, 0.0) * free
        wanted = wanted if wanted.sum() > 0 else free.astype(np.float64)
        step = np.minimum(np.floor(rest * wanted / wanted.sum()), most - counts)
        if not step.sum():
            # The remainder goes one by one, the most wanted first.
            order = np.argsort(-np.where(free, wanted, -1.0), kind="stable")[: int(rest)]
            step = np.zeros_like(counts)
            step[[place for place in order if free[place]]] = 1
        counts += step
    return tuple(int(count) for count in counts)


def normal_point(level: float) -> float:
    """z of a two-sided confidence level."""
    return NormalDist().inv_cdf((1 + level) / 2)


def _require(half_width: float, level: float, topic_size: float, likeness: float) -> None:
    findings = []
    for code, value, low, high, what in (
        ("half_width", half_width, NARROWEST, WIDEST, "half width"),
        ("level", level, 0.5, 0.999, "level"),
        ("likeness", likeness, 0.0, 1.0, "likeness of the pairs of a topic"),
    ):
        if not low <= value <= high:
            message, remedy = f"the {what} cannot be {value:g}", f"give {low:g} to {high:g}"
            findings.append(Finding("Sample", None, code, message, remedy))
    if not topic_size >= 1:
        message = f"a topic cannot have {topic_size:g} pairs"
        findings.append(Finding("Sample", None, "topic_size", message, "give 1 or more"))
    if findings:
        raise InvalidInput(findings)


def _agreeing(shares: Floats, disagreements: ArrayLike | None) -> Floats:
    if disagreements is None:
        return np.eye(shares.shape[-1])
    return 1.0 - np.asarray(disagreements, dtype=np.float64)


def _parts(shares: Floats, chance: Chance, agreeing: Floats) -> tuple[Floats, Floats, Floats]:
    """Observed and expected agreement, and how the expected moves with every cell."""
    rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
    if chance is Chance.POOLED:
        rows = columns = (rows + columns) / 2
    observed = (agreeing * shares).sum(axis=(-1, -2))
    expected = np.einsum("...k,kl,...l->...", rows, agreeing, columns)
    by_cell = (columns @ agreeing.T)[..., :, np.newaxis] + (rows @ agreeing)[..., np.newaxis, :]
    return observed, expected, by_cell
