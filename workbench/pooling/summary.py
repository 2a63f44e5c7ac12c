"""How large a pool is, over all and topic by topic, and how much its runs overlap."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from workbench.pooling.pool import Pool
from workbench.records import sorted_ids


@dataclass(frozen=True, slots=True)
class TopicSize:
    """The pairs of one topic in a pool, and how many there were if no two runs had brought the same."""

    topic: str
    size: int
    largest_possible: int


@dataclass(frozen=True, slots=True)
class PoolSummary:
    """The size of a pool in pairs; topics are sorted (bytes)."""

    runs: int
    topics: tuple[TopicSize, ...]
    size: int
    largest_possible: int

    @property
    def share(self) -> float | None:
        """The size as a share of the largest possible, None where nothing was possible.

        The smaller, the more the runs overlap: TREC-8's 86,830 pairs are 24.5 per cent of 71 x 50 x 100.
        """
        return self.size / self.largest_possible if self.largest_possible else None


def summarise(pool: Pool) -> PoolSummary:
    """The sizes of a pool."""
    sizes = Counter(entry.topic for entry in pool.entries)
    return PoolSummary(
        runs=len(pool.tags),
        topics=tuple(
            TopicSize(topic, sizes[topic], pool.largest_possible[topic])
            for topic in sorted_ids(pool.largest_possible)
        ),
        size=len(pool.entries),
        largest_possible=sum(pool.largest_possible.values()),
    )
