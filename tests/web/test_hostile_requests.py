"""No address, field or header is an error of the server: every route is asked with what nobody expects."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from werkzeug.routing import IntegerConverter, Rule

from tests.cast import CHEAP, Cast, assemble, signed_in_client
from tests.tree import ROOT
from tests.web.test_access import methods_of
from workbench.settings import Settings
from workbench.storage.engine import Database
from workbench.web.context import Context, init_app

pytestmark = pytest.mark.engines

TOO_LARGE = 2**63  # one more than SQLite and PostgreSQL keep
# NUL, a byte that is no UTF-8 and a lone surrogate, once and twice escaped; a number that is too large.
HOSTILE = ("%00", "%2500", "%25FF", "%FF", "%25ED%25A0%2580", str(TOO_LARGE), str(10**30))
REFERERS = ("http://[", "http://localhost:99999999/x", "http://localhost/\x7f%00", "//[::1")
NAMES = re.compile(r'\bname="([a-z_.-]+)"')


World = tuple[Flask, Cast, Database]


@pytest.fixture
def world(postgresql_database: Database, shared_app: Flask, settings: Settings) -> Iterator[World]:
    """The shared application over PostgreSQL, which refuses more texts than SQLite does, with the cast."""
    before = dict(shared_app.extensions)
    init_app(shared_app, Context(settings, postgresql_database, CHEAP))
    yield shared_app, assemble(postgresql_database), postgresql_database
    shared_app.extensions.update(before)


def fields() -> list[str]:
    """The name of every field of every form, and what addresses ask."""
    found = {"topic", "docno", "tag", "from", "n", "a", "b", "first", "second", "assessor", "kind", "next"}
    for path in sorted(Path(ROOT, "templates").rglob("*.html")):
        found |= set(NAMES.findall(path.read_text(encoding="utf-8")))
    return sorted(found)


def real(rule: Rule, cast: Cast) -> dict[str, Any]:
    """Something for every argument of an address; of the numbers those of the cast where there are any."""
    known: dict[str, Any] = {
        "slug": cast.slug,
        "pool_id": cast.pool_id,
        "assignment_id": cast.assignments["Ada", "T1"],
        "group_id": cast.group_id,
        "account_id": cast.accounts["Vera"].id,
    }
    found: dict[str, Any] = {}
    for name in rule.arguments:
        converter = rule._converters[name]
        choices = sorted(getattr(converter, "items", ()) or ())
        default: Any = 1 if isinstance(converter, IntegerConverter) else (choices or ["T1"])[0]
        found[name] = known.get(name, default)
    return found


def failures(world: World, name: str, method: str, query: str, typed: str = "") -> dict[str, str]:
    """The addresses at which somebody's request is an error of the server, with the error.

    Of a form every field holds what is `typed`.
    """
    app, cast, database = world
    found: dict[str, str] = {}
    client = signed_in_client(app, database, cast.accounts[name])
    for rule in app.url_map.iter_rules():
        if rule.endpoint == "static" or method not in methods_of(rule):
            continue
        if name == "Ada" and "assignment_id" not in rule.arguments:
            continue  # the others are the organiser's too, or refuse her
        built = rule.build(real(rule, cast), append_unknown=False)
        assert built is not None
        if client.get_cookie("workbench") is None:  # some of them sign out
            client = signed_in_client(app, database, cast.accounts[name])
        data = dict.fromkeys(fields(), typed) if method == "POST" else None
        try:
            status = client.open(built[1] + query, method=method, data=data, buffered=True).status_code
        except Exception as error:  # noqa: BLE001 - whatever it is, a server would answer 500
            found[f"{method} {built[1]}"] = f"{type(error).__name__}: {error}"[:300]
            continue
        if status >= 500:
            found[f"{method} {built[1]}"] = str(status)
    return found


HOSTILE_TEXT = "\0%00\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace") + "%FF"


def test_no_number_in_an_address_is_too_large(app: Flask, cast: Cast, sqlite_database: Database) -> None:
    client = signed_in_client(app, sqlite_database, cast.accounts["Olga"])
    asked = 0
    for rule in app.url_map.iter_rules():
        numbers = [name for name in rule.arguments if isinstance(rule._converters[name], IntegerConverter)]
        if not numbers:
            continue
        pattern = rule.build({**real(rule, cast), **dict.fromkeys(numbers, 987_654)}, append_unknown=False)
        assert pattern is not None
        for number in (TOO_LARGE, 10**30):
            address = pattern[1].replace("987654", str(number))
            for method in methods_of(rule):
                assert client.open(address, method=method).status_code in {404, 405}, address
                asked += 1
        # The largest that can be kept reaches the view, which finds nothing.
        if "GET" in methods_of(rule):
            address = pattern[1].replace("987654", str(TOO_LARGE - 1))
            assert client.get(address).status_code < 500, address
    assert asked > 50


def test_no_query_is_an_error_of_the_server(world: World) -> None:
    for shift, name in enumerate(("Olga", "Ada")):
        values = itertools.islice(itertools.cycle(HOSTILE), shift, None)
        query = "?" + "&".join(f"{field}={value}" for field, value in zip(fields(), values, strict=False))
        assert failures(world, name, "GET", query) == {}


@pytest.mark.slow
def test_no_form_is_an_error_of_the_server(world: World) -> None:
    for name in ("Ada", "Olga"):
        assert failures(world, name, "POST", "?docno=%2500&topic=%25FF&tag=%2500", HOSTILE_TEXT) == {}


@pytest.mark.slow
def test_no_number_in_a_form_is_too_large(world: World) -> None:
    assert failures(world, "Olga", "POST", "?docno=d1&topic=T1&tag=alpha", str(TOO_LARGE)) == {}


def test_no_text_in_an_address_is_an_error_of_the_server(world: World) -> None:
    app, cast, database = world
    client = signed_in_client(app, database, cast.accounts["Olga"])
    for rule in app.url_map.iter_rules():
        texts = [name for name in rule.arguments if not isinstance(rule._converters[name], IntegerConverter)]
        texts = [name for name in texts if not getattr(rule._converters[name], "items", None)]
        if not texts or rule.endpoint == "static":
            continue
        built = rule.build({**real(rule, cast), **dict.fromkeys(texts, "MARK")}, append_unknown=False)
        assert built is not None
        method = min(methods_of(rule))  # of one address all methods have the same texts
        for value in HOSTILE[:2]:
            answer = client.open(built[1].replace("MARK", value), method=method, buffered=True)
            assert answer.status_code < 500, (built[1], value)


@pytest.mark.parametrize("referer", REFERERS)
def test_an_odd_referer_leads_home(world: World, referer: str) -> None:
    app, _, _ = world
    answer = app.test_client().post("/account/name", headers={"Referer": referer})
    assert answer.status_code == 303
    assert answer.location.startswith("/sign-in?next=/")


def test_methods_that_no_page_states_are_refused(app: Flask, cast: Cast) -> None:
    client = app.test_client()
    assert [client.open("/sign-in", method=method).status_code for method in ("TRACE", "PUT")] == [405, 405]
