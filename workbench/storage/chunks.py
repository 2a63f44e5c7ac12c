"""Long lists in parts that one statement can name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
CHUNK = 500
"""So many names: every database takes them, and a part is answered at once."""


def chunks(items: Sequence[Item], size: int = CHUNK) -> Iterator[Sequence[Item]]:
    """The items in their order, so many at a time; the last part may be shorter.

    >>> [list(part) for part in chunks("abcde", 2)]
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    for start in range(0, len(items), size):
        yield items[start : start + size]
