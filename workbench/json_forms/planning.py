"""The JSON of plans: pools and overlaps before they are made, and what pools may have missed."""

from __future__ import annotations

from typing_extensions import TypedDict

from workbench.json_forms.judging import MadePoolJson


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


class MissedLineJson(TypedDict):
    """What the sample of a topic, or of all together, says of the `unpooled` documents it was drawn from.

    `known` documents were pooled or judged before; of them and of the `drawn` some are judged, and of these
    some relevant. `missed` are relevant documents among the unpooled, `recall` is that of what was known,
    both with 95 % intervals; `more_low` and `more_high` bound `missed` if as many again were drawn.
    """

    topic: str
    title: str
    seed: int | None
    known: int
    known_judged: int
    known_relevant: int
    unpooled: int
    drawn: int
    judged: int
    relevant: int
    missed: float | None
    missed_low: int
    missed_high: int
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    more_low: int | None
    more_high: int | None


class MissedJson(TypedDict):
    """What the pools may have missed: by topic that was sampled, together, and how many topics there are."""

    topics: list[MissedLineJson]
    together: MissedLineJson | None
    of_topics: int


class DrawnTopicJson(TypedDict):
    """What was drawn of a topic from its `unpooled` documents; `new` joined the pool now."""

    topic: str
    seed: int
    unpooled: int
    docnos: list[str]
    new: list[str]


class DrawnSampleJson(TypedDict):
    """A sample of what was not pooled, by topic, from a collection of so many documents."""

    collection: int
    topics: list[DrawnTopicJson]


class TopicHolesJson(TypedDict):
    """Of a topic, the unjudged documents among a run's first, a count for each cut-off."""

    topic: str
    title: str
    retrieved: int
    unjudged: list[int]


class HolesJson(TypedDict):
    """The unjudged documents of a run by cut-off and topic; `shares` are of what it retrieved."""

    tag: str
    cutoffs: list[int]
    unjudged: list[int]
    shares: list[float]
    topics: list[TopicHolesJson]


class FilledHolesJson(TypedDict):
    """The supplementary pool for a run, and how many topics of it went to those who know them."""

    pool: MadePoolJson
    assigned: int
    unassigned: int
