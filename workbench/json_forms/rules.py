"""The JSON of what an organiser sets: desks, disputes, runs, quality checks, queues, estimates."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict


class DeskSettings(TypedDict):
    """What a campaign asks at its desks.

    `questions` are lines such as `Readability (required): hard, fair, easy`; the grades of `comment_for` need
    a comment. After `break_minutes` of judging a break is suggested, never if it is null. With `search`
    assessors and organisers may search the documents.
    """

    break_minutes: int | None
    search: bool
    questions: list[str]
    comment_for: list[int]


class DisputeRulesJson(TypedDict):
    """What counts as disputed, whose judgments count, and how disputes are shown and discussed.

    `difference` is any, line (relevant or not) or distance, which is `steps` grades. `measure` is the one by
    which the influence of a pair on the ranking is computed.
    """

    difference: str
    steps: int
    beside_grades: bool
    machines: bool
    names_hidden: bool
    measure: str
    blind_discussion: bool
    reasons_required: bool


class ListedDocuments(TypedDict):
    """The list of docnos that runs are checked against; `sha256` is of its ids, one a line."""

    file_name: str
    docnos: int
    sha256: str
    added_by: str
    added_at: str


Treated = Literal["error", "warning", "ignored"]
"""What a finding does: it refuses the run, warns, or is not reported."""


class RunRulesJson(TypedDict):
    """What runs must keep to: documents a topic at most (null for any number), and what each code does.

    `documents` is null where any docno is accepted.
    """

    max_per_topic: int | None
    codes: dict[str, Treated]
    documents: ListedDocuments | None


class CheckRulesJson(TypedDict):
    """The quality checks of a campaign, and its pairs with a known grade.

    One document in `one_in` is a repeat (null for none), at least `distance` documents after its first
    showing. With `training` each topic begins with training; `least` is the percentage that must be right to
    pass, null where nothing must. `in_pool` counts stand in a pool too.
    """

    one_in: int | None
    distance: int
    training: bool
    least: int | None
    planted: int
    planted_in_pool: int
    training_pairs: int
    training_in_pool: int


class KnownAnswerJson(TypedDict):
    """A pair with a known grade: of `answered` first answers `right` gave it.

    `purpose` is planted or training; `feedback` is shown in training.
    """

    purpose: str
    topic: str
    docno: str
    title: str
    grade: int
    feedback: str
    answered: int
    right: int


class KnownLoadedJson(TypedDict):
    """What loading known answers did; `changed` pairs had another grade or feedback before."""

    added: int
    changed: int
    unchanged: int


class TrainingRoundJson(TypedDict):
    """One time through the training pairs of a topic; `needed` right answers open the work."""

    number: int
    right: int
    answered: int
    total: int
    needed: int


class TraineeJson(TypedDict):
    """Somebody in training, with the rounds so far; the work of a `waived` one is open all the same."""

    assignment: int
    assessor: str
    pool: str
    topic: str
    rounds: list[TrainingRoundJson]
    waived: bool


class QueueTopicJson(TypedDict):
    """A topic of a queue: pairs done, out, waiting and stuck; judgments given of those needed."""

    topic: str
    title: str
    pairs: int
    done: int
    out: int
    waiting: int
    stuck: int
    given: int
    needed: int


class OutJson(TypedDict):
    """A pair that an assessor was handed and has not answered; `abandoned` if the lease is over."""

    topic: str
    docno: str
    assessor: str
    since: str
    abandoned: bool


class QueueJson(TypedDict):
    """How far a queue has come: its pairs and judgments, by topic, and what is out."""

    pool: str
    per_pair: int
    lease_minutes: int
    pairs: int
    done: int
    waiting: int
    stuck: int
    given: int
    needed: int
    assessors: list[str]
    topics: list[QueueTopicJson]
    out: list[OutJson]


class Counted(TypedDict):
    """How many were added, changed or removed."""

    count: int


class CampaignContentsJson(TypedDict):
    """What a campaign contains, all of which is lost when it is deleted."""

    topics: int
    documents: int
    runs: int
    pools: int
    judgments: int
    assessors: int
    members: int
