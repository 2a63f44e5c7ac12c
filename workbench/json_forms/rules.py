"""The JSON of what an organiser sets: desks, disputes, runs, quality checks, queues, estimates."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict


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
