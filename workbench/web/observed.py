"""What a server observes of its requests: counts and times for `/metrics`, and the access log."""

from __future__ import annotations

import logging
import time

from flask import g
from prometheus_client import CollectorRegistry, Counter, Histogram

from workbench.web.logs import ACCESS, FIELDS, RecentErrors

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
