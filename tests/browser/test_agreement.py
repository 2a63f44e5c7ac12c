"""The matrix of assessors in a real browser: a table that is read, and gone through by keyboard."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in


def test_the_matrix_is_a_table_whose_cells_open_the_pair_by_keyboard(
    live_server: Callable[..., Server], page: Page, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/agreement")
    page.get_by_role("navigation", name="Agreement").get_by_role("link", name="Matrix").click()

    # Two people and a machine: every cell beside the diagonal has a number, and the machine stands last.
    table = page.locator("table.heat")
    expect(table.get_by_role("columnheader")).to_have_text(
        ["Assessor", "A. Marlow", "R. Quist", "overlap-judge"]
    )
    expect(table.get_by_role("rowheader").last).to_contain_text("machine")
    row = table.get_by_role("row").filter(has=page.get_by_role("rowheader", name="A. Marlow"))
    cells = row.get_by_role("link")
    expect(cells).to_have_count(2)

    # The more agreement, the stronger the colour; the number says it without.
    colours = cells.evaluate_all(
        "all => all.map((one) => getComputedStyle(one.parentElement).backgroundColor)"
    )
    assert len(set(colours)) == 2
    shown = cells.first.inner_text().split()[0]

    # With the keyboard alone: into the first cell, on to the next and back, and to the two's own page.
    page.get_by_role("region", name="Matrix of assessors").focus()
    page.keyboard.press("Tab")
    expect(cells.first).to_be_focused()
    page.keyboard.press("Tab")
    expect(cells.nth(1)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("A. Marlow and R. Quist")
    pooled = page.get_by_role("row", name="Pooled kappa").first.get_by_role("cell").nth(1)
    assert f"{float(pooled.inner_text()):.2f}" == shown
    expect(page.get_by_role("heading", name="Disagreements")).to_be_visible()
