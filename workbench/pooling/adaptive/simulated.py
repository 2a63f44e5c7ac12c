"""An adaptive pool judged by what is known already: what would have been found, and when."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.pooling.adaptive.live import Adaptive
from workbench.pooling.pool import Pair


@dataclass(frozen=True, slots=True)
class Simulated:
    """A document as it was judged: its number (from 1) in the topic, and how many relevant ones by then.

    `relevant` is None where nothing is known of the pair.
    """

    topic: str
    docno: str
    number: int
    relevant: bool | None
    found: int


def simulated(
    pool: Adaptive, relevant: Mapping[Pair, bool], *, unknown: bool | None = None
) -> Iterator[Simulated]:
    """Hand out a pool topic by topic (bytes) until its budget is used up, each document judged at once.

    A pair of which nothing is known is judged `unknown`: None teaches the strategy nothing, False is what
    most of the literature takes it for.
    """
    for topic in pool.topics:
        found = number = 0
        while (docno := pool.next(topic)) is not None:
            known = relevant.get((topic, docno))
            pool.judged(topic, docno, unknown if known is None else known)
            number += 1
            found += known is True
            yield Simulated(topic, docno, number, known, found)
