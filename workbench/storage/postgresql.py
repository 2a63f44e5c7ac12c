"""Connections to PostgreSQL that give up a server which does not answer; needs psycopg."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import psycopg
from psycopg.waiting import Ready

from workbench.storage.limits import statement_end


class LimitedConnection(psycopg.Connection[Any]):
    """A connection that is closed where a statement stays unanswered beyond the thread's time limit.

    It raises psycopg.OperationalError then. Limits that the server keeps are no help where it is frozen.
    """

    def wait(self, gen: Any, *given: Any, **named: Any) -> Any:
        """The result of a generator that the driver waits for."""
        end = statement_end()
        if end is None:
            return super().wait(gen, *given, **named)
        try:
            return super().wait(_until(end, gen), *given, **named)
        except _Unanswered:
            self.pgconn.finish()
            raise psycopg.OperationalError("the server does not answer") from None


class _Unanswered(Exception):
    """The time is up."""


def _until(end: float, steps: Any) -> Generator[Any, Any, Any]:
    # The driver says every moment that nothing has come.
    try:
        step = next(steps)
        while True:
            ready = yield step
            if ready == Ready.NONE and time.monotonic() > end:
                raise _Unanswered
            step = steps.send(ready)
    except StopIteration as done:
        return done.value
