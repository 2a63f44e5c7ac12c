"""What a process remembers: contents that cannot change, and what is long to reckon and changes slowly."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class _Reckoned(Generic[Value]):
    version: Hashable
    value: Value
    at: float
    seconds: float


class Lately(Generic[Key, Value]):
    """What was reckoned of the things that were asked for last, at most `most`; several threads may ask.

    What is reckoned within `moment` seconds is always of the version asked for, as the database has it.
    """

    def __init__(self, most: int, *, moment: float = 0.25) -> None:
        self._most = most
        self._moment = moment
        self._known: OrderedDict[Key, _Reckoned[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self,
        key: Key,
        version: Hashable,
        make: Callable[[], Value],
        *,
        patience: float | None = None,
        steady: bool = False,
    ) -> Value:
        """The value of a key: as it is remembered of this version, or of an older one for a while.

        An older one serves for `patience` seconds, or for ten times as long as it took, so that at most a
        tenth of the time goes into it while the version changes all the time. What is quick to reckon is
        reckoned anew all the same, unless it is to be `steady`.
        """
        begin = time.monotonic()
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                long = 10 * known.seconds if patience is None else patience
                waits = (steady or known.seconds > self._moment) and begin - known.at < long
                if known.version == version or waits:
                    self._known.move_to_end(key)
                    return known.value
        value = make()
        end = time.monotonic()
        with self._lock:
            self._known[key] = _Reckoned(version, value, end, end - begin)
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return value
