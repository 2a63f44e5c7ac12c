"""WHEN to stop reading: the rules, all over the same trace of a review.

A rule is advice: nothing here ends a review.

To add a rule: a function of a `ReviewTrace` and a `StoppingGoal` that returns a `StopPoint`, behind it a
`StoppingRule` (name, definition, what it assumes, source, whether it promises anything), and its name in
`STOPPING_RULES`. `workbench simulate`, its help, the manual and the laws of the tests take it from there.

Decisions:

- Rules look at the ends of rounds, where the learner learns anew, and count documents, as the papers do; one
  public implementation counts rounds, which is the same only while all rounds are of one size.
- Documents that a rule has drawn at random are read: a stop counts them, and what was found in them.
- A rule that can never be satisfied says so instead of reading everything in silence.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from math import ceil, floor, log

import numpy as np

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.learning.missed import at_most, binomial_at_most
from workbench.learning.vectors import Bools, Numbers


@frozen_dataclass
class StoppingGoal:
    """The recall to reach, and how sure to be of it; rules that promise nothing may ignore both.

    Raises WorkbenchError unless both are between 0 and 1.
    """

    recall: float = 0.8
    confidence: float = 0.95

    def __post_init__(self) -> None:
        for name, value in (("recall", self.recall), ("confidence", self.confidence)):
            if not 0 < value < 1:
                raise WorkbenchError(
                    f"a {name} of {value} cannot be a goal", remedy="give a number between 0 and 1"
                )


@frozen_dataclass
class RandomOrder:
    """Documents in the order in which they are drawn at random, the learner knowing nothing of it.

    `relevant` (drawn,) and `read_at` (drawn,), the place from 1 at which the learner's reading comes to each,
    or 0 where it has not.
    """

    relevant: Bools
    read_at: Numbers


@frozen_dataclass
class ReviewTrace:
    """One topic's review: `relevant` (read,) in the order of reading, `ends` (rounds,) read by then.

    `drawn` is for the rules that need it.
    """

    collection: int
    relevant: Bools
    ends: Numbers
    drawn: RandomOrder | None = None

    @property
    def found(self) -> Numbers:
        """Relevant documents among the first n read, for n = 0, 1 ...; shape (read + 1,)."""
        return np.concatenate(([0], np.cumsum(self.relevant)))


@frozen_dataclass
class StopPoint:
    """Where a rule would have stopped: documents read, relevant ones found, and why.

    `read` counts everything, also what the rule itself had drawn; it is None where the rule has not stopped.
    """

    read: int | None
    found: int | None
    reason: str


@frozen_dataclass
class StoppingRule:
    """A rule for when enough is read.

    `definition` says when it stops and `assumes` what must be true for that to mean anything. `promise` says
    what it guarantees, empty where it guarantees nothing.
    """

    name: str
    definition: str
    assumes: str
    promise: str
    source: str
    stop: Callable[[ReviewTrace, StoppingGoal], StopPoint]


def not_stopped(reason: str) -> StopPoint:
    """A rule that has not stopped, and why."""
    return StopPoint(None, None, reason)


def stopped_at(trace: ReviewTrace, read: int, reason: str) -> StopPoint:
    """A stop after the first `read` documents of the learner's order."""
    return StopPoint(read, int(trace.relevant[:read].sum()), reason)


def stopped_with_draws(
    trace: ReviewTrace, drawn: RandomOrder, draws: int, read: int, reason: str
) -> StopPoint:
    """A stop after the first `read` documents and the first `draws` random ones, each counted once."""
    unread = (drawn.read_at[:draws] == 0) | (drawn.read_at[:draws] > read)
    more = int((drawn.relevant[:draws] & unread).sum())
    return StopPoint(read + int(unread.sum()), int(trace.relevant[:read].sum()) + more, reason)


TARGETS = 10


def draws_for(drawn: RandomOrder, positives: int) -> int | None:
    """How many random documents it takes to draw so many relevant ones; None where there are not as many."""
    found = np.flatnonzero(drawn.relevant)
    return int(found[positives - 1]) + 1 if len(found) >= positives else None


def target(trace: ReviewTrace, _goal: StoppingGoal) -> StopPoint:
    """Draw until `TARGETS` relevant documents are found; stop when the learner has found them all."""
    if trace.drawn is None:
        return not_stopped("needs random documents that the learner does not know")
    draws = draws_for(trace.drawn, TARGETS)
    if draws is None:
        if len(trace.drawn.relevant) < trace.collection:
            return not_stopped(f"fewer than {TARGETS} relevant documents were drawn")
        everything = int(trace.drawn.relevant.sum())
        return StopPoint(
            trace.collection,
            everything,
            f"there are fewer than {TARGETS} relevant documents: every document was drawn",
        )
    places = trace.drawn.read_at[:draws][trace.drawn.relevant[:draws]]
    if not places.all():
        return not_stopped("not all targets are found")
    reason = f"all {TARGETS} relevant documents of {draws} random ones are found"
    return stopped_with_draws(trace, trace.drawn, draws, int(places.max()), reason)


TARGET_RULE = StoppingRule(
    "target",
    "draw at random until 10 relevant documents are found, then read until the learner has found all of them",
    "the learner does not know what was drawn",
    "recall of at least 0.7 in 95 % of topics, whatever the goal",
    "Cormack and Grossman 2016",
    target,
)


_STEEPEST, _FEWEST = 156, 150


def slope_ratios(trace: ReviewTrace) -> Iterator[tuple[int, int, float]]:
    """Read, found and the greatest slope ratio at the end of each round from the second on.

    With r_i found in s_i documents at an earlier round's end: (r_i / s_i) / ((1 + r - r_i) / (s - s_i)), the
    slope before the knee over the slope after it; the knee is where this is greatest.
    Source: Cormack and Grossman 2016, with slopes per document.
    """
    found = trace.found[trace.ends].astype(np.float64)
    read = trace.ends.astype(np.float64)
    for now in range(1, len(read)):
        before = found[:now] / read[:now]
        after = (1 + found[now] - found[:now]) / (read[now] - read[:now])
        yield int(read[now]), int(found[now]), float((before / after).max())


def threshold(found: int) -> int:
    """The slope ratio at which to stop: 156 - min(found, 150).

    >>> threshold(0), threshold(47), threshold(1000)
    (156, 109, 6)
    """
    return _STEEPEST - min(found, _FEWEST)


def knee(trace: ReviewTrace, _goal: StoppingGoal) -> StopPoint:
    """Stop at the first round's end whose slope ratio reaches the threshold; see `slope_ratios`."""
    for read, found, ratio in slope_ratios(trace):
        if ratio >= threshold(found):
            return stopped_at(trace, read, f"slope ratio {ratio:.1f}, at least {threshold(found)}")
    return not_stopped("the curve has not bent enough")


KNEE = StoppingRule(
    "knee",
    "the slope of found against read before the knee is 156 - min(found, 150) times the slope after it",
    "relevant documents come early, in one rise: if some are unlike the rest, it nearly always stops too "
    "soon; with few relevant documents it stops late",
    "",
    "Cormack and Grossman 2016",
    knee,
)


POSITIVES = 30


def smallest_sample(goal: StoppingGoal) -> int:
    """The fewest sampled relevant documents that can certify the goal: recall ** r <= 1 - confidence.

    >>> [smallest_sample(StoppingGoal(recall)) for recall in (0.7, 0.8, 0.9, 0.95)]
    [9, 14, 29, 59]
    """
    # What is a whole number but for rounding must not become the next.
    return max(1, ceil(log(1 - goal.confidence) / log(goal.recall) - 1e-9))


def needed_of(positives: int, goal: StoppingGoal) -> int | None:
    """How many of so many sampled relevant documents must be found; None where the sample is too small.

    The smallest j with P(X <= j - 1) >= confidence, X ~ Binomial(positives, recall): were recall below the
    goal, j would be found with at most 1 - confidence.

    >>> needed_of(14, StoppingGoal(0.8)), needed_of(30, StoppingGoal(0.8)), needed_of(13, StoppingGoal(0.8))
    (14, 28, None)
    """
    for needed in range(1, positives + 1):
        if binomial_at_most(needed - 1, positives, goal.recall) >= goal.confidence:
            return needed
    return None


def qbcb(trace: ReviewTrace, goal: StoppingGoal) -> StopPoint:
    """Stop when the learner has found as many of the sample's relevant documents as `needed_of` says.

    The sample has `POSITIVES` relevant documents, or as many as the goal needs at least. The size must be
    chosen before the sample is looked at.
    """
    if trace.drawn is None:
        return not_stopped("needs random documents that the learner does not know")
    positives = max(POSITIVES, smallest_sample(goal))
    draws = draws_for(trace.drawn, positives)
    if draws is None:
        if len(trace.drawn.relevant) < trace.collection:
            return not_stopped(
                f"cannot be certified yet: fewer than {positives} relevant documents were drawn"
            )
        everything = int(trace.drawn.relevant.sum())
        reason = (
            f"cannot be certified: there are fewer than {positives} relevant documents, and every document "
            "was drawn"
        )
        return StopPoint(trace.collection, everything, reason)
    needed = needed_of(positives, goal)
    places = np.sort(trace.drawn.read_at[:draws][trace.drawn.relevant[:draws]])
    reached = places[places > 0]
    if needed is None or len(reached) < needed:
        return not_stopped(f"{len(reached)} of {positives} sampled relevant documents are found")
    reason = f"{needed} of {positives} relevant documents of {draws} random ones are found"
    return stopped_with_draws(trace, trace.drawn, draws, int(reached[needed - 1]), reason)


QBCB = StoppingRule(
    "qbcb",
    "draw at random until 30 relevant documents are found (59 for recall 0.95), then read until the learner "
    "has found as many of them as a binomial test of the goal asks for",
    "the learner does not know what was drawn, and the size of the sample was fixed before",
    "the recall of the goal, with its confidence",
    "Lewis, Yang and Frieder 2021",
    qbcb,
)


LOOKS = 5
"""Samples that may be drawn; each has a fifth of the error, so that all have the promised one."""
DRY = 10
"""A round of so many documents without a relevant one calls for a sample."""


def sample_needed(unread: int, found: int, goal: StoppingGoal) -> int | None:
    """The smallest sample whose being empty rejects that recall is below the goal; None where none does.

    Were recall below, at least K = floor(found / recall) - found + 1 of the unread documents would be
    relevant; the sample is as large as P(none of them drawn) <= (1 - confidence) / `LOOKS` needs.
    """
    marked = floor(found / goal.recall + 1e-9) - found + 1
    if marked > unread:
        return 0
    error = (1 - goal.confidence) / LOOKS
    sizes = range(1, unread - marked + 1)
    return 1 + bisect_left(
        sizes, True, key=lambda size: at_most(0, population=unread, marked=marked, drawn=size) <= error
    )


def elusion(trace: ReviewTrace, goal: StoppingGoal) -> StopPoint:
    """After a dry round draw a sample of the unread; stop if nothing in it is relevant, else read on.

    A sample of more than half of the unread documents is not drawn. What was drawn is read, and its relevant
    documents count as found.
    """
    if trace.drawn is None:
        return not_stopped("needs random documents that the learner does not know")
    drawn, sampled = trace.drawn, np.zeros(len(trace.drawn.relevant), dtype=np.bool_)
    looks, end_before, found_before = 0, 0, 0
    lacking = None
    for end, found in zip(trace.ends.tolist(), trace.found[trace.ends].tolist(), strict=True):
        dry = found == found_before and end - end_before >= DRY
        end_before, found_before = end, found
        if not dry or looks == LOOKS:
            continue
        ahead = (drawn.read_at == 0) | (drawn.read_at > end)
        # What earlier samples found beside the reading.
        more = int((sampled & ahead & drawn.relevant).sum())
        places = np.flatnonzero(ahead & ~sampled)
        unread = trace.collection - end - int((sampled & ahead).sum())
        size = sample_needed(unread, found + more, goal)
        if size is None or size > unread / 2:
            continue
        if size > len(places):
            lacking = f"a sample of {size} unread documents is needed, and {len(places)} are drawn"
            continue
        looks += 1
        sampled[places[:size]] = True
        if not drawn.relevant[places[:size]].any():
            read = end + int((sampled & ahead).sum())
            return StopPoint(read, found + more, f"none of {size} random unread documents is relevant")
    if looks:
        return not_stopped(f"{looks} samples of the unread had relevant documents")
    return not_stopped(lacking or f"no round of {DRY} documents was without a relevant one")


ELUSION = StoppingRule(
    "elusion",
    "after a round without a relevant document, a sample of the unread has none either (at most 5 samples)",
    "the sample is judged as carefully as the rest; goals near 1 need large samples",
    "the recall of the goal, with its confidence, over all reviews; not over those that stop",
    "Roitblat 2007; acceptance on zero, Bonferroni over the samples",
    elusion,
)


STOPPING_RULES: Mapping[str, StoppingRule] = {rule.name: rule for rule in (TARGET_RULE, QBCB, ELUSION, KNEE)}


def stopping_rule_named(name: str) -> StoppingRule:
    """The rule of this name; raises WorkbenchError with those that exist."""
    if name not in STOPPING_RULES:
        raise WorkbenchError(
            f'there is no stopping rule "{name}"', remedy=f"choose one of {', '.join(STOPPING_RULES)}"
        )
    return STOPPING_RULES[name]
