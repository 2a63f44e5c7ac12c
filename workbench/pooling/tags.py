"""Runs one by one, each tag once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from workbench.errors import Conflict


class Tagged(Protocol):
    """A run in any form."""

    @property
    def tag(self) -> str: ...


AnyRun = TypeVar("AnyRun", bound=Tagged)


def each_tag_once(runs: Iterable[AnyRun]) -> Iterator[AnyRun]:
    """The runs as they come, none kept; raises Conflict where a tag comes again."""
    tags: set[str] = set()
    for run in runs:
        if run.tag in tags:
            raise Conflict(
                f'two runs have the tag "{run.tag}"', remedy="give every run once, each with its own tag"
            )
        tags.add(run.tag)
        yield run
