"""Hostile pages as text of a document: only elements and attributes that do nothing come out, twice over."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from tests.web.hostile_pages import PAGES
from workbench.web.rendering import ALLOWED, MATH, render_document
from workbench.web.stand_ins import ImageAddress

ELEMENTS = ALLOWED | MATH | {"span", "img"}
_ATTRIBUTES = (
    "class dir lang title role aria-label href target rel data-to colspan rowspan src alt width height "
    "display mathvariant fence largeop movablelimits separator stretchy symmetric linethickness displaystyle "
    "accent accentunder columnspan"
)
_CLASSES = "text as-html part lines scroll left-out control of-page indented goes-on"
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
OWN_CLASSES = frozenset(_CLASSES.split())


class Seen(HTMLParser):
    """The elements of HTML with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))


@pytest.mark.parametrize("name", PAGES)
def test_nothing_comes_out_that_does_anything(name: str) -> None:
    images = {"x": ImageAddress("/c/harbour/files/0", 1, 1)}
    for shown in (render_document(PAGES[name]), render_document(PAGES[name], images)):
        for again in (str(shown), str(render_document(str(shown)))):
            for tag, attributes in Seen(again).elements:
                assert tag in ELEMENTS, tag
                assert attributes.keys() <= ATTRIBUTES, (tag, attributes)
                assert set((attributes.get("class") or "").split()) <= OWN_CLASSES
                assert (attributes.get("href") or "http://").startswith(("http://", "https://"))
                assert attributes.get("src") in (None, "/c/harbour/files/0")
