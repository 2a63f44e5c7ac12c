"""Records of collections as assessors see them: pages of a crawl, paragraphs, what has no field of text."""

from __future__ import annotations

import json
import sys
from typing import NamedTuple

import pytest

from tests.catalogue import registered
from workbench import datasets
from workbench.datasets import catalogue_entry, shown_document
from workbench.errors import WorkbenchError


class Page(NamedTuple):
    """A page of a crawl."""

    doc_id: str
    url: str
    http_headers: bytes
    body: bytes
    body_content_type: str


class Article(NamedTuple):
    """An article that the library has in paragraphs."""

    doc_id: str
    title: str
    body: str
    body_paras_html: tuple[str, ...]


class Tagged(NamedTuple):
    """A record without a field of text, which the library puts together."""

    doc_id: str
    title: str
    tags: bytes

    def default_text(self) -> str:
        """What the library gives to search engines."""
        return f"{self.title} {self.tags.decode()}"


def test_a_page_of_a_crawl_is_its_html_with_its_bytes_and_its_encoding() -> None:
    body = "<title>Gezeiten</title><p>Höchststand</p>".encode("latin-1")
    headers = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=iso-8859-1\r\n"
    found = shown_document(Page("clue-1", "https://example.org/", headers, body, "text/html; charset=x"))
    assert (found.docno, found.title) == ("clue-1", "Gezeiten")
    assert "Höchststand" in found.text
    original = found.original
    assert original is not None
    assert (original.media_type, original.content, original.address) == (
        "text/html",
        body,
        "https://example.org/",
    )
    # What is no page of the web is kept as one: nothing else is ever opened.
    other = shown_document(Page("clue-2", "", b"", b"<p>x", "application/x-sh")).original
    assert other is not None
    assert (other.media_type, other.charset) == ("text/html", "")


def test_an_article_is_shown_by_its_paragraphs_or_else_its_text() -> None:
    found = shown_document(Article("a1", " High  water ", "It is high.", ("It <b>is</b> high.", "Ebb.")))
    assert (found.title, found.text) == ("High water", "<p>It <b>is</b> high.</p>\n<p>Ebb.</p>\n")
    assert shown_document(Article("a2", "", "It is high.", ())).text == "It is high."


def test_a_record_without_a_text_is_what_search_engines_get_without_its_title() -> None:
    found = shown_document(Tagged("p1", "Quay", b"harbour sea"))
    assert (found.title, found.text) == ("Quay", "harbour sea")
    assert found.original is not None
    assert json.loads(found.original.content or b"") == {
        "doc_id": "p1",
        "title": "Quay",
        "tags": "harbour sea",
    }


def test_without_the_library_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(WorkbenchError, match="need ir_datasets") as told:
        catalogue_entry("cranfield")
    assert told.value.remedy == datasets.INSTALL


def test_a_long_reason_of_the_library_is_cut() -> None:
    import ir_datasets

    class Failing(ir_datasets.formats.BaseQueries):  # type: ignore[misc]  # the library has no types
        def queries_iter(self) -> None:
            raise OSError("the network\nwas lost " * 100)

    with pytest.raises(WorkbenchError) as told:
        catalogue_entry(registered(ir_datasets.Dataset(Failing()))).topics()
    reason = told.value.message.partition("cannot be read: ")[2]
    assert reason.startswith("the network was lost the network")
    assert (len(reason), reason[-1]) == (301, "…")
    assert "ir_datasets keeps its files in" in told.value.remedy
