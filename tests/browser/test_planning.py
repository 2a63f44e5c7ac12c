"""The cost planner's sliders, moved by keyboard, and the pool that is then made."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in
from workbench.demo.campaign import SLUG


@pytest.mark.slow
def test_a_slider_moved_by_keyboard_says_the_size_that_the_pool_then_has(
    page: Page, live_server: Callable[..., Server], tmp_path: Path
) -> None:
    address = live_server(demo_instance(tmp_path / "demo")).address
    sign_in(page, address, "organiser")
    page.goto(f"{address}/c/{SLUG}/plan")
    pairs = page.locator("#summary [data-show=pairs]")
    step = page.locator("#summary [data-show=step]")
    topics = page.locator("tr[data-topic] [data-show=pairs]")
    before = size_of(pairs.inner_text())

    # What follows from the growth table is answered without the server.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    slider = page.get_by_role("slider", name="Depth, slider")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("spinbutton", name="Depth")).to_have_value("5")
    size, more = size_of(pairs.inner_text()), size_of(step.inner_text())
    assert 0 < size < before
    by_topic = [size_of(text) for text in topics.all_inner_texts()]
    assert sum(by_topic) == size
    assert by_topic == sorted(by_topic, reverse=True)
    page.keyboard.press("ArrowRight")
    assert size_of(pairs.inner_text()) == size + more
    page.keyboard.press("ArrowLeft")
    assert asked == []

    # For what does not the part that changes is fetched; the form stays as it is.
    page.get_by_role("radio", name="take-n").check()
    page.locator("#take-n-budget").fill("3")
    expect(page.locator("#summary [data-show=recipe]")).to_have_text("take-n, budget 3")
    assert size_of(pairs.inner_text()) == 3 * topics.count()
    page.get_by_role("radio", name="depth").first.check()
    expect(page.locator("#summary [data-show=recipe]")).to_have_text("depth 5")
    assert size_of(pairs.inner_text()) == size

    page.get_by_role("button", name="Create this pool").press("Enter")
    expect(page.locator("input#depth")).to_have_value("5")
    page.get_by_role("textbox", name="Name").fill("as planned")
    page.get_by_role("button", name="Save as draft").press("Enter")
    expect(page.get_by_role("heading", name="Pool: as planned")).to_be_visible()
    made = page.locator("ul.steps li", has_text=re.compile("^Pairs")).locator("strong")
    assert size_of(made.inner_text()) == size


def size_of(text: str) -> int:
    """The number in a text such as `+ 1,234 pairs`."""
    return int(re.sub(r"[^0-9]", "", text))
