"""What watches a server: whether it is well, and its figures."""

from __future__ import annotations

import secrets
import time

from flask import Blueprint, g, request
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from werkzeug.wrappers import Response

from workbench.errors import NotFound, Unavailable, WorkbenchError
from workbench.storage.limits import time_limit
from workbench.storage.migrate import reachable
from workbench.web.access import anyone
from workbench.web.context import app_context
from workbench.web.logs import METHODS
from workbench.web.security import LOCAL, is_in

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


metrics = Blueprint("metrics", __name__)
PATH = "/metrics"
NO_PAGE = "none"


@metrics.get(PATH, endpoint="index")
@anyone
def figures() -> Response:
    """The counts of this server."""
    _require_monitor()
    return Response(generate_latest(app_context().observed.registry), content_type=CONTENT_TYPE_LATEST)


@metrics.after_app_request
def count(response: Response) -> Response:
    """Count an answer, and write its line if the access log is on."""
    method = request.method if request.method in METHODS else "other"
    seconds = time.perf_counter() - g.began
    app_context().observed.add(method, request.endpoint or NO_PAGE, response.status_code, seconds)
    return response


def _require_monitor() -> None:
    """Raise NotFound for everybody else: that there is something is nobody's business."""
    token = app_context().settings.metrics_token
    if token:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        allowed = secrets.compare_digest(given.encode(), token.encode())
    else:
        # A proxy that nobody has declared is local, and says so by such a header.
        forwarded = any(name in request.headers for name in ("X-Forwarded-For", "Forwarded"))
        allowed = not forwarded and is_in(request.remote_addr or "", LOCAL)
    if not allowed:
        raise NotFound("there is no page at this address", remedy="see the list of your campaigns")


BLUEPRINTS = (
    blueprint,
    metrics,
)
