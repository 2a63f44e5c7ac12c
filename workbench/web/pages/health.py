"""The health check, for load balancers and service managers."""

from __future__ import annotations

from flask import Blueprint

from workbench.errors import WorkbenchError
from workbench.storage.reachability import reachable
from workbench.web.access import anyone
from workbench.web.context import app_context
from workbench.web.health import PATH, health_response

blueprint = Blueprint("health", __name__)


@blueprint.get(PATH)
@anyone
def index() -> tuple[str, int, dict[str, str]]:
    """`ok`, or 503 if the database does not respond; a server's door answers it without this view."""
    try:
        reachable(app_context().database)
    except WorkbenchError:
        return health_response(False)
    return health_response(True)
