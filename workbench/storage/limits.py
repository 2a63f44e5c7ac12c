"""How long statements may take: the time limit of a thread, and those that are logged as slow.

A server that was frozen keeps its connections open, so that the system never tells of it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event

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


LOG = logging.getLogger("workbench.slow")
LONGEST = 1000
_BEGAN = "workbench began"


def log_slow_statements(engine: Engine, milliseconds: int) -> None:
    """Log every statement of an engine that takes as long or longer, until its first row."""

    @event.listens_for(engine, "before_cursor_execute")
    def begin(connection: Any, *_: Any) -> None:
        connection.info[_BEGAN] = time.perf_counter()

    @event.listens_for(engine, "after_cursor_execute")
    def end(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        took = (time.perf_counter() - connection.info.pop(_BEGAN, time.perf_counter())) * 1000
        if took >= milliseconds:
            words = " ".join(statement.split())[:LONGEST]
            LOG.info(
                "%.0f ms: %s", took, words, extra={"fields": {"milliseconds": round(took), "sql": words}}
            )
