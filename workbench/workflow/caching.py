"""The cache of a process: the last values that were asked for, each until its version changes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
ROOM = 128 * 2**20
"""Bytes of the values of one cache, where it is told how many they have: a server has several processes."""


@dataclass(frozen=True, slots=True)
class _Entry(Generic[Value]):
    """A value, what it was computed from, when, how long that took, and how many bytes it has."""

    value: Value
    version: Hashable
    at: float
    seconds: float
    size: int = 0


class Cache(Generic[Key, Value]):
    """At most `most` values, the least recently used one going first; several threads may ask.

    Where the key says all that a value depends on, no version is needed. A value that takes no longer than
    `moment` seconds is always computed of the version asked for, as the database has it. Where values may be
    large, `bytes_of` tells about how many bytes one has: together they have at most `room`, or there is one.
    """

    def __init__(
        self,
        most: int,
        *,
        moment: float = 0.25,
        bytes_of: Callable[[Value], int] | None = None,
        room: int = ROOM,
    ) -> None:
        self._most = most
        self._moment = moment
        self._bytes_of = bytes_of
        self._room = room
        self._entries: OrderedDict[Key, _Entry[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self,
        key: Key,
        make: Callable[[], Value],
        *,
        version: Hashable = None,
        patience: float | None = None,
        steady: bool = False,
    ) -> Value:
        """The value of a key: cached of this version, or of an older one for a while, else made anew.

        An older one serves for `patience` seconds, or for ten times as long as it took, so that at most a
        tenth of the time goes into it while the version changes all the time. What is quick to compute is
        computed anew all the same, unless it is to be `steady`.
        """
        begin = time.monotonic()
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None:
                longest = 10 * entry.seconds if patience is None else patience
                serves = (steady or entry.seconds > self._moment) and begin - entry.at < longest
                if entry.version == version or serves:
                    self._entries.move_to_end(key)
                    return entry.value
        value = make()
        self._store(key, _Entry(value, version, end := time.monotonic(), end - begin))
        return value

    def peek(self, key: Key) -> Value | None:
        """The cached value of a key whatever its version, None where there is none."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key].value

    def forget(self, key: Key, *, unless: Hashable) -> None:
        """Let go of a value, unless it is of this version."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is not None and entry.version != unless:
                del self._entries[key]

    def put(self, key: Key, value: Value) -> None:
        """Cache a value that was made elsewhere."""
        self._store(key, _Entry(value, None, time.monotonic(), 0.0))

    def _store(self, key: Key, entry: _Entry[Value]) -> None:
        if self._bytes_of is not None:
            entry = replace(entry, size=self._bytes_of(entry.value))
        with self._lock:
            self._entries[key] = entry
            self._entries.move_to_end(key)
            size = sum(one.size for one in self._entries.values()) if entry.size else 0
            while len(self._entries) > self._most or (size > self._room and len(self._entries) > 1):
                size -= self._entries.popitem(last=False)[1].size
