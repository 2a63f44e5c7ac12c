"""What a page can do, a program with a token can do: each page says by which operation, or why by none.

A new page needs a line in `page_operations`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

from tests.cast import CHEAP
from tests.house.page_operations import REASONS, SENT, SHOWN
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.app import create_app


@pytest.fixture(scope="module")
def application() -> Flask:
    settings = read_settings({}, instance=Path("nowhere"))
    return create_app(settings, Database("sqlite://"), passwords=CHEAP)


def endpoints(application: Flask, method: str) -> Iterator[str]:
    """The endpoints with a method."""
    for rule in application.url_map.iter_rules():
        if method in (rule.methods or ()):
            yield rule.endpoint


@pytest.mark.parametrize(("method", "doors"), [("POST", SENT), ("GET", SHOWN)])
def test_each_page_says_by_which_operation_a_program_does_the_same(
    application: Flask, method: str, doors: dict[str, str]
) -> None:
    pages = {one for one in endpoints(application, method) if not one.startswith("api.")}
    assert pages - doors.keys() == set(), "say here by which operation, or why by none"
    assert doors.keys() - pages == set(), "there is no such page any more"


@pytest.mark.parametrize("doors", [SENT, SHOWN])
def test_each_operation_that_a_page_names_is_there(application: Flask, doors: dict[str, str]) -> None:
    operations = {one.removeprefix("api.") for one in application.view_functions if one.startswith("api.")}
    assert set(doors.values()) - operations - REASONS == set()
