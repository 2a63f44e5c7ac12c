"""What a random sample says of the documents it was drawn from: how many relevant ones these have."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import betainc, betaincinv, gammaln

from workbench.errors import WorkbenchError


def at_most(count: int, *, population: int, marked: int, drawn: int) -> float:
    """P(X <= count), X the marked ones among `drawn` of a population without replacement.

    >>> round(at_most(0, population=900, marked=2, drawn=60), 6)
    0.871042
    """
    low, high = max(0, drawn - (population - marked)), min(marked, drawn)
    if count >= high:
        return 1.0
    if count < low:
        return 0.0
    hits = np.arange(low, count + 1)
    logs = (
        _log_choose(marked, hits)
        + _log_choose(population - marked, drawn - hits)
        - _log_choose(population, np.array(drawn))
    )
    return float(min(np.exp(logs).sum(), 1.0))


def share_bounds(seen: int, drawn: int, *, confidence: float) -> tuple[float, float]:
    """Clopper and Pearson's two-sided interval of a share; raises WorkbenchError for impossible counts.

    >>> [round(bound, 6) for bound in share_bounds(2, 300, confidence=0.95)]
    [0.000808, 0.023873]
    """
    if not 0 <= seen <= drawn or not drawn:
        raise WorkbenchError(f"{seen} of {drawn} is not a share", remedy="draw at least one document")
    tail = (1 - confidence) / 2
    low = 0.0 if not seen else float(betaincinv(seen, drawn - seen + 1, tail))
    high = 1.0 if seen == drawn else float(betaincinv(seen + 1, drawn - seen, 1 - tail))
    return low, high


def binomial_at_most(count: int, trials: int, share: float) -> float:
    """P(X <= count) of so many trials with this probability.

    >>> round(binomial_at_most(13, 14, 0.8), 6)  # 1 - 0.8 ** 14
    0.95602
    """
    return 1.0 if count >= trials else float(betainc(trials - count, count + 1, 1 - share))


def _log_choose(
    total: int, chosen: np.ndarray[tuple[int, ...], np.dtype[np.int64]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.asarray(gammaln(total + 1) - gammaln(chosen + 1) - gammaln(total - chosen + 1))


CONFIDENCE = 0.95
"""Of all intervals; half of the error is on either side."""


@dataclass(frozen=True)
class ElusionSample:
    """A simple random sample of `drawn` of `left` documents: `judged` of it so far, `relevant` of these.

    Raises WorkbenchError for counts that cannot be.
    """

    left: int
    drawn: int
    judged: int
    relevant: int

    def __post_init__(self) -> None:
        if not 0 <= self.relevant <= self.judged <= self.drawn <= self.left or not self.drawn:
            raise WorkbenchError(
                f"{self.relevant} relevant of {self.judged} judged of {self.drawn} drawn of {self.left} is "
                "not a sample",
                remedy="draw at least one document",
            )

    @property
    def unjudged(self) -> int:
        """How many of the sample have no grade: the bounds allow for relevant and not."""
        return self.drawn - self.judged

    @cached_property
    def bounds(self) -> tuple[int, int]:
        """Fewest and most relevant documents among `left`, the sample's own included; exact at CONFIDENCE.

        Inverts both tails of the hypergeometric. Source: Buonaccorsi 1987, A note on confidence intervals
        for proportions in finite populations.
        """
        tail = (1 - CONFIDENCE) / 2
        most_seen = self.relevant + self.unjudged
        fewest, most = self.relevant, self.left - (self.drawn - most_seen)
        # Both tails are monotone in the number of relevant documents, so both ends are found by halving.
        lowest = fewest + bisect_left(
            range(fewest, most), True, key=lambda count: 1 - self._at_most(self.relevant - 1, count) > tail
        )
        beyond = bisect_left(
            range(most_seen + 1, most + 1), True, key=lambda count: self._at_most(most_seen, count) <= tail
        )
        return lowest, most_seen + beyond

    def _at_most(self, count: int, relevant: int) -> float:
        return at_most(count, population=self.left, marked=relevant, drawn=self.drawn)

    @property
    def estimate(self) -> float | None:
        """The judged documents' share of relevant ones, times `left`; None as long as nothing is judged."""
        return self.left * self.relevant / self.judged if self.judged else None

    def with_more(self, further: int) -> ElusionSample:
        """The sample with so many more drawn, all judged, if as large a share of it is relevant as now."""
        drawn = min(self.drawn + further, self.left)
        relevant = round(drawn * self.relevant / self.judged) if self.judged else 0
        return ElusionSample(self.left, drawn, drawn, relevant)


def bounds_of_sum(samples: Sequence[ElusionSample]) -> tuple[int, int]:
    """Fewest and most relevant documents among what samples of several topics were drawn from, together.

    Holds at CONFIDENCE or more whatever the topics share. A hypergeometric count is a sum of independent
    Bernoulli variables (Vatutin and Mikhailov 1982, Limit theorems for the number of empty cells), and so is
    the count of all samples. The tails of such a sum are not heavier than those of the binomial with the same
    mean, except within one of the mean (Hoeffding 1956, On the distribution of the number of successes in
    independent trials, theorem 4), which concerns at most one relevant or at most one other document: there
    the end is open. So Clopper and Pearson's interval holds for the mean of the count, which lies between the
    smallest and the largest sampled share of the relevant documents.
    """
    if len(samples) == 1:
        return samples[0].bounds
    if not samples:
        return 0, 0
    drawn = sum(one.drawn for one in samples)
    fewest_seen = sum(one.relevant for one in samples)
    most_seen = fewest_seen + sum(one.unjudged for one in samples)
    shares = [one.drawn / one.left for one in samples]
    low = 0.0 if fewest_seen <= 1 else share_bounds(fewest_seen, drawn, confidence=CONFIDENCE)[0]
    high = 1.0 if most_seen >= drawn - 1 else share_bounds(most_seen, drawn, confidence=CONFIDENCE)[1]
    # What is in the samples is certain: their relevant documents are missed, their others are not.
    possible = sum(one.left - one.drawn for one in samples) + most_seen
    # Rounded outwards, against the last digit of a quotient.
    least = int(-(-(drawn * low / max(shares) - 1e-9) // 1))
    most = int((drawn * high / min(shares) + 1e-9) // 1)
    return max(least, fewest_seen), min(most, possible)


def recall_bounds(known: int, missed: tuple[int, int]) -> tuple[float, float] | None:
    """The recall of `known` relevant documents, where so many are missed at least and at most.

    None where there may be no relevant document at all.
    """
    least, most = missed
    if not known + most:
        return None
    return known / (known + most), known / (known + least) if known + least else 1.0
