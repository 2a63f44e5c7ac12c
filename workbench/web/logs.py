"""The log of a server process: lines of text or JSON on standard error, each with the id of its request.

A flood of one warning or error is one line a minute with how often it happened. No line has a password, a
link, a login or an address of a person: requests are named by endpoint and id, people by nothing. What is
observed of requests, counts and times, is for `/metrics`; the access log has a line for each.
"""

from __future__ import annotations

import json
import logging
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from flask import g, has_request_context
from prometheus_client import CollectorRegistry, Counter, Histogram

from workbench.settings import Settings

QUIET_SECONDS = 60
MOST_KINDS = 10_000


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
            if len(self._seen) >= MOST_KINDS:
                self._seen.clear()
            self._seen[what] = now, 0
            return count + 1


ACCESS = "workbench.access"
FIELDS = "fields"
"""The attribute of a record whose mapping becomes fields of a JSON line."""
HOUR = 3600.0
MOST_REMEMBERED = 10_000


class RequestIds(logging.Filter):
    """Adds the id of the request that is being answered."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add it; every record passes."""
        record.request = g.get("request_id", "") if has_request_context() else ""
        return True


class OncePerMinute(logging.Filter):
    """Lets one warning or error of each place in the code pass in a minute, with how often it happened."""

    def __init__(self, repeats: Repeats | None = None) -> None:
        super().__init__()
        self._repeats = repeats or Repeats()

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written now; one that is tells of those that were not."""
        if record.levelno < logging.WARNING:
            return True
        kind = record.exc_info[0] if record.exc_info else None
        times = self._repeats.times(record.name, record.pathname, record.lineno, kind)
        if times > 1:
            record.msg, record.args = f"{record.getMessage()} ({times} times since the last such line)", ()
        return times > 0


class PlainLines(logging.Formatter):
    """Time in UTC, level, part of the program, request, message, and the traceback of an error."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(request)s %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802  # the name that `logging` calls
        """The time of a record in UTC."""
        return _time_of(record)

    def format(self, record: logging.LogRecord) -> str:
        """The line; what a message brings along cannot begin another one."""
        record.request = getattr(record, "request", "") or "-"
        record.msg, record.args = _one_line(record.getMessage()), ()
        return super().format(record)


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        found: dict[str, Any] = {
            "time": _time_of(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request": getattr(record, "request", ""),
            "message": record.getMessage(),
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found)


class RecentErrors(logging.Handler):
    """Counts the errors that a process logs, also those of a flood."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(logging.ERROR)
        self._clock = clock
        self._own = threading.Lock()
        self._times: deque[float] = deque(maxlen=MOST_REMEMBERED)
        self.total = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count an error."""
        with self._own:
            self._times.append(self._clock())
            self.total += 1

    def last_hour(self) -> int:
        """How many there were within an hour, 10,000 at most."""
        since = self._clock() - HOUR
        with self._own:
            return sum(1 for one in self._times if one >= since)


def start_logging(settings: Settings) -> None:
    """Send the log of this process to standard error, in the form that the settings name."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if settings.log_json else PlainLines())
    handler.addFilter(RequestIds())
    handler.addFilter(OncePerMinute())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger(ACCESS).setLevel(logging.INFO if settings.access_log else logging.WARNING)
    logging.getLogger("workbench.slow").setLevel(logging.INFO)


def _time_of(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")


def _one_line(text: str) -> str:
    return "".join(character if character.isprintable() else f"\\x{ord(character):02x}" for character in text)


# Seconds; a save takes milliseconds, a table of scores seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)
READS = frozenset({"GET", "HEAD", "OPTIONS"})
METHODS = READS | {"POST", "PUT", "PATCH", "DELETE"}
READING, SAVING = "reading", "saving"
LOG = logging.getLogger(ACCESS)


class Observed:
    """The counts of a server since it `began` (seconds since 1970)."""

    def __init__(self) -> None:
        self.began = time.time()
        self.errors = RecentErrors()
        self.registry = CollectorRegistry()
        of_request = ("method", "endpoint", "status")
        self._requests = Counter(
            "workbench_requests", "Requests answered", of_request, registry=self.registry
        )
        self._seconds = Histogram(
            "workbench_request_seconds",
            "Seconds to answer a request",
            ("kind",),
            buckets=BUCKETS,
            registry=self.registry,
        )

    def add(self, method: str, endpoint: str, status: int, seconds: float) -> None:
        """Count a request, and write its line if the access log is on."""
        self._requests.labels(method, endpoint, str(status)).inc()
        self._seconds.labels(READING if method in READS else SAVING).observe(seconds)
        if LOG.isEnabledFor(logging.INFO):
            fields = {
                "request": g.request_id,
                "method": method,
                "endpoint": endpoint,
                "status": status,
                "milliseconds": round(seconds * 1000, 1),
            }
            LOG.info(
                "%s", " ".join(f"{name}={value}" for name, value in fields.items()), extra={FIELDS: fields}
            )
