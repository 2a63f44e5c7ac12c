"""What a server process observes of its requests: counts and times for `/metrics`, and the access log."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from prometheus_client import CollectorRegistry, Counter, Histogram

from workbench.web.logs import ACCESS, FIELDS, RecentErrors

# Seconds; a save takes milliseconds, a table of scores seconds.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120)
NO_PAGE = "none"
LOG = logging.getLogger(ACCESS)


@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """A request that was answered: its endpoint, its kind (`places.RequestKind`), and its id.

    `seconds` are those from its first byte to the last of its answer, as far as this process sees it.
    """

    method: str
    endpoint: str | None
    kind: str
    status: int
    seconds: float
    request_id: str


class Observed:
    """The counts of a process since it `began` (seconds since 1970).

    `busy` tells how many requests of each kind are being answered or wait; the server's door sets it.
    """

    def __init__(self) -> None:
        self.began = time.time()
        self.errors = RecentErrors()
        self.busy: Callable[[], Mapping[str, int]] = dict
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "workbench_requests",
            "Requests answered",
            ("method", "endpoint", "status"),
            registry=self.registry,
        )
        self._seconds = Histogram(
            "workbench_request_seconds",
            "Seconds to answer a request",
            ("kind",),
            buckets=BUCKETS,
            registry=self.registry,
        )

    def add(self, one: AnsweredRequest) -> None:
        """Count a request, and write its line if the access log is on."""
        endpoint = one.endpoint or NO_PAGE
        self._requests.labels(one.method, endpoint, str(one.status)).inc()
        self._seconds.labels(one.kind).observe(one.seconds)
        if LOG.isEnabledFor(logging.INFO):
            fields = {
                "request": one.request_id,
                "method": one.method,
                "endpoint": endpoint,
                "status": one.status,
                "milliseconds": round(one.seconds * 1000, 1),
            }
            message = " ".join(f"{name}={value}" for name, value in fields.items())
            LOG.info("%s", message, extra={FIELDS: fields})
