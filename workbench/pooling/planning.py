"""What a pool would cost before it is made: pairs by topic, from arrays of what runs reach, and hours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from workbench.errors import Finding, InvalidInput
from workbench.pooling.depth import DEPTH, check_known
from workbench.pooling.fusion.borda import BORDA
from workbench.pooling.fusion.combmnz import COMBMNZ
from workbench.pooling.fusion.combsum import COMBSUM
from workbench.pooling.fusion.rbp import RBP
from workbench.pooling.fusion.rrf import RRF
from workbench.pooling.run_tops import Marks, Places, Reached
from workbench.pooling.sampling.at_random import RANDOM
from workbench.pooling.sampling.strata import sample_sizes
from workbench.pooling.sampling.stratified import STRATIFIED, checked_strata
from workbench.pooling.strategies import ADAPTIVE
from workbench.pooling.take_n import TAKE_N

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

BUDGETED = (COMBSUM.name, COMBMNZ.name, BORDA.name, RRF.name, RBP.name, TAKE_N.name)
"""The strategies that take the same number of documents for every topic, wherever they stand."""

_Numbers = NDArray[np.float64]


class Certainty(StrEnum):
    """What a size says of the pool when it is made."""

    EXACT = "exact"
    EXPECTED = "expected"  # on average over the lots
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


def depth_read(strategy: str, values: Values) -> int | None:
    """How many documents of each run and topic a strategy reads; None where it reads all."""
    if strategy in ADAPTIVE:
        return int(values["depth"])
    if strategy == DEPTH.name:
        own = (*values["run_depths"].values(), *values["topic_depths"].values())
        return int(max((values["depth"], *own)))
    if strategy == RANDOM.name:
        return int(values["depth"])
    if strategy == STRATIFIED.name:
        return int(values["strata"][-1].last)
    return None


def depth_to_plan(strategy: str, values: Values, longest: Lengths, *, supplementary: bool = False) -> int:
    """How many documents of each run and topic must be known for the strategy's size.

    Of a budgeted strategy as many as the budget: either a list is that long, and fills the budget alone, or
    all lists are known whole. A topic with such a list needs nothing, unless what is known is left out.
    """
    read = depth_read(strategy, values)
    if read is not None:
        return read
    budget = int(values["budget"])
    if supplementary:
        return min(budget, max(longest.values(), default=0))
    return max((length for length in longest.values() if length < budget), default=0)


@dataclass(frozen=True, slots=True, eq=False)
class _Given:
    """What a size is reckoned from; `lists` has the length of each topic's longest list."""

    reach: Reached
    values: Values
    lists: Places
    supplementary: bool


def sizes(
    reach: Reached, *, strategy: str, values: Values, longest: Lengths, supplementary: bool = False
) -> Sizes:
    """The size that a strategy's pool would have; a supplementary one without what is known already.

    `reach` must go as deep as `depth_to_plan` says, and for a depth pool have its own depths; `longest` has
    the topics of the runs. What is left of a sample or a weighed choice when what is known is taken out of
    it depends on which documents it has: it is the expected number, or the largest that is possible.
    Raises WorkbenchError for what the strategy itself would refuse: own depths of runs or topics that are not
    there, and strata without a rate where there is no budget.
    """
    lists = np.array([longest.get(topic, 0) for topic in reach.topics], dtype=np.int64)
    counts, certainty = _SIZES[strategy](_Given(reach, values, lists, supplementary))
    return Sizes(reach.topics, tuple(counts.tolist()), certainty)


def one_step_larger(values: Values) -> dict[str, Any] | None:
    """The values of a pool one step larger, of budget or else of depth; None without either."""
    for name in ("budget", "depth"):
        if values.get(name):
            return {**values, name: values[name] + 1}
    return None


def growth_table(reach: Reached, depth: int) -> Places:
    """New pairs by topic (rows) and depth 1, 2, ... (columns), without what is known already."""
    fresh = ~reach.known & (reach.best <= depth)
    cells = reach.numbers[fresh] * depth + reach.best[fresh] - 1
    return np.bincount(cells, minlength=len(reach.topics) * depth).reshape(len(reach.topics), depth)


def _depth(given: _Given) -> tuple[_Numbers, Certainty]:
    check_known("run", given.values["run_depths"], set(given.reach.tags))
    check_known("topic", given.values["topic_depths"], set(given.reach.topics))
    return _fresh(given.reach, given.reach.best <= given.values["depth"]), Certainty.EXACT


def _take_n(given: _Given) -> tuple[_Numbers, Certainty]:
    if not given.supplementary:
        return _budgeted(given)
    order = np.lexsort((given.reach.first, given.reach.best, given.reach.numbers))
    sorted_numbers = given.reach.numbers[order]
    starts = np.searchsorted(sorted_numbers, np.arange(len(given.reach.topics)))
    taken = np.zeros(len(order), dtype=np.bool_)
    taken[order] = np.arange(len(order)) - starts[sorted_numbers] < given.values["budget"]
    return _fresh(given.reach, taken), Certainty.EXACT


def _budgeted(given: _Given) -> tuple[_Numbers, Certainty]:
    budget = given.values["budget"]
    candidates = np.maximum(given.reach.per_topic(given.reach.best > 0), given.lists)
    chosen = np.minimum(budget, candidates)
    if not given.supplementary:
        return chosen.astype(np.float64), Certainty.EXACT
    # Only where all lists are known whole is it known how many candidates are new.
    new = given.reach.per_topic(~given.reach.known)
    most = np.where(given.lists <= budget, np.minimum(chosen, new), chosen)
    return most.astype(np.float64), Certainty.AT_MOST


def _random(given: _Given) -> tuple[_Numbers, Certainty]:
    within = given.reach.best <= given.values["depth"]
    candidates = given.reach.per_topic(within)
    drawn = np.minimum(given.values["budget"], candidates)
    return _sampled(given, within, candidates, drawn)


def _adaptive(given: _Given) -> tuple[_Numbers, Certainty]:
    # What is known is told to the strategy, not handed out, and takes nothing of the budget.
    free = _fresh(given.reach, given.reach.best <= given.values["depth"])
    return np.minimum(free, given.values["budget"]), Certainty.EXACT


def _stratified(given: _Given) -> tuple[_Numbers, Certainty]:
    strata = checked_strata(given.values["strata"], given.values["budget"])
    members = [(given.reach.best >= one.first) & (given.reach.best <= one.last) for one in strata]
    by_stratum = np.array([given.reach.per_topic(within) for within in members])
    drawn = np.array(
        [sample_sizes(strata, column, given.values["budget"]) for column in by_stratum.T.tolist()]
    )
    total, certainty = np.zeros(len(given.reach.topics)), Certainty.EXACT
    for within, candidates, counts in zip(members, by_stratum, drawn.reshape(-1, len(strata)).T, strict=True):
        part, certainty = _sampled(given, within, candidates, counts)
        total += part
    return total, certainty


def _sampled(given: _Given, within: Marks, candidates: Places, drawn: Places) -> tuple[_Numbers, Certainty]:
    """What is new of a sample: on average the share that is new of all that can be drawn."""
    if not given.supplementary:
        return drawn.astype(np.float64), Certainty.EXACT
    new = given.reach.per_topic(within & ~given.reach.known)
    return drawn * new / np.maximum(candidates, 1), Certainty.EXPECTED


def _fresh(reach: Reached, chosen: Marks) -> _Numbers:
    return reach.per_topic(chosen & ~reach.known).astype(np.float64)


_SIZES: Mapping[str, Callable[[_Given], tuple[_Numbers, Certainty]]] = {
    **dict.fromkeys(BUDGETED, _budgeted),
    TAKE_N.name: _take_n,
    DEPTH.name: _depth,
    RANDOM.name: _random,
    STRATIFIED.name: _stratified,
    **dict.fromkeys(ADAPTIVE, _adaptive),
}
