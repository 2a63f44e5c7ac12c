"""The site under a path such as `/workbench`: every address has it in front, and nothing is beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import Client

from tests.cast import CHEAP, Cast, signed_in_client
from workbench.errors import WorkbenchError
from workbench.settings import Settings, read_settings
from workbench.storage.engine import Database
from workbench.web.context import Context, init_app
from workbench.web.security import UnderPrefix

PREFIX = "/workbench"
ADDRESS = re.compile(r"""\s[a-z-]+=["'](/[^"']*)["']""")


@pytest.fixture
def under_prefix(app: Flask, settings: Settings, sqlite_database: Database) -> Iterator[Flask]:
    """The shared application, under the prefix while a test runs."""
    init_app(app, Context(replace(settings, prefix=PREFIX), sqlite_database, CHEAP))
    before = app.wsgi_app
    app.wsgi_app = UnderPrefix(before, PREFIX)  # type: ignore[method-assign]
    yield app
    app.wsgi_app = before  # type: ignore[method-assign]


@pytest.fixture
def organiser(under_prefix: Flask, sqlite_database: Database, cast: Cast) -> FlaskClient:
    return signed_in_client(under_prefix, sqlite_database, cast.accounts["Olga"])


def echo(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    start_response("200 OK", [])
    return [f"{environ['SCRIPT_NAME']} {environ['PATH_INFO']}".encode()]


@pytest.mark.parametrize(
    ("path", "answered"),
    [
        ("/workbench", (200, "/workbench /")),
        ("/workbench/", (200, "/workbench /")),
        ("/workbench/c/x", (200, "/workbench /c/x")),
        ("/workbench/workbench/x", (200, "/workbench /workbench/x")),
        ("/", (404, "There is nothing here. Workbench is at /workbench/\n")),
        ("/workbenches/c/x", (404, "There is nothing here. Workbench is at /workbench/\n")),
    ],
)
def test_what_is_beside_the_prefix_is_not_found(path: str, answered: tuple[int, str]) -> None:
    answer = Client(UnderPrefix(echo, PREFIX)).get(path)
    assert (answer.status_code, answer.text) == answered


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/help/judging",
        "/account",
        "/c/harbour/",
        "/c/harbour/runs",
        "/c/harbour/pools",
        "/c/harbour/documents",
        "/c/harbour/agreement",
        "/c/harbour/people",
        "/c/nowhere/",
    ],
)
def test_every_address_of_a_page_begins_with_the_prefix(organiser: FlaskClient, path: str) -> None:
    page = organiser.get(PREFIX + path, follow_redirects=True).text
    found = ADDRESS.findall(page)
    assert len(found) > 3
    assert [address for address in found if not address.startswith(f"{PREFIX}/")] == []


def test_signing_in_leads_back_and_nowhere_beside_the_prefix(under_prefix: Flask, cast: Cast) -> None:
    client = under_prefix.test_client()
    asked = client.get("/workbench/c/harbour/judge/1")
    assert asked.location == "/workbench/sign-in?next=/workbench/c/harbour/judge/1"
    led = client.get("/workbench/sign-in?next=/another/program").text
    assert "/another/program" not in led
    assert 'value="/workbench/account"' in client.get("/workbench/sign-in?next=/workbench/account").text


@pytest.mark.parametrize(
    ("value", "prefix"),
    [("", ""), ("/", ""), ("workbench", "/workbench"), ("/a/b.c/", "/a/b.c")],
)
def test_the_prefix_is_read_with_or_without_slashes_at_its_ends(value: str, prefix: str) -> None:
    assert read_settings({"WORKBENCH_PREFIX": value}).prefix == prefix


@pytest.mark.parametrize("value", ["/a b", "/a//b", "/a/../b", "/a?b", "/ä", "/a;}"])
def test_a_prefix_that_would_mean_something_else_elsewhere_is_refused(value: str) -> None:
    with pytest.raises(WorkbenchError, match="WORKBENCH_PREFIX"):
        read_settings({"WORKBENCH_PREFIX": value})
