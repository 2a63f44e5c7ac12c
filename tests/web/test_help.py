"""The manual in the browser: open to everybody, linked from every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.cast import CHEAP, Cast
from tests.tree import ROOT
from tests.uploads import links, text_of
from tests.web.conftest import Enter
from workbench.help.manual import page_for, page_named, pages
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.access import Who, access_of
from workbench.web.app import create_app

FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}
# What no page of help is about: the entrance, which leads to the list, and the list itself.
WITHOUT = {"entrance", "health", "help", "static"}


def blueprints() -> set[str]:
    app = create_app(read_settings({}, instance=Path("nowhere")), Database("sqlite://"), passwords=CHEAP)
    return {rule.endpoint.partition(".")[0] for rule in app.url_map.iter_rules()}


def endpoints() -> set[str]:
    app = create_app(read_settings({}, instance=Path("nowhere")), Database("sqlite://"), passwords=CHEAP)
    return set(app.view_functions)


def test_every_part_of_the_product_has_a_page_of_help() -> None:
    assert {name for name in blueprints() - WITHOUT if page_for(f"{name}.index") is None} == set()


def test_no_page_of_help_is_for_a_part_that_is_gone() -> None:
    known = blueprints() | endpoints()
    assert [(page.name, name) for page in pages() for name in page.opened_from if name not in known] == []


def test_whoever_is_not_signed_in_reads_every_page(stranger: FlaskClient) -> None:
    for page in pages():
        answer = stranger.get(f"/help/{page.name}")
        assert answer.status_code == 200
        assert page.title in text_of(answer.text)


def test_the_manual_is_open_to_anyone(app: Flask) -> None:
    for endpoint in ("help.index", "help.page"):
        statement = access_of(app, endpoint)
        assert statement is not None
        assert statement.who is Who.ANYONE


def test_every_link_and_picture_of_the_manual_is_there(stranger: FlaskClient) -> None:
    ids = {
        page.name: set(re.findall(r'id="([^"]+)"', stranger.get(f"/help/{page.name}").text))
        for page in pages()
    }
    for page in pages():
        shown = stranger.get(f"/help/{page.name}").text
        for address in links(shown, "/help/"):
            name, _, anchor = address.removeprefix("/help/").partition("#")
            assert name in ids
            assert not anchor or anchor in ids[name], (page.name, address)
        for anchor in re.findall(r'href="#([^"]+)"', shown):
            assert anchor in ids[page.name]
        for source in re.findall(r'(?:src|srcset)="/static/(help/[^"?]+)', shown):
            assert (ROOT / "static" / source).is_file(), source


def test_a_page_that_is_not_there_says_so(stranger: FlaskClient) -> None:
    answer = stranger.get("/help/agrement")
    assert answer.status_code == 404
    assert "agreement" in text_of(answer.text)


def test_the_search_works_without_scripts_and_leads_to_the_section(stranger: FlaskClient) -> None:
    shown = stranger.get("/help", query_string={"q": "unpooled kappa"}).text
    assert "/help/agreement#pooled-and-unpooled-kappa-on-one-table" in shown
    assert "<mark>" in shown
    assert 'value="unpooled kappa"' in shown


def test_a_script_gets_the_results_alone(stranger: FlaskClient) -> None:
    shown = stranger.get("/help", query_string={"q": "kappa"}, headers=FRAGMENT).text
    assert shown.lstrip().startswith('<div id="results"')
    assert "/help/agreement" in shown


def test_what_is_searched_is_shown_as_text(stranger: FlaskClient) -> None:
    shown = stranger.get("/help", query_string={"q": "<b>zzzz</b>" + "x" * 300}).text
    assert "<b>zzzz" not in shown
    assert "&lt;b&gt;zzzz" in shown


@pytest.mark.parametrize(
    ("name", "path", "page"),
    [
        ("Olga", "/c/harbour/agreement", "agreement"),
        ("Olga", "/c/harbour/pools", "pools"),
        ("Olga", "/c/harbour/agreement/size", "agreement"),
        ("Ada", "/c/harbour/judge", "judging"),
        ("Olga", "/account", "reading"),
    ],
)
def test_the_question_mark_of_a_page_leads_to_its_help(enter: Enter, name: str, path: str, page: str) -> None:
    assert f'href="/help/{page}"' in enter(name).get(path).text


def test_the_desks_lead_to_their_help_in_a_tab_of_its_own(enter: Enter, cast: Cast) -> None:
    shown = enter("Ada").get(f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}").text
    assert re.search(r'href="/help/judging" target="_blank" rel="noopener"', shown)


def test_where_no_page_fits_the_question_mark_leads_to_the_list(stranger: FlaskClient, cast: Cast) -> None:
    assert 'href="/help"' in stranger.get("/sign-in").text


def test_the_page_that_is_read_is_marked_in_the_list_with_its_headings(stranger: FlaskClient) -> None:
    shown = stranger.get("/help/agreement").text
    assert re.search(r'href="/help/agreement" aria-current="page"', shown)
    assert 'href="#what-the-bands-are-not"' in shown
    assert page_named("agreement").summary in text_of(shown)
