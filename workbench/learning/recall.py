"""How much was found: recall estimated from documents drawn at random, and what drawing more would buy."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.errors import WorkbenchError
from workbench.learning.hypergeometric import marked_bounds

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class RandomShare:
    """Documents drawn at random from a whole collection, without replacement.

    `judged` counts those of the `drawn` that have a grade; `relevant` those of them that are relevant.
    """

    collection: int
    drawn: int
    judged: int
    relevant: int


@dataclass(frozen=True, slots=True)
class RecallEstimate:
    """Recall with its interval, from `drawn` random documents of which `relevant` are relevant.

    `value` is None where none of them is. `total` are the relevant documents that this comes to, between
    `total_low` and `total_high`; `method` names the interval.
    """

    found: int
    value: float | None
    low: float
    high: float
    total: float | None
    total_low: float
    total_high: float
    drawn: int
    relevant: int
    confidence: float
    method: str


def estimated_recall(share: RandomShare, found: int, *, confidence: float = CONFIDENCE) -> RecallEstimate:
    """The recall of `found` relevant documents, by the random share of the review that found them.

    The number of relevant documents in the collection is bounded by the exact two-sided hypergeometric
    interval, and there are at least as many as were found. The promise is for one look that was planned, not
    for the best of many. Drawn documents without a grade are left out, as if they had not been drawn. Raises
    WorkbenchError for impossible counts.
    """
    low, high = marked_bounds(
        share.relevant, population=share.collection, drawn=share.judged, confidence=confidence
    )
    low, high = max(low, found), max(high, found)
    total = None
    if share.relevant:
        total = max(share.relevant / share.judged * share.collection, float(found))
    return RecallEstimate(
        found,
        None if total is None else found / total,
        found / high if high else 0.0,
        found / low if low else 1.0,
        total,
        low,
        high,
        share.judged,
        share.relevant,
        confidence,
        "exact hypergeometric interval of the whole collection's relevant documents",
    )


@dataclass(frozen=True, slots=True)
class FurtherSample:
    """What `draws` more would buy: `to_read` of them are not read yet; the estimate `now` and `then`."""

    draws: int
    to_read: float
    now: RecallEstimate
    then: RecallEstimate

    @property
    def narrowed(self) -> float:
        """How much shorter the interval of recall becomes."""
        return (self.now.high - self.now.low) - (self.then.high - self.then.low)


def further_sample(
    share: RandomShare, *, found: int, read: int, draws: int, confidence: float = CONFIDENCE
) -> FurtherSample:
    """The recall to expect after `draws` more random documents, relevant at the same rate as so far.

    Of the further draws those that were `read` already cost nothing, which is why fewer are to be read;
    relevant ones among the others would be found. It is an expectation: the interval that comes may be wider
    or narrower. Raises WorkbenchError for fewer than one draw, or more than are left.
    """
    left = share.collection - share.drawn
    if not 1 <= draws <= left:
        message = f"{draws} more documents cannot be drawn: {left} are left"
        raise WorkbenchError(message, remedy=f"give 1 to {left}" if left else "all were drawn")
    now = estimated_recall(share, found, confidence=confidence)
    rate = share.relevant / share.judged if share.judged else 0.0
    relevant = share.relevant + round(rate * draws)
    undrawn_read = max(read - share.judged, 0)
    to_read = draws * max(left - undrawn_read, 0) / left
    unread = max(share.collection - read, 1)
    missed = 0.0 if now.total is None else max(now.total - found, 0.0)
    more = round(to_read * min(missed / unread, 1.0))
    then = estimated_recall(
        RandomShare(share.collection, share.drawn + draws, share.judged + draws, relevant),
        max(found + more, relevant),
        confidence=confidence,
    )
    return FurtherSample(draws, to_read, now, then)
