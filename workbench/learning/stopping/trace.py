"""What a stopping rule looks at, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from workbench.errors import WorkbenchError
from workbench.learning.vectors import Bools, Numbers


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class RandomOrder:
    """Documents in the order in which they are drawn at random, the learner knowing nothing of it.

    `relevant` (drawn,) and `read_at` (drawn,), the place from 1 at which the learner's reading comes to each,
    or 0 where it has not.
    """

    relevant: Bools
    read_at: Numbers


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class StopPoint:
    """Where a rule would have stopped: documents read, relevant ones found, and why.

    `read` counts everything, also what the rule itself had drawn; it is None where the rule has not stopped.
    """

    read: int | None
    found: int | None
    reason: str


@dataclass(frozen=True, slots=True)
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


def rounds_read(trace: ReviewTrace) -> Iterator[tuple[int, int]]:
    """Documents read and relevant ones found at the end of each round."""
    found = trace.found
    for end in trace.ends.tolist():
        yield end, int(found[end])
