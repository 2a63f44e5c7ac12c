"""Slow statements: those that take longer than a threshold are logged, without their parameters."""

from __future__ import annotations

import logging
import time
from typing import Any

from sqlalchemy import Engine, event

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
