"""What two to ten assessors are expected to answer about a pair: every outcome with its probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import ceil, comb, factorial

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.sample_size import Floats
from workbench.agreement.weights import Weights
from workbench.errors import Finding, InvalidInput

# Of rarer grades so many pairs would be needed that they cannot be counted.
RAREST = 1e-6


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
    if p.ndim != 1 or len(p) < 2 or not ((p >= 0) & (p < 1)).all() or abs(float(p.sum()) - 1) > 1e-6:
        message = f"the shares of the grades cannot be {', '.join(f'{share:g}' for share in p.ravel())}"
        remedy = "two or more from 0 to below 1 that sum to 1"
        findings.append(Finding("Sample", None, "prevalence", message, remedy))
    elif (rare := p[(p > 0) & (p < RAREST)]).size:
        message = f"a grade that is given in a share of {rare[0]:g} cannot be planned for"
        findings.append(Finding("Sample", None, "prevalence", message, f"give 0, or {RAREST:.6f} or more"))
    if not -1 <= kappa < 1:
        message, remedy = f"kappa cannot be guessed as {kappa:g}", "give less than 1, as 0.6"
        findings.append(Finding("Sample", None, "kappa", message, remedy))
    if findings:
        raise InvalidInput(findings)
    shares: Floats = kappa * np.diag(p) + (1 - kappa) * np.outer(p, p)
    if kappa < (lowest := lowest_kappa(p.tolist(), 2)) - 1e-9:
        message = f"with these shares of the grades kappa cannot be as low as {kappa:g}"
        raise InvalidInput(
            [Finding("Sample", None, "kappa", message, f"give {rounded_up(lowest):g} or more")]
        )
    # At the lowest kappa a cell is empty but for rounding.
    return np.maximum(shares, 0.0)


def lowest_kappa(prevalence: Sequence[float], assessors: int) -> float:
    """The lowest kappa at which so many assessors can give the grades in these shares.

    The rarest grade p must last for all: p + (assessors - 1) kappa / (1 - kappa) is not negative. Source:
    Prentice 1986 for two grades.

    >>> round(lowest_kappa([0.5, 0.5], 2), 3), round(lowest_kappa([0.2, 0.8], 3), 3)
    (-1.0, -0.111)
    """
    theta = -min(share for share in prevalence if share > 0) / (assessors - 1)
    return theta / (1 + theta) if theta > -1 else -1.0


def rounded_up(kappa: float) -> float:
    """The next thousandth, never below: what is told as the lowest can be given."""
    return ceil(kappa * 1000) / 1000 + 0.0


def kappa_of_shares(shares: Floats) -> Floats:
    """The pooled kappas of tables of shares (..., q, q), NaN where there is none."""
    prevalence = (shares.sum(axis=-1) + shares.sum(axis=-2)) / 2
    observed, expected = np.trace(shares, axis1=-2, axis2=-1), (prevalence**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)


MOST_ASSESSORS = 10
MOST_NON_RESPONSE = 0.99
# Beyond so many outcomes simulating takes too long to wait for.
MOST_OUTCOMES = 10_000
# As near as the urn can come to assessors who agree wholly behind their strictness.
_NEAREST = 1 - 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeModel:
    """What assessors (rows of `codes`) may say of a pair (columns), and the chance of each; it sums to 1.

    Codes are places of `grades` grades, MISSING where an assessor says nothing; the first always says one.
    """

    codes: Codes
    shares: Floats
    grades: int

    @property
    def assessors(self) -> int:
        """How many there are."""
        return len(self.codes)

    @property
    def labels(self) -> NDArray[np.int64]:
        """What the first says; shape (outcomes,)."""
        first: NDArray[np.int64] = self.codes[0].astype(np.int64)
        return first

    @property
    def by_label(self) -> Floats:
        """The chance of each first label; shape (grades,)."""
        return np.bincount(self.labels, self.shares, minlength=self.grades).astype(np.float64)


def two_assessor_model(shares: Floats, *, missing: float = 0.0) -> OutcomeModel:
    """Two assessors from the table (q, q) that they are expected to have."""
    if findings := _of_missing(missing):
        raise InvalidInput(findings)
    return _of_tensor(shares, missing)


def exchangeable_model(
    prevalence: Sequence[float], kappa: float, assessors: int, *, missing: float = 0.0
) -> OutcomeModel:
    """Assessors who all give the grades in these shares, any two of whom agree by this kappa.

    Each of the others says nothing with the chance `missing`. Who of the others says what makes no
    difference and is not told apart. Given the first one's grade theirs follow a Dirichlet-multinomial
    distribution. Raises InvalidInput for too many assessors and too low a kappa. Source: Mosimann 1962.
    """
    _require(prevalence, kappa, assessors, missing)
    q, others = len(prevalence), assessors - 1
    _require_few(q * comb(assessors + q - 2 + (missing > 0), assessors - 1), assessors, q)
    codes, shares = [], []
    for there in range(others + 1) if missing else (others,):
        chance = comb(others, there) * (1 - missing) ** there * missing ** (others - there)
        for kind in combinations_with_replacement(range(q), there):
            counts = [kind.count(grade) for grade in range(q)]
            ways = factorial(there) / np.prod([factorial(n) for n in counts])
            for first in range(q):
                codes.append([first, *kind, *[MISSING] * (others - there)])
                shares.append(chance * ways * _polya([first, *kind], prevalence, kappa))
    return OutcomeModel(np.array(codes, dtype=np.int8).T, np.array(shares), q)


def biased_model(marginals: Floats, kappa: float, *, weights: Weights, missing: float = 0.0) -> OutcomeModel:
    """Assessors who give the grades each in shares of their own, (assessors, q), and agree by pooled kappa.

    Behind them all stand grades as of assessors who are alike; where somebody is stricter or more lenient
    than the mean, as few of these as need be fall to a neighbouring grade, by chance and each alone. The
    kappa (by `weights`) of those behind is so much higher that what they say has the one that is asked for,
    or as near as such assessors can come. Raises InvalidInput as `of_alike` does.
    """
    assessors, q = marginals.shape
    mean = marginals.mean(axis=0)
    behind = [_moved(mean, own) for own in marginals]
    kappa = _kappa_behind(mean, behind, kappa, weights)
    kappa = min(max(kappa, lowest_kappa(mean.tolist(), assessors)), _NEAREST)
    _require(mean.tolist(), kappa, assessors, missing)
    _require_few(q * (q + (missing > 0)) ** (assessors - 1), assessors, q)
    tensor = np.array(
        [_polya(grades, mean.tolist(), kappa) for grades in product(range(q), repeat=assessors)]
    ).reshape((q,) * assessors)
    for axis, step in enumerate(behind):
        tensor = np.moveaxis(np.tensordot(tensor, step, axes=(axis, 0)), -1, axis)
    return _of_tensor(tensor, missing)


def _of_tensor(tensor: Floats, missing: float) -> OutcomeModel:
    """Every outcome of an array with one axis for each assessor; all but the first may say nothing."""
    q, assessors = len(tensor), tensor.ndim
    codes_there = [*range(q), MISSING] if missing else [*range(q)]
    for axis in range(1, assessors) if missing else ():
        nothing = missing * tensor.sum(axis=axis, keepdims=True)
        tensor = np.concatenate([(1 - missing) * tensor, nothing], axis=axis)
    axes = [range(q), *[codes_there] * (assessors - 1)]
    codes = np.array([*product(*axes)], dtype=np.int8).T
    return OutcomeModel(codes, tensor.ravel() / tensor.sum(), q)


def _polya(grades: Sequence[int], prevalence: Sequence[float], kappa: float) -> float:
    """The chance of grades, one after another, drawn from an urn that gets or gives theta of each."""
    theta, chance = kappa / (1 - kappa), 1.0
    seen = [0] * len(prevalence)
    for at, grade in enumerate(grades):
        # What is used up is 0 but for rounding.
        chance *= max(prevalence[grade] + seen[grade] * theta, 0.0) / (1 + at * theta)
        seen[grade] += 1
    return chance


def _moved(mean: Floats, own: Floats) -> Floats:
    """The chance of one's own grade (columns) given that behind it (rows): the least that must move."""
    upper, lower = np.cumsum(mean), np.cumsum(own)
    both = np.minimum(upper[:, np.newaxis], lower)
    both -= np.maximum((upper - mean)[:, np.newaxis], lower - own)
    both = np.maximum(both, 0.0)
    total = both.sum(axis=1, keepdims=True)
    moved: Floats = np.where(total > 0, both / np.where(total > 0, total, 1.0), np.eye(len(mean)))
    return moved


def _kappa_behind(mean: Floats, behind: Sequence[Floats], kappa: float, weights: Weights) -> float:
    """The kappa of grades behind assessors that leaves the pooled one asked for: they hang by a line."""
    agreed, by_chance = 0.0, 0.0
    for one, other in ((a, b) for a in range(len(behind)) for b in range(a)):
        apart = behind[one] @ weights @ behind[other].T
        agreed += float((mean * np.diag(apart)).sum())
        by_chance += float(mean @ apart @ mean)
    two = len(behind) * (len(behind) - 1) / 2
    wanted = (1 - kappa) * float(mean @ weights @ mean)
    between = (by_chance - agreed) / two
    return (by_chance / two - wanted) / between if between > 0 else kappa


def _require_few(outcomes: int, assessors: int, grades: int) -> None:
    if outcomes > MOST_OUTCOMES:
        message = f"{assessors} assessors can say too many things on {grades} grades"
        remedy = "plan for fewer, for relevant or not, or for the pooled kappa"
        raise InvalidInput([Finding("Sample", None, "assessors", message, remedy)])


def _require(prevalence: Sequence[float], kappa: float, assessors: int, missing: float) -> None:
    findings = []
    if not 2 <= assessors <= MOST_ASSESSORS:
        message, remedy = f"{assessors} assessors of a pair cannot be planned for", f"2 to {MOST_ASSESSORS}"
        findings.append(Finding("Sample", None, "assessors", message, remedy))
    elif kappa < (lowest := lowest_kappa(prevalence, assessors)) - 1e-9:
        message = f"with these shares of the grades kappa of {assessors} assessors cannot be {kappa:g}"
        remedy = f"give {rounded_up(lowest):g} or more"
        findings.append(Finding("Sample", None, "kappa", message, remedy))
    findings += _of_missing(missing)
    if findings:
        raise InvalidInput(findings)


def _of_missing(missing: float) -> list[Finding]:
    if 0 <= missing <= MOST_NON_RESPONSE:
        return []
    message = f"the share of judgments that do not come cannot be {missing:g}"
    return [Finding("Sample", None, "missing", message, f"give 0 to {MOST_NON_RESPONSE:g}")]
