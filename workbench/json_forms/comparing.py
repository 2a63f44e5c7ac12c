"""The JSON of work side by side: tasks, what is compared, answers and what came of them."""

from __future__ import annotations

from typing_extensions import TypedDict


class ComparisonTask(TypedDict):
    """One topic's pairs of documents or runs for one assessor; `done` counts those with an answer."""

    task: int
    kind: str
    topic: str
    title: str
    assessor: str
    pairs: int
    done: int
    seed: int


class SideDocumentJson(TypedDict):
    """A document on one side; of a run's list its opening."""

    docno: str
    title: str
    text: str
    missing: bool


class OwnComparison(TypedDict):
    """The pair to compare now, with your answer to it if there is one; no sides where all is answered."""

    task: int
    kind: str
    topic: str
    guidelines: str
    number: int
    pairs: int
    left: list[SideDocumentJson]
    right: list[SideDocumentJson]
    answer: str
    reason: str
    answered: list[int]


class WithdrawnChoice(TypedDict):
    """The number of the pair whose answer was withdrawn; null where there was none."""

    pair: int | None


class PreferenceJson(TypedDict):
    """A current answer: first, second, tie or both_bad, and what stood left; the time if it was measured."""

    kind: str
    topic: str
    assessor: str
    first: str
    second: str
    choice: str
    left: str
    reason: str
    active_seconds: float | None
    recorded_at: str


class RankedDocumentJson(TypedDict):
    """A document's rank in its topic by the share of comparisons won; `caution` says why it may not hold."""

    topic: str
    rank: int
    doc: str
    score: float
    comparisons: int
    wins: int
    losses: int
    ties: int
    both_bad: int
    caution: str


class RunsComparedJson(TypedDict):
    """Two runs side by side: comparisons won by each, and the two-sided sign test without ties."""

    first: str
    second: str
    first_better: int
    second_better: int
    ties: int
    both_bad: int
    sign_test_p: float | None


class AssessorsComparedJson(TypedDict):
    """Two assessors on the pairs that both compared: the share of equal answers with its interval, kappa."""

    kind: str
    assessor: str
    other: str
    pairs: int
    same: int
    opposite: int
    share: float
    low: float
    high: float
    kappa: float | None


class PreferenceResultsJson(TypedDict):
    """What came of the comparisons: documents ranked by topic, runs compared, and agreement."""

    documents: list[RankedDocumentJson]
    runs: list[RunsComparedJson]
    agreement: list[AssessorsComparedJson]
