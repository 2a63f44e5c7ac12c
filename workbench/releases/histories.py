"""Histories: of what was said about a pair again and again, the last entry counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Protocol, TypeVar


class HistoryEntry(Protocol):
    """What an assessor answered about a pair, among what came before and after."""

    @property
    def topic(self) -> str:
        """The topic of the pair."""

    @property
    def docno(self) -> str:
        """The document of the pair."""

    @property
    def assessor(self) -> str:
        """Who answered."""


Entry = TypeVar("Entry", bound=HistoryEntry)
_TOPIC = attrgetter("topic")


def last_entries(entries: Sequence[Entry]) -> Iterator[Entry]:
    """The last entry of each assessor about each pair, in the order in which their first ones come."""
    topics = [topic for topic, _ in groupby(entries, key=_TOPIC)]
    if len(topics) > len(set(topics)):
        yield from {(one.topic, one.docno, one.assessor): one for one in entries}.values()
        return
    # As in every release: then what was said about one topic is enough at a time.
    for _, some in groupby(entries, key=_TOPIC):
        yield from {(one.docno, one.assessor): one for one in some}.values()
