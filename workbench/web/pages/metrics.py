"""`/metrics` for Prometheus: open to local addresses, or to whoever has the token of the settings."""

from __future__ import annotations

import os
import secrets

from flask import Blueprint, request
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.multiprocess import MultiProcessCollector
from werkzeug.wrappers import Response

from workbench.errors import NotFound
from workbench.web.access import anyone
from workbench.web.context import app_context
from workbench.web.proxies import LOCAL, is_in

blueprint = Blueprint("metrics", __name__)
PATH = "/metrics"
# Of prometheus_client: where the processes of a server keep their counts, so that each can tell all of them.
SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"


@blueprint.get(PATH)
@anyone
def index() -> Response:
    """The counts of all processes of this server."""
    _require_monitor()
    return Response(generate_latest(_counts()), content_type=CONTENT_TYPE_LATEST)


def _counts() -> CollectorRegistry:
    if SHARED_FOLDER not in os.environ:
        return app_context().observed.registry
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call]  # the library gives it no types
    return together


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
