"""What two to ten assessors are expected to answer about a pair: every outcome with its probability.

For two assessors a table of shares says all: κ diag(p) + (1 − κ) p p′, the common correlation model (Donner
and Eliasziw 1992; Altaye, Donner and Klar 2001). With more than two assessors, each pair's grade distribution
is modelled as Dirichlet, matched to the expected pairwise table, so that any two assessors agree by κ; given
the first grade, theirs are Dirichlet-multinomial (Mosimann 1962). With θ = κ / (1 − κ), the grades of a pair
follow one after another with probability (p_k + θ n_k) / (1 + θ n), n_k of the n grades before being k
(Pólya's urn). Negative agreement is modelled by drawing without replacement: the same urn, with θ below 0
(Prentice 1986). For unpooled kappa, individual bias is added by the smallest possible reassignment of grades.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import ceil, comb, factorial

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.contingency import MISSING, Codes
from workbench.agreement.sample_request import MOST_ASSESSORS, OPTIONS, PlanRequest
from workbench.agreement.sample_size import Floats
from workbench.agreement.weights import Weights
from workbench.errors import Finding, InvalidInput

# Of rarer grades so many pairs would be needed that they cannot be counted.
RAREST = 1e-6


def expected_shares(prevalence: Sequence[float], kappa: float) -> Floats:
    """The shares of a table whose assessors both give the grades in these shares and agree by this kappa.

    Shape (grades, grades), lowest or highest first as given. Raises InvalidInput for shares that are none and
    for a kappa that they do not allow.

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
        message = f"a grade with a share of {rare[0]:g} cannot be planned for"
        findings.append(Finding("Sample", None, "prevalence", message, f"give 0, or {RAREST:.6f} or more"))
    if not -1 <= kappa < 1:
        message, remedy = f"kappa cannot be {kappa:g}", "give less than 1, as 0.6"
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

    The rarest grade p must suffice for all: p + (assessors - 1) kappa / (1 - kappa) is not negative. Source:
    Prentice 1986 for two grades.

    >>> round(lowest_kappa([0.5, 0.5], 2), 3), round(lowest_kappa([0.2, 0.8], 3), 3)
    (-1.0, -0.111)
    """
    theta = -min(share for share in prevalence if share > 0) / (assessors - 1)
    return theta / (1 + theta) if theta > -1 else -1.0


def rounded_up(kappa: float) -> float:
    """The next thousandth, never below: the lowest kappa that a message names is accepted."""
    return ceil(kappa * 1000) / 1000 + 0.0


def kappa_of_shares(shares: Floats) -> Floats:
    """The pooled kappas of tables of shares (..., q, q), NaN where there is none."""
    prevalence = (shares.sum(axis=-1) + shares.sum(axis=-2)) / 2
    observed, expected = np.trace(shares, axis1=-2, axis2=-1), (prevalence**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)


MOST_NON_RESPONSE = 0.99
# Simulating more outcomes takes too long to wait for.
MOST_OUTCOMES = 10_000
# As near as the urn can come to assessors who agree wholly but for their bias.
_NEAREST = 1 - 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeModel:
    """What assessors (rows of `codes`) may answer about a pair (columns), each outcome with its probability.

    Codes are places of `grades` grades, MISSING where an assessor gives none; the first always gives one.
    """

    codes: Codes
    probabilities: Floats
    grades: int

    @property
    def assessors(self) -> int:
        """How many there are."""
        return len(self.codes)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The first assessor's grade; shape (outcomes,)."""
        first: NDArray[np.int64] = self.codes[0].astype(np.int64)
        return first

    @property
    def by_label(self) -> Floats:
        """The probability of each first label; shape (grades,)."""
        return np.bincount(self.labels, self.probabilities, minlength=self.grades).astype(np.float64)


def outcome_model(
    shares: Floats,
    request: PlanRequest,
    *,
    bias: Floats | None = None,
    lowest: float | None = None,
) -> OutcomeModel:
    """What the assessors of a request are expected to answer, any two of whom have this table of `shares`.

    Of the table, more than two use the shares of the grades and the pooled kappa by the target's weights;
    where that is lower than so many can have (as a measured one may be), `lowest` replaces it if given.
    `bias` (people, grades) has, for those whom the unpooled kappa tells apart, how far their shares of the
    grades are from the others'; the remaining assessors have none. Raises InvalidInput for what is
    impossible.
    """
    target, assessors, missing = request.target, request.assessors, request.non_response
    prevalence = (shares.sum(axis=0) + shares.sum(axis=1)) / 2
    weights = target.weights_of(len(shares))
    by_chance = float(prevalence @ weights @ prevalence)
    individual = target.method == "unpooled" and (assessors > 2 or bias is not None)
    if by_chance <= 1e-12 or (assessors == 2 and not individual):
        return two_assessor_model(shares, missing=missing)
    kappa = 1 - float((shares * weights).sum()) / by_chance
    if lowest is not None:
        kappa = max(kappa, lowest)
    if not individual:
        return exchangeable_model(prevalence.tolist(), kappa, assessors, missing=missing)
    marginals = np.broadcast_to(prevalence, (assessors, len(shares))).copy()
    if bias is not None:
        # Of k assessors one is (k - 1) / k as far from the mean of all as from the others'.
        known = bias[:assessors] * (assessors - 1) / assessors
        marginals[: len(known)] += known
        marginals -= known.sum(axis=0) / assessors
        marginals = np.maximum(marginals, 0.0)
        marginals /= marginals.sum(axis=1, keepdims=True)
    return biased_model(marginals, kappa, weights=weights, missing=missing)


def two_assessor_model(shares: Floats, *, missing: float = 0.0) -> OutcomeModel:
    """Two assessors from the table (q, q) that is expected of them; the second skips a share `missing`."""
    if findings := _of_missing(missing):
        raise InvalidInput(findings)
    return _of_tensor(shares, missing)


def exchangeable_model(
    prevalence: Sequence[float], kappa: float, assessors: int, *, missing: float = 0.0
) -> OutcomeModel:
    """Assessors who all give the grades in these shares, any two of whom agree by this kappa.

    Each of the others gives no grade with probability `missing`. Which of the others gives which grade makes
    no difference, so that outcomes do not tell them apart. Raises InvalidInput for too many assessors and too
    low a kappa.
    """
    _require(prevalence, kappa, assessors, missing)
    q, others = len(prevalence), assessors - 1
    _require_few(q * comb(assessors + q - 2 + (missing > 0), assessors - 1), assessors, q)
    codes, probabilities = [], []
    for there in range(others + 1) if missing else (others,):
        chance = comb(others, there) * (1 - missing) ** there * missing ** (others - there)
        for kind in combinations_with_replacement(range(q), there):
            counts = [kind.count(grade) for grade in range(q)]
            ways = factorial(there) / np.prod([factorial(n) for n in counts])
            for first in range(q):
                codes.append([first, *kind, *[MISSING] * (others - there)])
                probabilities.append(chance * ways * _polya([first, *kind], prevalence, kappa))
    return OutcomeModel(np.array(codes, dtype=np.int8).T, np.array(probabilities), q)


def biased_model(marginals: Floats, kappa: float, *, weights: Weights, missing: float = 0.0) -> OutcomeModel:
    """Assessors who give the grades each in shares of their own, (assessors, q), and agree by pooled kappa.

    Latent grades are those of assessors who are alike; where somebody is stricter or more lenient than the
    mean, as few of these as possible change to a neighbouring grade, independently of the others. The kappa
    (by `weights`) of the latent grades is so much higher that the given grades have the one that is asked
    for, or as near as such assessors can come. Raises InvalidInput as `exchangeable_model` does.
    """
    assessors, q = marginals.shape
    mean = marginals.mean(axis=0)
    changes = [_reassignment(mean, own) for own in marginals]
    kappa = _latent_kappa(mean, changes, kappa, weights)
    kappa = min(max(kappa, lowest_kappa(mean.tolist(), assessors)), _NEAREST)
    _require(mean.tolist(), kappa, assessors, missing)
    _require_few(q * (q + (missing > 0)) ** (assessors - 1), assessors, q)
    tensor = np.array(
        [_polya(grades, mean.tolist(), kappa) for grades in product(range(q), repeat=assessors)]
    ).reshape((q,) * assessors)
    for axis, change in enumerate(changes):
        tensor = np.moveaxis(np.tensordot(tensor, change, axes=(axis, 0)), -1, axis)
    return _of_tensor(tensor, missing)


def _of_tensor(tensor: Floats, missing: float) -> OutcomeModel:
    """Every outcome of an array with one axis for each assessor; all but the first may give no grade."""
    q, assessors = len(tensor), tensor.ndim
    codes_there = [*range(q), MISSING] if missing else [*range(q)]
    for axis in range(1, assessors) if missing else ():
        nothing = missing * tensor.sum(axis=axis, keepdims=True)
        tensor = np.concatenate([(1 - missing) * tensor, nothing], axis=axis)
    axes = [range(q), *[codes_there] * (assessors - 1)]
    codes = np.array([*product(*axes)], dtype=np.int8).T
    return OutcomeModel(codes, tensor.ravel() / tensor.sum(), q)


def _polya(grades: Sequence[int], prevalence: Sequence[float], kappa: float) -> float:
    """The probability of grades, one after another, from an urn that gains or loses theta of each."""
    theta, chance = kappa / (1 - kappa), 1.0
    seen = [0] * len(prevalence)
    for at, grade in enumerate(grades):
        # What is used up is 0 but for rounding.
        chance *= max(prevalence[grade] + seen[grade] * theta, 0.0) / (1 + at * theta)
        seen[grade] += 1
    return chance


def _reassignment(mean: Floats, own: Floats) -> Floats:
    """The probability of one's own grade (columns) given the latent one (rows): as few as possible change."""
    upper, lower = np.cumsum(mean), np.cumsum(own)
    both = np.minimum(upper[:, np.newaxis], lower)
    both -= np.maximum((upper - mean)[:, np.newaxis], lower - own)
    both = np.maximum(both, 0.0)
    total = both.sum(axis=1, keepdims=True)
    found: Floats = np.where(total > 0, both / np.where(total > 0, total, 1.0), np.eye(len(mean)))
    return found


def _latent_kappa(mean: Floats, changes: Sequence[Floats], kappa: float, weights: Weights) -> float:
    """The kappa of the latent grades that leads to the pooled one asked for, which is linear in it."""
    agreed, by_chance = 0.0, 0.0
    for one, other in ((a, b) for a in range(len(changes)) for b in range(a)):
        disagreement = changes[one] @ weights @ changes[other].T
        agreed += float((mean * np.diag(disagreement)).sum())
        by_chance += float(mean @ disagreement @ mean)
    two = len(changes) * (len(changes) - 1) / 2
    target = (1 - kappa) * float(mean @ weights @ mean)
    between = (by_chance - agreed) / two
    return (by_chance / two - target) / between if between > 0 else kappa


def _require_few(outcomes: int, assessors: int, grades: int) -> None:
    if outcomes > MOST_OUTCOMES:
        message = f"{assessors} assessors and {grades} grades have too many outcomes"
        remedy = "plan for fewer assessors, for relevant or not, or for the pooled kappa"
        raise InvalidInput([Finding("Sample", None, "assessors", message, remedy)])


def _require(prevalence: Sequence[float], kappa: float, assessors: int, missing: float) -> None:
    findings = []
    if not 2 <= assessors <= MOST_ASSESSORS:
        message, remedy = f"{assessors} assessors per pair cannot be planned for", f"2 to {MOST_ASSESSORS}"
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
    option = OPTIONS["non_response"]
    message = f"{option.what} cannot be {missing:g}"
    return [Finding("Sample", None, option.address, message, f"give 0 to {MOST_NON_RESPONSE:g}")]
