"""What becomes of web pages, articles and news on the page: their structure stays, nothing of them runs."""

from __future__ import annotations

import io

from tests.formats.test_documents_jats import ARTICLE, DOCTYPE
from workbench.formats.documents import read_documents
from workbench.formats.web_pages import web_page
from workbench.web.rendering import render_document


def test_cells_span_columns_and_rows_as_far_as_a_table_needs() -> None:
    shown = render_document(
        '<table><tr><td colspan="2" rowspan="x">a</td><th rowspan="3">b</th></tr></table>'
    )
    assert '<td colspan="2" dir="auto">a</td>' in shown
    assert '<th rowspan="3" dir="auto">b</th>' in shown
    assert "colspan" not in render_document('<table><tr><td colspan="100000">a</td></tr></table>')


def test_an_article_keeps_headings_lists_tables_and_formulas() -> None:
    (article,) = read_documents(io.BytesIO((DOCTYPE + ARTICLE).encode()), source="f")
    shown = render_document(article.text)
    # Headings stand below those of the page.
    assert '<h4 dir="auto">1 Method</h4>' in shown
    assert "<mfrac><mi>a</mi><mn>2</mn></mfrac>" in shown
    assert '<td colspan="2" dir="auto">both</td>' in shown
    assert "[Image: f1.jpg]" in shown
    assert "<img" not in shown


def test_nothing_of_a_hostile_page_runs_or_is_fetched() -> None:
    page = (
        b"<html><head><title>T</title><script src=https://t.example/a.js></script>"
        b"<link rel=stylesheet href=//t.example/a.css><meta http-equiv=refresh content='0;url=//t.example'>"
        b"<base href=//t.example></head><body onload=alert(1)><h1 onclick=alert(1)>Tides</h1>"
        b"<img src=//t.example/pixel.gif><svg onload=alert(1)></svg><iframe src=//t.example></iframe>"
        b"<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></table></math>"
        b"<a href=javascript:alert(1)>x</a></body></html>"
    )
    document = web_page("d", page)
    assert document.title == "T"
    assert "<script" in document.text  # what was crawled is kept, and proved by its hash
    shown = render_document(document.text)
    assert "Tides" in shown
    for part in (
        "<script",
        "<link",
        "<meta",
        "<base",
        "<img",
        "<iframe",
        "<svg",
        "javascript:",
        "t.example",
        " on",
    ):
        assert part not in shown, part
