"""The plots of the analysis, drawn by a real browser under the real policy."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in

RUNS, TOPICS = 6, 8


@pytest.mark.slow
def test_plots_are_drawn_with_the_numbers_of_their_tables(
    live_server: Callable[..., Server], page: Page, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/analysis?depth=20")
    expect(page.locator("#contributions svg").first).to_be_visible()

    # One bar alone and one with others for each run, a bar for each part of a topic.
    runs = page.locator("#contributions figure").first
    expect(runs.locator("[aria-label=bar] rect")).to_have_count(2 * RUNS)
    # What is folded is drawn when it is unfolded.
    topics = page.locator("#topics-by-size")
    expect(topics.locator("svg")).to_have_count(0)
    topics.locator("summary").first.click()
    expect(topics.locator("[aria-label=bar] rect")).to_have_count(3 * TOPICS)
    expect(runs.get_by_role("img")).to_have_accessible_name(
        "Unique and shared pairs of each run, the most unique first"
    )

    # The tip over the first bar says what the first row of the table says.
    page.locator("#contributions summary").first.click()
    cells = page.locator("#contributions table").first.locator("tbody tr").first.locator("td")
    name, pairs, unique = (" ".join(cells.nth(at).inner_text().split()) for at in range(3))
    runs.locator("[aria-label=bar] rect").first.hover()
    tip = runs.locator("[aria-label=tip]")
    tag, _, group = name.partition(" ")
    for said in (f"{tag} · {group}", f"pairs: {pairs}", f"unique: {unique}"):
        expect(tip).to_contain_text(said)

    # The files need nothing of the page: colours as numbers, on white, with the caption and every run's name.
    page.emulate_media(color_scheme="dark")
    with page.expect_download() as saved:
        runs.get_by_role("button", name="SVG").click()
    assert saved.value.suggested_filename == "unique-and-shared-pairs-of-each-run.svg"
    drawing = ET.parse(saved.value.path()).getroot()
    words = [text.text for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert words[0] == "Unique and shared pairs of each run, the most unique first"
    assert {tag, "unique"} <= set(words)
    attributes = [value for part in drawing.iter() for value in part.attrib.values()]
    assert not [value for value in attributes if "var(" in value]
    # --plot-1 in light colours is #0b5c6b.
    assert "rgb(11, 92, 107)" in attributes
    with page.expect_download() as saved:
        runs.get_by_role("button", name="PNG").click()
    content = saved.value.path().read_bytes()
    assert content.startswith(b"\x89PNG")
    # Three dots a pixel, of a drawing 960 pixels wide with margins of 24.
    assert int.from_bytes(content[16:20]) == 3 * (960 + 48)
    page.emulate_media(color_scheme="light")

    # A narrower window has everything drawn anew.
    wide = runs.locator("svg").bounding_box()
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function("() => document.querySelector('#contributions svg').clientWidth < 390")
    narrow = runs.locator("svg").bounding_box()
    assert wide
    assert narrow
    assert narrow["width"] < wide["width"] / 2

    # Another question is answered in place, and drawn. Whatever the policy refused on the way fails the test.
    page.locator("details.choosing > summary").click()
    page.get_by_label("Depth", exact=True).fill("1")
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator("#ties-at-cut")).to_contain_text("depth 1:")
    assert "depth=1" in page.url
