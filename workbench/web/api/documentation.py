"""The API's own description: the OpenAPI document, open to everybody."""

from __future__ import annotations

import json
from typing import Any

from flask import Blueprint, Flask, current_app
from werkzeug.wrappers import Response

from workbench.web.access import anyone
from workbench.web.api.openapi import openapi_document

blueprint = Blueprint("documentation", __name__)
KEY = "workbench_openapi"


@blueprint.get("/openapi.json")
@anyone
def openapi() -> Response:
    """The OpenAPI document."""
    return Response(json.dumps(document_of(current_app)), content_type="application/json")


def document_of(app: Flask) -> dict[str, Any]:
    """The OpenAPI document of an application; made once, since no part of it changes while a server runs."""
    found: dict[str, Any] | None = app.extensions.get(KEY)
    if found is None:
        found = app.extensions[KEY] = openapi_document(app)
    return found
