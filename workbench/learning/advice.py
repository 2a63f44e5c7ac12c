"""WHEN to stop a review that goes on: what was found, how much there may be, and what each rule says now."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.learning.missed import ElusionSample, recall_bounds
from workbench.learning.review import Review
from workbench.learning.stopping import STOPPING_RULES, ReviewTrace, StoppingGoal, StoppingRule, StopPoint

FEWEST = 3


@dataclass(frozen=True, slots=True)
class RecallEstimate:
    """The recall of `found` relevant documents, with its exact 95 % interval.

    `value` is None where fewer than `FEWEST` relevant documents were drawn from the unread ones, which says
    too little for a single figure. The interval is None where there may be no relevant document at all.
    """

    found: int
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class FurtherSample:
    """What to expect of `documents` more random ones, all judged, as many of them relevant as so far."""

    documents: int
    recall: RecallEstimate


@dataclass(frozen=True, slots=True)
class StoppingAdvice:
    """A review as it stands: `judged` documents, `found` relevant ones, and what the rules say.

    `unread` documents the learner's reading has not come to; `sample` are the random ones among them, None
    where there is none.
    """

    goal: StoppingGoal
    trace: ReviewTrace
    judged: int
    found: int
    unread: int
    sample: ElusionSample | None
    recall: RecallEstimate
    stops: tuple[tuple[StoppingRule, StopPoint], ...]

    @property
    def left_to_sample(self) -> int:
        """Unread documents that were not drawn."""
        return self.unread - (self.sample.drawn if self.sample else 0)

    def further(self, documents: int) -> FurtherSample:
        """What so many more random unread documents would say; the interval that comes may be another.

        Where nothing was sampled yet, none of them is taken to be relevant. Raises WorkbenchError for fewer
        than one, or more than are left.
        """
        if not 1 <= documents <= self.left_to_sample:
            message = f"{documents} more documents cannot be drawn: {self.left_to_sample} are left"
            remedy = f"give 1 to {self.left_to_sample}" if self.left_to_sample else "all were drawn"
            raise WorkbenchError(message, remedy=remedy)
        if self.sample is None:
            then = ElusionSample(self.unread, documents, documents, 0)
            return FurtherSample(documents, estimated_recall(self.found, self.unread, then))
        then = self.sample.with_more(documents)
        found = self.found + then.relevant - self.sample.relevant
        return FurtherSample(documents, estimated_recall(found, self.unread, then))


def estimated_recall(found: int, unread: int, sample: ElusionSample | None) -> RecallEstimate:
    """The recall of `found` relevant documents, of which a sample of the `unread` has some.

    The learner knows nothing of what is drawn, so the drawn documents that its reading has not come to are a
    simple random sample of all that it has not come to. That bounds the relevant ones among these; those of
    the sample itself are found. The interval is for one look that was planned, not for the best of many.
    """
    own = sample.relevant if sample else 0
    least, most = sample.bounds if sample else (0, unread)
    low, high = recall_bounds(found, (least - own, most - own)) or (None, None)
    value = None
    if low is not None and low == high:
        value = low
    elif sample is not None and sample.estimate is not None and own >= FEWEST:
        value = found / (found + max(sample.estimate - own, 0.0))
    return RecallEstimate(found, value, low, high)


def stopping_advice(review: Review, goal: StoppingGoal) -> StoppingAdvice:
    """What every rule of the registry says of a review as it stands; nothing changes."""
    trace, sample = review.trace(), review.unread_sample()
    judged = review.grades
    found = sum(judged.values())
    unread = int(review.ahead.sum())
    return StoppingAdvice(
        goal,
        trace,
        len(judged),
        found,
        unread,
        sample,
        estimated_recall(found, unread, sample),
        tuple((rule, rule.stop(trace, goal)) for rule in STOPPING_RULES.values()),
    )
