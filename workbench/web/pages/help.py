"""The manual in the browser: its pages and the search over them, open to everybody."""

from __future__ import annotations

from flask import Blueprint, render_template, url_for
from markupsafe import Markup

from workbench.help.manual import by_reader, neighbours, page_named
from workbench.help.rendering import page_html, sections
from workbench.help.search import search
from workbench.web.access import anyone
from workbench.web.forms import query_text
from workbench.web.requests import wants_fragment

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
