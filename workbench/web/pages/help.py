"""Help: the manual, its search, and the page of the API."""

from __future__ import annotations

from flask import Blueprint, current_app, render_template, url_for
from markupsafe import Markup

from workbench.help.manual import by_reader, neighbours, page_named
from workbench.help.search import page_html, search, sections
from workbench.web.access import anyone
from workbench.web.api.openapi import document_of
from workbench.web.forms import query_text
from workbench.web.requests import Values, wants_fragment

blueprint = Blueprint("help", __name__, url_prefix="/help")
LONGEST_QUERY = 200


@blueprint.get("")
@anyone
def index() -> str:
    """The list of pages, or what the search finds; htmx gets the list alone."""
    query = query_text("q")[:LONGEST_QUERY].strip()
    return render_template(
        "help/_results.html" if wants_fragment() else "help/index.html",
        query=query,
        hits=search(query),
        readers=by_reader(),
    )


@blueprint.get("/<page>")
@anyone
def page(page: str) -> str:
    """One page, or its text alone beside another page; raises NotFound where there is none of this name."""
    found = page_named(page)
    # Made of our own files, in which no HTML passes.
    rendered = page_html(
        found,
        address=lambda page, anchor: url_for("help.page", page=page, _anchor=anchor),
        picture=lambda name: url_for("static", filename=f"help/{name}"),
    )
    article = Markup(rendered)  # noqa: S704 - our own pages
    if wants_fragment():
        return render_template("help/_beside.html", page=found, article=article)
    before, after = neighbours(found)
    return render_template(
        "help/page.html",
        page=found,
        article=article,
        headings=[one for one in sections(found) if one.level == 2],
        before=before,
        after=after,
        readers=by_reader(),
        query="",
    )


api_reference = Blueprint("api_reference", __name__, url_prefix="/api")
KEY = "workbench_api_reference"


@api_reference.get("", endpoint="index")
@anyone
def reference() -> str:
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


BLUEPRINTS = (
    blueprint,
    api_reference,
)
