"""Pages of the web: the addresses of their images, and encodings that no page has."""

from __future__ import annotations

import pytest

from workbench.formats import web_pages
from workbench.formats.web_pages import image_addresses, page_text

PAGE = "https://example.org/a/b.html"


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("tide.png", "https://example.org/a/tide.png"),
        ("/tide.png#top", "https://example.org/tide.png"),
        ("//other.example.org/t.gif", "https://other.example.org/t.gif"),
    ],
)
def test_an_image_has_the_address_that_the_page_gives_it(source: str, address: str) -> None:
    assert image_addresses(f'<img src="{source}">', PAGE) == {source: address}


@pytest.mark.parametrize(
    "written",
    [
        '<img src="data:image/png;base64,AAAA">',
        '<img src="http://[::1">',
        "<img>",
        '<img src="file:///etc/passwd">',
    ],
)
def test_what_is_no_address_of_the_web_is_left_out(written: str) -> None:
    assert image_addresses(written, PAGE) == {}


def test_no_more_images_are_looked_for_than_a_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_pages, "MOST_IMAGES", 2)
    written = "".join(f'<img src="{number}.png">' for number in range(5))
    assert list(image_addresses(written, PAGE)) == ["0.png", "1.png"]


@pytest.mark.parametrize("charset", [None, "no-such-encoding", "a b; c", "utf-8"])
def test_an_encoding_that_no_page_has_is_passed_over(charset: str | None) -> None:
    assert "Ebbe und Höchststand" in page_text("<p>Ebbe und Höchststand</p>".encode(), charset)
