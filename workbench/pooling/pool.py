"""What every pooling strategy gives back: the pairs to be judged, and what they could have been at most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.records import PoolEntry


@dataclass(frozen=True, slots=True)
class Pool:
    """The (topic, document) pairs that a strategy chose from runs.

    `entries` are sorted by topic, then docno (bytes), one for each pair; `tags` are the runs, sorted (bytes);
    `largest_possible` says for each topic how many pairs there were if no two runs had brought the same.
    """

    entries: tuple[PoolEntry, ...]
    tags: tuple[str, ...]
    largest_possible: Mapping[str, int]
