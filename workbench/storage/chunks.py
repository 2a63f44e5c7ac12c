"""Long lists in chunks that fit into one statement."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
CHUNK = 500
"""Every database takes as many parameters, and answers at once."""


def chunks(items: Sequence[Item], size: int = CHUNK) -> Iterator[Sequence[Item]]:
    """The items in their order, `size` at a time; the last chunk may be shorter.

    >>> [list(part) for part in chunks("abcde", 2)]
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    for start in range(0, len(items), size):
        yield items[start : start + size]
