"""Time limits of a thread: how long what it asks of a database may stay unanswered.

A server that was frozen keeps its connections open, so that the system never tells of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# No statement of a request takes as long: a worker, which has no limit, does what takes long.
STATEMENT_SECONDS = 30.0
_OF_THREAD = threading.local()


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Give up within so many seconds what the database does not answer; limits may be nested."""
    before: float | None = getattr(_OF_THREAD, "end", None)
    end = time.monotonic() + seconds
    _OF_THREAD.end = end if before is None else min(before, end)
    try:
        yield
    finally:
        _OF_THREAD.end = before


def statement_end() -> float | None:
    """When a statement that begins now is to be given up, by the monotonic clock; None for never."""
    end: float | None = getattr(_OF_THREAD, "end", None)
    return None if end is None else min(end, time.monotonic() + STATEMENT_SECONDS)
