"""Repeats: what happens again and again is told once a minute, with how often it happened."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

QUIET_SECONDS = 60
MOST_REMEMBERED = 10_000


class Repeats:
    """Counts events, each of a kind of its own; any thread may."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: dict[tuple[object, ...], tuple[float, int]] = {}

    def times(self, *what: object) -> int:
        """How often it happened since it was last told; 0 if it is not to be told yet."""
        with self._lock:
            now = self._clock()
            since, count = self._seen.get(what, (now - QUIET_SECONDS, 0))
            if now - since < QUIET_SECONDS:
                self._seen[what] = since, count + 1
                return 0
            if len(self._seen) >= MOST_REMEMBERED:
                self._seen.clear()
            self._seen[what] = now, 0
            return count + 1
