"""How many documents two assessors must both judge to know their agreement to a given half width.

The large-sample variance of one document's influence on the coefficient (Bloch and Kraemer 1989 for the
pooled kappa) is divided by the documents, and raised for those of a topic being alike by 1 + (m - 1) icc, m
of them a topic (Kish 1965). With few topics Student's t takes the place of the normal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from workbench.agreement.coefficients import coefficient_named
from workbench.agreement.intervals import LEVEL, student_t
from workbench.agreement.jackknife import freedom
from workbench.agreement.ratings import MISSING, Ratings
from workbench.agreement.tally import quotient
from workbench.errors import Finding, InvalidInput
from workbench.frozen import frozen_dataclass

PLANNED = ("pooled", "gwet")
"""The coefficients with a formula; alpha is within .003 of the pooled kappa."""
KAPPA, RELEVANT, ICC, TOPICS, HALF_WIDTH = 0.5, 0.2, 0.05, 50, 0.1
"""What is expected where nothing is known: as usual for relevance, of 50 topics."""
FEWEST_OF_A_KIND = 10
"""Documents that both call relevant, and that they differ on: of fewer no interval covers what it should."""


@frozen_dataclass
class SizeRequest:
    """What is asked: the coefficient's `half_width` at a `level`, and what is expected.

    `kappa` is the pooled kappa of the two, `relevant` the share of relevant documents, `icc` how much alike
    the documents of one topic are in their influence on the coefficient (0: no more than others), and
    `topics` how many equally rich topics there are. Raises InvalidInput for what cannot be.
    """

    coefficient: str = "pooled"
    half_width: float = HALF_WIDTH
    kappa: float = KAPPA
    relevant: float = RELEVANT
    topics: int = TOPICS
    icc: float = ICC
    level: float = LEVEL

    def __post_init__(self) -> None:
        checks: Sequence[tuple[str, str, float, float, float]] = (
            ("half_width", "the half width", self.half_width, 0.01, 0.5),
            ("kappa", "kappa", self.kappa, 0.0, 0.99),
            ("relevant", "the share of relevant documents", self.relevant, 0.001, 0.999),
            ("topics", "the number of topics", self.topics, 5, 100_000),
            ("icc", "the correlation within topics", self.icc, 0.0, 1.0),
            ("level", "the level", self.level, 0.5, 0.999),
        )
        findings = [
            Finding("Size", None, field, f"{what} cannot be {value:g}", f"give {low:g} to {high:g}")
            for field, what, value, low, high in checks
            if not low <= value <= high
        ]
        if self.coefficient not in PLANNED:
            message = f"there is no formula for {self.coefficient!r}"
            findings.append(
                Finding("Size", None, "coefficient", message, f"choose one of {', '.join(PLANNED)}")
            )
        if findings:
            raise InvalidInput(findings)

    @property
    def value(self) -> float:
        """The expected value of the coefficient."""
        agreed, chance, _ = self._parts
        return (agreed - chance) / (1 - chance)

    @property
    def _cells(self) -> tuple[float, float, float]:
        """The shares of documents that both call relevant, that they differ on, and that neither does."""
        p, k = self.relevant, self.kappa
        apart = 2 * p * (1 - p) * (1 - k)
        return p - apart / 2, apart, 1 - p - apart / 2

    @property
    def _parts(self) -> tuple[float, float, float]:
        """Agreement, that by chance, and how the latter changes with the share of relevant documents."""
        p, sign = self.relevant, 1.0 if self.coefficient == "gwet" else -1.0
        chance = 2 * p * (1 - p)
        return 1 - self._cells[1], chance if sign > 0 else 1 - chance, sign * 2 * (1 - 2 * p)

    @property
    def variance(self) -> float:
        """The variance of one document's influence on the coefficient."""
        agreed, chance, slope = self._parts
        value = self.value
        influence = np.array([
            (agree - agreed) / (1 - chance) - (1 - value) * slope * (share - self.relevant) / (1 - chance)
            for agree, share in ((1, 1.0), (0, 0.5), (1, 0.0))
        ])  # fmt: skip
        return float(np.array(self._cells) @ influence**2)

    @property
    def fewest(self) -> int:
        """The fewest documents with FEWEST_OF_A_KIND of each kind that decides the coefficient."""
        both, apart, neither = self._cells
        return ceil(FEWEST_OF_A_KIND / min(both, apart, max(neither, 1e-9)) - 1e-6)


@frozen_dataclass
class SampleSize:
    """How many documents both must judge: `documents`, `per_topic` of each topic.

    The coefficient is then known to `half_width` for topics like these, in half of all samples or more, and
    to `of_these` for these topics alone. `documents` is None where so few topics cannot give the half width:
    then `half_width` is what any number of documents cannot be below, and `topics_needed` topics would do.
    """

    request: SizeRequest
    documents: int | None
    per_topic: int | None
    half_width: float
    of_these: float | None
    topics_needed: int | None = None

    @property
    def raised(self) -> bool:
        """Whether more documents are needed than for the half width, so that the interval can be trusted."""
        return self.documents is not None and self.half_width < self.request.half_width * 0.95

    @property
    def in_words(self) -> str:
        """The answer in a sentence."""
        asked = self.request
        if self.documents is None:
            more = f"; {self.topics_needed:,} topics would be enough" if self.topics_needed else ""
            return (
                f"{asked.topics:,} topics cannot give ± {asked.half_width:g}, however many documents are "
                f"judged: the limit is ± {self.half_width:.3f}{more}."
            )
        return (
            f"{self.documents:,} documents judged by both, {self.per_topic:,} in each of {asked.topics:,} "
            f"topics: ± {self.half_width:.3f} for topics like these, ± {self.of_these:.3f} for these topics "
            "alone."
        )


def sample_size(request: SizeRequest) -> SampleSize:
    """The documents that a request needs, as many in each topic."""
    variance, topics = request.variance, request.topics
    point = student_t((1 + request.level) / 2, freedom(topics))

    def half_width(per_topic: float) -> float:
        alike = 1 + (per_topic - 1) * request.icc if per_topic > 1 else 1.0
        return point * sqrt(variance * alike / (per_topic * topics))

    exact = (point / request.half_width) ** 2 * variance / topics
    # n / T (1 - icc) documents of each topic, less what their correlation takes away.
    left = 1 - exact * request.icc
    if left <= 0:
        return SampleSize(request, None, None, half_width(1e9), None, _topics_needed(request))
    per_topic = max(ceil(exact * (1 - request.icc) / left - 1e-6), ceil(request.fewest / topics), 1)
    of_these = student_t((1 + request.level) / 2, per_topic * topics - 1) * sqrt(
        variance / (per_topic * topics)
    )
    return SampleSize(request, per_topic * topics, per_topic, half_width(per_topic), of_these)


def _topics_needed(request: SizeRequest) -> int:
    """How many topics would give the half width with twice as many documents as topics cannot use."""
    topics = request.topics
    while True:
        point = student_t((1 + request.level) / 2, freedom(topics))
        if point**2 * request.variance * request.icc * 2 <= request.half_width**2 * topics:
            return topics
        topics += max(1, topics // 50)


def intraclass_correlation(ratings: Ratings, name: str = "pooled") -> float | None:
    """The intraclass correlation of the documents of a topic in their influence on a coefficient, 0 to 1.

    None where it is undefined. By analysis of variance; negative estimates count as 0. Source: Donner and
    Koval 1980. The influence is that on the pooled kappa or AC1 of two grades, from the shares of each
    document.
    """
    coefficient_named(name)
    there = ratings.codes != MISSING
    raters = there.sum(axis=0)
    several = raters > 1
    if not several.any() or len(ratings.categories) != 2:
        return None
    k, relevant = raters[several], (ratings.codes == 0).sum(axis=0)[several]
    agree = (relevant * (relevant - 1) + (k - relevant) * (k - relevant - 1)) / (k * (k - 1))
    share = relevant / k
    p = float(share.mean())
    chance, sign = (2 * p * (1 - p), 1.0) if name == "gwet" else (1 - 2 * p * (1 - p), -1.0)
    if chance >= 1:
        return None
    value = (float(agree.mean()) - chance) / (1 - chance)
    influence = agree - (1 - value) * sign * 2 * (1 - 2 * p) * share
    found = _intraclass(influence, ratings.topics[several])
    return found if isfinite(found) else None


def _intraclass(influence: NDArray[np.float64], topics: NDArray[np.int64]) -> float:
    sizes = np.bincount(topics).astype(np.float64)
    there = sizes > 0
    n, k = len(influence), int(there.sum())
    if k < 2 or n <= k:
        return float("nan")
    means = quotient(np.bincount(topics, influence), sizes)
    between = float((sizes * (means - influence.mean()) ** 2)[there].sum()) / (k - 1)
    within = float(((influence - means[topics]) ** 2).sum()) / (n - k)
    usual = (n - float((sizes**2).sum()) / n) / (k - 1)
    below = between + (usual - 1) * within
    return min(max((between - within) / below, 0.0), 1.0) if below > 0 else float("nan")
