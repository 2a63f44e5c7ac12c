"""Errors as pages and fragments; ids in addresses; what templates do with odd text."""

from __future__ import annotations

from datetime import UTC, datetime
from urllib.parse import unquote

import pytest
from flask import Flask, render_template_string
from flask.testing import FlaskClient
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from tests.cast import Cast
from workbench.errors import Finding, InvalidInput, Severity, WorkbenchError
from workbench.web.access import anyone
from workbench.web.errors import EXPLANATIONS, TITLES
from workbench.web.plain_text import blocks
from workbench.web.requests import read_id, write_id
from workbench.web.templating import day, grouped, moment


@pytest.fixture
def app(own_app: Flask) -> Flask:
    """An application of the test's own, which gets routes that fail."""
    return own_app


def raising(app: Flask, error: Exception) -> str:
    @anyone
    def fail() -> str:
        raise error

    app.add_url_rule("/fail", "fail", fail)
    return "/fail"


def test_a_refused_file_shows_all_its_findings(app: Flask) -> None:
    findings = [
        Finding("a.run", 17, "columns", "expected 6 columns, found 5", "add the tag"),
        Finding("<b>.run", None, "empty", "the file is empty"),
        Finding("a.run", 18, "tie", "two scores are equal", "", Severity.WARNING),
    ]
    answer = app.test_client().get(raising(app, InvalidInput(findings)))
    assert answer.status_code == 422
    for text in (
        TITLES[422],
        "3 errors",
        "a.run:17",
        "expected 6 columns, found 5",
        "add the tag",
        "&lt;b&gt;.run",
        "warning",
    ):
        assert text in answer.text


def test_htmx_gets_the_error_as_a_fragment(app: Flask) -> None:
    address = raising(app, WorkbenchError("the pool is empty", remedy="add runs first"))
    answer = app.test_client().get(address, headers={"HX-Request": "true"})
    assert answer.status_code == 422
    assert answer.text.lstrip().startswith('<div class="failure" id="errors" role="alert">')
    assert "The pool is empty. Add runs first." in answer.text


def test_an_unexpected_error_gives_nothing_away(app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    address = raising(app, ZeroDivisionError("secret detail"))
    app.testing = False
    answer = app.test_client().get(address)
    assert answer.status_code == 500
    assert "secret detail" not in answer.text
    assert "ZeroDivision" not in answer.text
    assert EXPLANATIONS[500][0] in answer.text
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "secret detail" in caplog.text


def test_a_missing_page_and_a_wrong_method_are_pages_too(ada: FlaskClient) -> None:
    missing, wrong = ada.get("/nothing/here"), ada.post("/account")
    assert missing.status_code == 404
    assert f"<h1>{TITLES[404]}</h1>" in missing.text
    assert "Ada" in missing.text
    assert wrong.status_code == 405
    assert "GET" in wrong.headers["Allow"]
    # A form that names what is gone leads back to its page.
    sender = {"Referer": "http://localhost/account/tokens?a=b"}
    gone = ada.post("/account/tokens/77/revoke", headers=sender)
    assert gone.status_code == 404
    assert "<h1>Not found</h1>" in gone.text
    assert '<a class="button primary" href="/account/tokens?a=b">Back to the page</a>' in gone.text
    elsewhere = ada.post("/account/tokens/77/revoke", headers={"Referer": "http://other.example/x"})
    assert "Back to the page" not in elsewhere.text


def test_a_name_that_is_nowhere_is_an_error_in_templates(app: Flask, cast: Cast) -> None:
    with app.test_request_context(), pytest.raises(UndefinedError):
        render_template_string("{{ nowhere }}")


def test_a_byte_that_was_no_utf8_is_shown_and_not_a_crash(app: Flask) -> None:
    with app.test_request_context():
        assert render_template_string("{{ x }}", x="doc\udce9<") == "doc\\xe9&lt;"
        assert render_template_string("{{ x }}", x=None) == ""


@given(st.text(st.characters(codec=None, exclude_categories=[]), max_size=20), st.binary(max_size=20))
def test_every_id_goes_through_an_address_and_comes_back(text: str, raw: bytes) -> None:
    for identifier in (
        text.encode("utf-8", "replace").decode(),
        raw.decode("utf-8", "surrogateescape"),
        ".",
        "..",
        "a/../b",
        "100%25",
    ):
        written = write_id(identifier)
        written.encode()
        assert read_id(written) == identifier
        # As a form or a query string brings it: decoded once more from what the browser encoded.
        assert "\n" not in written
        assert "\r" not in written


def test_an_id_is_one_segment_of_a_path(app: Flask) -> None:
    @anyone
    def show(topic: str) -> str:
        return topic.encode("utf-8", "surrogateescape").hex()

    app.add_url_rule("/show/<id:topic>/end", "show", show)
    client = app.test_client()
    for topic in ("MB001", "a/b", "..", "d#3?x=1", "é 5", "100%"):
        with app.test_request_context():
            address = app.url_for("show", topic=topic)
        assert address.count("/") == 3
        answer = client.get(address)
        assert answer.text == topic.encode("utf-8", "surrogateescape").hex(), unquote(address)
    # A byte outside UTF-8 is in no id that a database keeps.
    with app.test_request_context():
        address = app.url_for("show", topic="\udcff")
    assert client.get(address).status_code == 404


def test_numbers_and_moments_are_written_for_people() -> None:
    when = datetime(2026, 12, 2, 14, 5, tzinfo=UTC)
    assert grouped(28412) == "28,412"
    assert day(when) == '<time datetime="2026-12-02T14:05:00+00:00">2 December 2026</time>'
    assert ">2 December 2026, 14:05 UTC<" in moment(when)


def test_a_text_that_is_set_in_as_a_whole_stays_together() -> None:
    (block,) = blocks("     The tide\n     comes in\n     and goes")
    assert block.text == "The tide\ncomes in\nand goes"
