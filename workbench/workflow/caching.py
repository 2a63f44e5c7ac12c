"""The cache of a process: the last values that were asked for, by all that they depend on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
ROOM = 128 * 2**20
"""Bytes of the values of one cache, where it is told how many they have: a server has several processes."""


class Cache(Generic[Key, Value]):
    """At most `most` values, the least recently used one going first; several threads may ask.

    A key says all that its value depends on; of several who make it at once all get the first. Where values
    may be large, `bytes_of` tells about how many bytes one has: together they have at most `room`, or there
    is one.
    """

    def __init__(
        self, most: int, *, bytes_of: Callable[[Value], int] = lambda _: 0, room: int = ROOM
    ) -> None:
        self._most, self._bytes_of, self._room = most, bytes_of, room
        self._entries: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not cached."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key][0]
        value = make()
        with self._lock:
            value, _ = self._entries.setdefault(key, (value, self._bytes_of(value)))
            size = sum(bytes_ for _, bytes_ in self._entries.values())
            while len(self._entries) > self._most or (size > self._room and len(self._entries) > 1):
                size -= self._entries.popitem(last=False)[1][1]
        return value
