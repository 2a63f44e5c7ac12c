"""The JSON of plans, searching and judging."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from workbench.json_forms.collecting import FindingJson


class PoolJson(TypedDict):
    """A pool with its recipe; `largest_possible` is its size if no two runs shared a document."""

    name: str
    state: str
    strategy: str
    parameters: dict[str, str]
    supplementary: bool
    ties: str
    runs: list[str]
    pairs: int
    largest_possible: int
    added_by_hand: int
    created_at: str | None
    opened_at: str | None
    closed_at: str | None


class RunOfPool(TypedDict):
    """What a run contributed to a pool; `alone` are pairs that nothing else contributed."""

    pairs: int
    alone: int


class MadePoolJson(TypedDict):
    """A pool that was made, by topic and by run."""

    name: str
    state: str
    adaptive: bool
    recipe: dict[str, Any]
    pairs: int
    largest_possible: int
    share: float
    topics: dict[str, int]
    runs: dict[str, RunOfPool]


class RebuiltPool(TypedDict):
    """A rebuilt draft: pairs added and removed, and the pairs added by hand that were kept."""

    pool: MadePoolJson
    entered: int
    left: int
    kept: int


class PairJson(TypedDict):
    """A pair of a pool; `origin` is runs, manual or runs+manual."""

    topic: str
    docno: str
    origin: str


class AssignmentJson(TypedDict):
    """A topic of a pool that an assessor is to judge, and how much is answered."""

    assignment: int
    pool: str
    topic: str
    title: str
    assessor: str
    order: str
    seed: int
    pairs: int
    answered: int


class OwnAssignmentJson(TypedDict):
    """An own assignment; `total` counts what is still to be handed out too."""

    assignment: int
    pool: str
    topic: str
    title: str
    judged: int
    unsure: int
    cannot_judge: int
    total: int
    done: bool
    closed: bool


class OwnAnswer(TypedDict):
    """An own answer about a document; `event` names it."""

    docno: str
    answer: str
    grade: int | None
    reason: str
    comment: str
    event: str


class WorkJson(TypedDict):
    """What an own assignment is: documents in the order of judging, of which `left` have no answer."""

    assignment: int
    order: list[str]
    left: list[str]
    answers: list[OwnAnswer]
    total: int
    closed: bool


class TaskDocument(TypedDict):
    """A document to judge as the judging page shows it; `sha256` is of what is shown.

    `file` is the SHA-256 of its PDF or image, `images` those of the images in its text, by their address.
    """

    docno: str
    title: str
    text: str
    sha256: str | None
    missing: bool
    file: str | None
    images: dict[str, str]


class ReceiptJson(TypedDict):
    """What became of an event: recorded, repeated, kept_aside (stored for the organiser) or refused.

    `ends`: nothing more of its assignment will be recorded. `outdated`: guidelines or scale have changed
    since the version `instructions` that came with it.
    """

    client_id: str
    outcome: str
    why: str
    ends: bool
    outdated: bool


class Receipts(TypedDict):
    """What became of events, in their order."""

    receipts: list[ReceiptJson]


class ImportedJson(TypedDict):
    """What one assessor's part of an imported file did; of `repeated` pairs the last judgment counts."""

    file: str
    assessor: str
    machine: bool
    judgments: int
    new: int
    repeated: int
    contradicted: int


class AddedPairs(TypedDict):
    """Docnos that were added to a topic of a pool, and those that are `passed`, since they are pooled."""

    added: list[str]
    passed: list[str]
    without_text: list[str]


class DecisionJson(TypedDict):
    """What became of a decision; `overtaken_by` is who has decided the pair meanwhile."""

    recorded: bool
    repeated: bool
    overtaken_by: str | None


class WithdrawnDecision(TypedDict):
    """The pair whose decision was withdrawn; null where there was none."""

    topic: str | None
    docno: str | None


class ReleaseJson(TypedDict):
    """A release; `kappa` is the pooled kappa of people, with its interval and `kappa_pairs`."""

    version: str
    title: str
    rule: str
    lines: int
    relevant: int
    relevant_from: int
    topics: int
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    kappa_pairs: int
    included: list[str]
    sha256: str
    size: int
    made_by: str
    made_at: str
    public_at: str | None
    withdrawn_by: str
    withdrawn_at: str | None
    withdrawn_reason: str
    public: bool
    withdrawn: bool


class MadeReleaseJson(ReleaseJson):
    """A release that was made, with its counts and what was still open."""

    counts: dict[str, Any]
    warnings: list[FindingJson]


class OwnAdditionJson(TypedDict):
    """A document that you added to an own assignment."""

    docno: str
    reason: str


class OwnAdditionsJson(TypedDict):
    """What you added to an own assignment, the oldest first."""

    additions: list[OwnAdditionJson]


class OwnAddedJson(TypedDict):
    """Documents that you added; `passed` were pooled already, `without_text` counts those without text."""

    added: list[str]
    passed: list[str]
    without_text: int


class PoolPlanJson(TypedDict):
    """A pool that could be made, by topic and by depth, and the hours of judging it.

    `certainty` says how far `pairs` will be the pool's size: exact, expected or at most. `seconds` of a
    judgment are given, measured or assumed. `by_depth` has the pairs of a depth pool at some depths.
    """

    strategy: str
    parameters: dict[str, str]
    supplementary: bool
    runs: int
    pairs: float
    certainty: str
    per_pair: int
    assessors: int
    seconds: float
    seconds_from: str
    hours: float
    hours_each: float
    topics: dict[str, float]
    by_depth: dict[str, int]


class HitJson(TypedDict):
    """A document that a search has shown, with the sentences that match; your own answer where there is one.

    `pooled` if it is in a pool of the topic already.
    """

    rank: int
    docno: str
    title: str
    fragments: list[str]
    answer: str | None
    grade: int | None
    pooled: bool


class SearchJson(TypedDict):
    """A search: what was typed and how it was understood, and the hits shown so far, of `found` in all.

    `documents` were searched. With `more` there are further hits to show.
    """

    search: int
    topic: str
    typed: str
    like: str | None
    understood: str
    among: str
    found: int
    documents: int
    more: bool
    hits: list[HitJson]
