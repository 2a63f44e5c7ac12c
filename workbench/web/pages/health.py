"""The health check, for load balancers and service managers."""

from __future__ import annotations

from flask import Blueprint

from workbench.web.access import anyone
from workbench.web.context import app_context
from workbench.web.health import PATH, database_problem, health_response

blueprint = Blueprint("health", __name__)


@blueprint.get(PATH)
@anyone
def index() -> tuple[str, int, dict[str, str]]:
    """`ok`, or 503 with what does not work; a server's door answers it without this view."""
    return health_response(database_problem(app_context().database))
