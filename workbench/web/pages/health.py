"""The health check, for load balancers and service managers."""

from __future__ import annotations

from flask import Blueprint

from workbench.errors import Unavailable, WorkbenchError
from workbench.storage.limits import time_limit
from workbench.storage.migrate import reachable
from workbench.web.access import anyone
from workbench.web.context import app_context

blueprint = Blueprint("health", __name__)
RETRY_SECONDS = 5
SECONDS = 2.0
"""How long the database has to respond."""
AWAY, FULL = "the database does not answer", "the disk of the server is full: nothing is saved"
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}


@blueprint.get("/healthz")
@anyone
def index() -> tuple[str, int, dict[str, str]]:
    """`ok`, or 503 with what does not work; no more of the reason is disclosed."""
    database = app_context().database
    problem = ""
    try:
        with time_limit(SECONDS):
            reachable(database)
    except (WorkbenchError, Unavailable):
        problem = AWAY
    else:
        problem = FULL if database.disk_full else ""
    if problem:
        return f"{problem}\n", 503, PLAIN | {"Retry-After": str(RETRY_SECONDS)}
    return "ok\n", 200, PLAIN
