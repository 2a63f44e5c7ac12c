"""Scripts tried by themselves, in a page of their own that is no page of the application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Route

from tests.tree import ROOT

ADDRESS = "http://scripts.example"
PAGE = """<!doctype html><meta charset="utf-8"><section id="document"><article><h2>Title</h2>
<div class="text"><p>One <b>th</b>yroid, two.</p><ul><li>hair</li><li>loss</li></ul><p>Last.</p></div>
</article></section>"""


def open_scripts(page: Page) -> Page:
    """Let a page import whatever is in `static`."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ADDRESS).partition("?")[0]
        if path == "/":
            route.fulfill(body=PAGE, content_type="text/html")
        else:
            route.fulfill(path=Path(ROOT, path.lstrip("/")), content_type="text/javascript")

    page.route(f"{ADDRESS}/**", answer)
    page.goto(f"{ADDRESS}/")
    return page


def run(page: Page, module: str, body: str, given: Any = None) -> Any:
    """The value of a function's body in which `m` is the module and `given` what was given."""
    return page.evaluate(
        f"async (given) => {{ const m = await import('/static/{module}.js'); {body} }}", given
    )
