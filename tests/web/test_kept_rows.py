"""A row that is kept is rendered once for what it says, and anew for anything else."""

from __future__ import annotations

from collections.abc import Hashable

import pytest
from flask import Flask, g
from jinja2 import Environment
from jinja2.runtime import Macro

from workbench.web.templating import kept_row


def macro_of(rendered: list[Hashable]) -> Macro:
    """A macro that notes what it was called with."""
    environment = Environment(autoescape=True)
    environment.globals["note"] = rendered.append
    source = "{% macro row(name, count) %}{% do note(count) %}<td>{{ name }} {{ count }}</td>{% endmacro %}"
    environment.add_extension("jinja2.ext.do")
    macro = environment.from_string(source).module.row  # type: ignore[attr-defined]
    assert isinstance(macro, Macro)
    return macro


@pytest.fixture
def site() -> Flask:
    return Flask(__name__)


def test_a_row_is_rendered_again_only_where_it_says_something_else(site: Flask) -> None:
    rendered: list[Hashable] = []
    row = macro_of(rendered)
    with site.test_request_context("/"):
        first = kept_row("test.again", row, "<1>", 2)
        assert first == kept_row("test.again", row, "<1>", 2) == "<td>&lt;1&gt; 2</td>"
        assert kept_row("test.again", row, "<1>", 3) == "<td>&lt;1&gt; 3</td>"
    assert rendered == [2, 3]


def test_another_campaign_site_or_macro_has_rows_of_its_own(site: Flask) -> None:
    rendered: list[Hashable] = []
    row = macro_of(rendered)
    with site.test_request_context("/"):
        g.slug = "harbour"
        kept_row("test.place", row, "a", 1)
        kept_row("test.other", row, "a", 1)
        g.slug = "tides"
        kept_row("test.place", row, "a", 1)
    with site.test_request_context("/", environ_overrides={"SCRIPT_NAME": "/below"}):
        g.slug = "harbour"
        kept_row("test.place", row, "a", 1)
    assert rendered == [1] * 4
