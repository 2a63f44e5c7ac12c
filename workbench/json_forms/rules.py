"""The JSON of what an organiser sets: disputes and queues."""

from __future__ import annotations

from typing_extensions import TypedDict

from workbench.json_forms.results import QueueRules


class DisputeRulesJson(QueueRules):
    """What counts as disputed, whose judgments count, and how disputes are shown and discussed.

    `difference` is any, line (relevant or not) or distance, which is `steps` grades. `measure` is the one by
    which the influence of a pair on the ranking is computed.
    """

    blind_discussion: bool
    reasons_required: bool


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
