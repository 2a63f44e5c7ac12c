"""How far a long computation is, for a terminal, and for a page that asks this process meanwhile.

Nothing but what is shown hangs on it: another process, which computes something else, knows nothing of it.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Steps(Protocol):
    """Passes on the items of a step of a computation one by one, and may show how many are done."""

    def __call__(self, items: Sequence[Item], label: str) -> Iterable[Item]:
        """The items; `label` says what is done with them."""


def quietly(items: Sequence[Item], label: str) -> Iterable[Item]:  # noqa: ARG001  # as `Steps` calls it
    """The items, with nothing shown."""
    return items


@dataclass(frozen=True, slots=True)
class HowFar:
    """A step of a computation: `done` of `total`; of a range each of its numbers counts."""

    label: str
    done: int
    total: int


class UnderWay:
    """What this process computes now, by a key; where two compute the same, the last step of either."""

    def __init__(self) -> None:
        self._found: dict[Hashable, HowFar] = {}
        self._lock = threading.Lock()

    @contextmanager
    def follow(self, key: Hashable) -> Iterator[Steps]:
        """Steps that are told under a key until the computation ends."""

        def steps(items: Sequence[Item], label: str) -> Iterator[Item]:
            done, total = 0, sum(map(_size, items))
            for item in items:
                self._tell(key, HowFar(label, done, total))
                yield item
                done += _size(item)
            if total:
                # What follows a step before the next one begins belongs to it.
                self._tell(key, HowFar(label, total, total))

        try:
            yield steps
        finally:
            with self._lock:
                self._found.pop(key, None)

    def get(self, key: Hashable) -> HowFar | None:
        """The step of what is computed under a key; None of what is not."""
        with self._lock:
            return self._found.get(key)

    def _tell(self, key: Hashable, found: HowFar) -> None:
        with self._lock:
            self._found[key] = found


def _size(item: object) -> int:
    return len(item) if isinstance(item, range) else 1
