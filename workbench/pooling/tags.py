"""Runs one by one, each tag once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workbench.errors import Conflict
from workbench.records import Run


def each_tag_once(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs as they come, none kept; raises Conflict where a tag comes again."""
    tags: set[str] = set()
    for run in runs:
        if run.tag in tags:
            raise Conflict(
                f'two runs have the tag "{run.tag}"', remedy="give every run once, each with its own tag"
            )
        tags.add(run.tag)
        yield run
