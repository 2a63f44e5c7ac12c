"""The reference of the API for people, from the same document that programs read."""

from __future__ import annotations

from flask import Blueprint, current_app, render_template, url_for
from markupsafe import Markup

from workbench.web.access import anyone
from workbench.web.api.documentation import document_of
from workbench.web.requests import Values

blueprint = Blueprint("api_reference", __name__, url_prefix="/api")
KEY = "workbench_api_reference"


@blueprint.get("")
@anyone
def index() -> str:
    """Every operation by resource, and the forms of what they take and return."""
    document = document_of(current_app)
    return render_template(
        "api/index.html",
        about=document["info"]["description"].split("\n\n"),
        tags=[one["name"] for one in document["tags"]],
        operations=_operations(document),
        address=url_for("api.documentation.openapi"),
    )


def _operations(document: Values) -> Markup:
    """All operations and forms as HTML; made once, since a tenth of a second is long for a page."""
    found: Markup | None = current_app.extensions.get(KEY)
    if found is None:
        by_tag: dict[str, list[Values]] = {one["name"]: [] for one in document["tags"]}
        for path, methods in document["paths"].items():
            for method, stated in methods.items():
                by_tag[stated["tags"][0]].append({**stated, "path": path, "method": method.upper()})
        rendered = render_template(
            "api/operations.html", by_tag=by_tag, schemas=document["components"]["schemas"]
        )
        found = current_app.extensions[KEY] = Markup(rendered)  # noqa: S704 - a template of ours, escaped
    return found
