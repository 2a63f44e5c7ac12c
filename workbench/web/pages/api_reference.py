"""The reference of the API for people, from the same document that programs read."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, current_app, render_template, url_for

from workbench.web.access import anyone
from workbench.web.api.documentation import document_of

blueprint = Blueprint("api_reference", __name__, url_prefix="/api")


@blueprint.get("")
@anyone
def index() -> str:
    """Every operation by resource, and the forms of what they take and return."""
    document = document_of(current_app)
    by_tag: dict[str, list[dict[str, Any]]] = {one["name"]: [] for one in document["tags"]}
    for path, methods in document["paths"].items():
        for method, stated in methods.items():
            by_tag[stated["tags"][0]].append({**stated, "path": path, "method": method.upper()})
    return render_template(
        "api/index.html",
        about=document["info"]["description"].split("\n\n"),
        by_tag=by_tag,
        schemas=document["components"]["schemas"],
        address=url_for("api.documentation.openapi"),
    )
