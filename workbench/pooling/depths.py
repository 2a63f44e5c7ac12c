"""How deep a depth pool goes into each run and topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from workbench.errors import WorkbenchError
from workbench.records import sorted_ids

NO_OTHERS: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Depths:
    """One depth, and those that runs (by tag) and topics have of their own; 0 takes nothing.

    Raises WorkbenchError for a depth below 1.
    """

    depth: int
    of_runs: Mapping[str, int]
    of_topics: Mapping[str, int]

    def __post_init__(self) -> None:
        if self.depth < 1:
            raise WorkbenchError(
                f"a pool of depth {self.depth} holds nothing", remedy="give a depth of 1 or more"
            )

    def of(self, tag: str, topic: str) -> int:
        """Own depths go before the one; where a run and a topic both have theirs, the smaller holds."""
        own = [limit for limit in (self.of_runs.get(tag), self.of_topics.get(topic)) if limit is not None]
        return min(own, default=self.depth)

    def check_known(self, tags: set[str], topics: set[str]) -> None:
        """Raise WorkbenchError where a run or topic that is not among these has a depth of its own."""
        check_known("run", self.of_runs, tags)
        check_known("topic", self.of_topics, topics)


def check_known(what: str, depths: Mapping[str, int], known: set[str]) -> None:
    """Raise WorkbenchError where a run or topic (`what`) that is not pooled has a depth of its own."""
    unknown = sorted_ids(set(depths) - known)
    if unknown:
        raise WorkbenchError(
            f"there is a depth for the {what} {', '.join(unknown)}, but no such {what}",
            remedy=f"name only a {what} that is pooled",
        )
