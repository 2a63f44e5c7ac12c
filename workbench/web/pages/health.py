"""The health check, for load balancers and service managers."""

from __future__ import annotations

from flask import Blueprint

from workbench.errors import WorkbenchError
from workbench.storage.engine import reachable
from workbench.web.access import anyone
from workbench.web.context import app_context

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
@anyone
def index() -> tuple[str, int, dict[str, str]]:
    """`ok`, or 503 if the database does not respond; the reason is not disclosed here."""
    plain = {"Content-Type": "text/plain; charset=utf-8"}
    try:
        reachable(app_context().database)
    except WorkbenchError:
        return "the database does not answer\n", 503, plain
    return "ok\n", 200, plain
