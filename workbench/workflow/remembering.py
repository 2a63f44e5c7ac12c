"""What a process remembers of contents that cannot change, since they are known by their hash."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Remembered(Generic[Key, Value]):
    """The values that were asked for last, at most `most`; several threads may ask."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def known(self, key: Key) -> Value | None:
        """The value of a key, or None where it is not remembered."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made if it is not remembered."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        self.keep(key, value)
        return value

    def keep(self, key: Key, value: Value) -> None:
        """Remember a value; the one that was not asked for longest goes."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._most:
                self._values.popitem(last=False)
