"""The navigation of a campaign: phases for an organiser, one row for who has few pages."""

from __future__ import annotations

import re
from typing import Any

import pytest
from flask import Flask

from tests.web.conftest import Enter
from workbench.web.navigation import OWN_WORK, PACKAGE, PAGES

LINK = re.compile(r'<a href="([^"]*)"( aria-current="\w+")?>([^<]*?)\s*(?:<span.*?)?</a>')


def links(page: str, css_class: str) -> list[tuple[str, str, bool]]:
    """The links of one part of the navigation: label, address, whether it is the current one."""
    part = re.search(rf'class="{css_class}"[^>]*>(.*?)</(?:div|nav)>', page, re.DOTALL)
    assert part is not None, css_class
    return [(label, address, bool(current)) for address, current, label in LINK.findall(part[1])]


def test_an_organiser_has_phases_and_the_pages_of_the_current_one(enter: Enter) -> None:
    page = enter("Olga").get("/c/harbour/documents").text
    assert [(label, current) for label, _, current in links(page, "phases")] == [
        ("Overview", False),
        ("Collect", True),
        ("Judge", False),
        ("Quality", False),
        ("Results", False),
        ("Campaign", False),
    ]
    assert links(page, "tabs sub") == [
        ("Topics", "/c/harbour/topics", False),
        ("Documents", "/c/harbour/documents", True),
        ("Runs", "/c/harbour/runs", False),
        ("Groups", "/c/harbour/groups", False),
        ("Set up", "/c/harbour/set-up", False),
    ]


def test_every_page_is_one_click_away_in_the_menu_of_all_pages(enter: Enter) -> None:
    page = enter("Olga").get("/c/harbour/").text
    menu = {label for label, _, _ in links(page, "card all-pages")}
    organisers = {label for phase, _, label in PAGES if phase != OWN_WORK}
    assert menu == organisers


def test_who_has_few_pages_has_them_in_one_row(enter: Enter) -> None:
    page = enter("Ada").get("/c/harbour/judge").text
    assert ("My topics", "/c/harbour/judge", True) in links(page, "tabs")
    assert "all-pages" not in page


def test_a_page_below_a_tab_marks_that_tab(enter: Enter) -> None:
    page = enter("Olga").get("/c/harbour/pools/1").text
    assert [label for label, _, current in links(page, "tabs sub") if current] == ["Pools"]


@pytest.mark.parametrize("endpoint", [endpoint for _, endpoint, _ in PAGES])
def test_every_tab_is_a_page_of_the_application(app: Flask, endpoint: str) -> None:
    assert endpoint in app.view_functions


@pytest.mark.parametrize("path", ["/", "/account", "/c/harbour/", "/administration/accounts", "/help"])
def test_a_page_has_a_way_to_sign_out(enter: Any, path: str) -> None:
    page = enter("Olga").get(path, follow_redirects=True).text
    assert re.search(r'<form class="leave[^"]*" method="post" action="/sign-out">', page)


def test_every_page_of_a_campaign_belongs_to_a_tab(app: Flask) -> None:
    def module(endpoint: str) -> str:
        return app.blueprints[endpoint.partition(".")[0]].import_name.removeprefix(PACKAGE).split(".")[0]

    pages = {
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if "slug" in rule.arguments and "GET" in (rule.methods or ()) and not rule.endpoint.startswith("api.")
    }
    tabs = {module(endpoint) for _, endpoint, _ in PAGES}
    assert {endpoint for endpoint in pages if module(endpoint) not in tabs} == set()


@pytest.mark.parametrize("page", ["topics", "documents", "runs", "pools", ""])
def test_a_viewer_is_offered_nothing_that_changes(enter: Enter, page: str) -> None:
    text = enter("Vera").get(f"/c/harbour/{page}").text
    assert text.count("<form") == text.count('method="get"') + 1  # signing out
    assert 'class="todo"' not in text
