"""What every pooling strategy gives back: the pairs to be judged, and what they could have been at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.records import PoolEntry

Pair = tuple[str, str]
"""A topic and a docno."""


@dataclass(frozen=True, slots=True)
class Pool:
    """The (topic, document) pairs that a strategy chose from runs.

    `entries` are sorted by topic, then docno (bytes), one for each pair; `tags` are the runs, sorted (bytes);
    `largest_possible` says for each topic how many pairs there were if no two runs had brought the same.
    By pair, empty unless the strategy has them: `weights`, by which entries were chosen, to 12 digits;
    `inclusion`, the probability (above 0, at most 1) with which an entry was drawn; `strata`, the number
    (from 1) of the stratum of every pair that could have been drawn, whether it was or not.
    """

    entries: tuple[PoolEntry, ...]
    tags: tuple[str, ...]
    largest_possible: Mapping[str, int]
    weights: Mapping[Pair, float] = field(default_factory=dict)
    inclusion: Mapping[Pair, float] = field(default_factory=dict)
    strata: Mapping[Pair, int] = field(default_factory=dict)

    @property
    def pairs(self) -> frozenset[Pair]:
        """The topic and docno of every entry."""
        return frozenset((entry.topic, entry.docno) for entry in self.entries)
