"""`/metrics` for Prometheus: open to local addresses, or to whoever has the token of the settings."""

from __future__ import annotations

import secrets
import time

from flask import Blueprint, g, request
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from werkzeug.wrappers import Response

from workbench.errors import NotFound
from workbench.web.access import anyone
from workbench.web.context import app_context
from workbench.web.observed import METHODS
from workbench.web.proxies import LOCAL, is_in

blueprint = Blueprint("metrics", __name__)
PATH = "/metrics"
NO_PAGE = "none"


@blueprint.get(PATH)
@anyone
def index() -> Response:
    """The counts of this server."""
    _require_monitor()
    return Response(generate_latest(app_context().observed.registry), content_type=CONTENT_TYPE_LATEST)


@blueprint.after_app_request
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
