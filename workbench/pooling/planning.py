"""What a pool would cost before it is made: pairs by topic, from arrays of what runs reach, and hours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.docnos import Places
from workbench.errors import Finding, InvalidInput
from workbench.pooling.run_tops import Marks, Reached

LONGEST_SECONDS = 36_000
MOST_ASSESSORS = 10_000
_SECONDS_AN_HOUR = 3600


@dataclass(frozen=True, slots=True)
class JudgingWork:
    """How pairs are judged: by how many assessors each, by how many in all, at how many seconds a judgment.

    Raises InvalidInput with a finding for each number that cannot be, coded by its field.
    """

    per_pair: int
    assessors: int
    seconds: float

    def __post_init__(self) -> None:
        findings = []
        if self.per_pair < 1:
            findings.append(_finding("per_pair", "every pair is judged at least once", "give 1 or more"))
        if not 1 <= self.assessors <= MOST_ASSESSORS:
            findings.append(_finding("assessors", "somebody must judge", f"give 1 to {MOST_ASSESSORS:,}"))
        elif self.assessors < self.per_pair:
            message = f"{self.assessors} cannot judge every pair {self.per_pair} times, each of them once"
            findings.append(_finding("assessors", message, "give more assessors, or fewer judgments a pair"))
        if not 0 < self.seconds <= LONGEST_SECONDS:
            message = f"a judgment cannot take {self.seconds:g} seconds"
            findings.append(_finding("seconds", message, f"give more than 0, at most {LONGEST_SECONDS:,}"))
        if findings:
            raise InvalidInput(findings)

    def judgments(self, pairs: float) -> float:
        """How many judgments these pairs need."""
        return pairs * self.per_pair

    def hours(self, pairs: float) -> float:
        """The hours that all assessors need together."""
        return self.judgments(pairs) * self.seconds / _SECONDS_AN_HOUR

    def hours_each(self, pairs: float) -> float:
        """The hours of each assessor, where the work is shared evenly."""
        return self.hours(pairs) / self.assessors


def _finding(code: str, message: str, remedy: str) -> Finding:
    return Finding("Plan", None, code, message, remedy)


Values = Mapping[str, Any]
Lengths = Mapping[str, int]
"""The number of documents of the longest list, by topic."""

Counts = NDArray[np.float64]
"""Pairs by topic, in the order of the topics."""


class Certainty(StrEnum):
    """How far a planned size is the size of the pool when it is made."""

    EXACT = "exact"
    EXPECTED = "expected"  # on average over all samples
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True)
class Sizes:
    """The pairs of a pool by topic, topics sorted (bytes); whole numbers unless they are expected."""

    topics: tuple[str, ...]
    pairs: tuple[float, ...]
    certainty: Certainty

    @property
    def total(self) -> float:
        """The pairs of all topics."""
        return float(sum(self.pairs))


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """What the size of a planned pool is computed from: the runs, the strategy's values, and what is known.

    `longest` has the length of each topic's longest list. A supplementary pool leaves out what is known.
    """

    reach: Reached
    values: Values
    longest: Places
    supplementary: bool

    def new(self, chosen: Marks) -> Counts:
        """The chosen pairs by topic, without what is known already."""
        return self.reach.per_topic(chosen & ~self.reach.known).astype(np.float64)


Size = Callable[[Planned], tuple[Counts, Certainty]]
"""How many pairs of each topic a strategy's pool would have, and how certain that is."""


def size_of_budget(planned: Planned) -> tuple[Counts, Certainty]:
    """The size where every topic gets the same budget of documents, whichever they are."""
    budget = planned.values["budget"]
    candidates = np.maximum(planned.reach.per_topic(planned.reach.best > 0), planned.longest)
    chosen = np.minimum(budget, candidates)
    if not planned.supplementary:
        return chosen.astype(np.float64), Certainty.EXACT
    # Only where all lists are known whole is it known how many candidates are new.
    new = planned.reach.per_topic(~planned.reach.known)
    most = np.where(planned.longest <= budget, np.minimum(chosen, new), chosen)
    return most.astype(np.float64), Certainty.AT_MOST


def size_of_adaptive(planned: Planned) -> tuple[Counts, Certainty]:
    """The size of an adaptive pool: its budget, as far as there are documents within its depth."""
    # The strategy learns what is known; it is not handed out, and takes nothing from the budget.
    free = planned.new(planned.reach.best <= planned.values["depth"])
    return np.minimum(free, planned.values["budget"]), Certainty.EXACT


def size_of_sample(
    planned: Planned, within: Marks, candidates: Places, drawn: Places
) -> tuple[Counts, Certainty]:
    """The size of a sample, where `drawn` of the `candidates` of each topic, those `within`, are drawn.

    Of a supplementary pool it is the expected number: the share of the new among all that can be drawn.
    """
    if not planned.supplementary:
        return drawn.astype(np.float64), Certainty.EXACT
    new = planned.reach.per_topic(within & ~planned.reach.known)
    return drawn * new / np.maximum(candidates, 1), Certainty.EXPECTED


def growth_table(reach: Reached, depth: int) -> Places:
    """New pairs by topic (rows) and depth 1, 2, ... (columns), without what is known already."""
    fresh = ~reach.known & (reach.best <= depth)
    cells = reach.numbers[fresh] * depth + reach.best[fresh] - 1
    return np.bincount(cells, minlength=len(reach.topics) * depth).reshape(len(reach.topics), depth)
