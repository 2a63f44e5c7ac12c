"""The JSON of plans: pools and overlaps before they are made, and what pools may have missed."""

from __future__ import annotations

from typing_extensions import TypedDict


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
