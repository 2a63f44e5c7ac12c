"""Moments: what the program does at a time that a test chooses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import SimpleNamespace

from sqlalchemy import func, literal

from workbench.workflow import clock

# Of a thread by itself: some tests do several things at once.
_MOMENT: ContextVar[datetime | None] = ContextVar("moment", default=None)


@contextmanager
def at(moment: datetime | None) -> Iterator[None]:
    """Let the clock of the program, and that of its database, stand at a moment; with None they run."""
    before = _MOMENT.set(moment)
    try:
        yield
    finally:
        _MOMENT.reset(before)


vars(clock).update(
    datetime=SimpleNamespace(
        now=lambda _zone: _MOMENT.get() or datetime.now(UTC), fromisoformat=datetime.fromisoformat
    ),
    func=SimpleNamespace(
        clock_timestamp=lambda: literal(now) if (now := _MOMENT.get()) else func.clock_timestamp()
    ),
)
