"""The comparison of rules in a real browser: fetched, drawn, and asked again in place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server
from tests.browser.people import demo_instance, sign_in

RUNS = 6


# Names of runs that lie on one another.
OVERLAPPING = """() => {
  const names = [...document.querySelectorAll("#ranks svg text:has(> title)")];
  const boxes = names.map((one) => [one.textContent, one.getBoundingClientRect()]);
  const beside = (a, b) => a.right <= b.left || b.right <= a.left;
  const over = (a, b) => !beside(a, b) && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  return boxes.flatMap(([name, box], at) => boxes.slice(at + 1).filter(([, other]) => over(box, other))
    .map(([other]) => `${name} on ${other}`));
}"""


@pytest.mark.slow
def test_rules_are_compared_and_their_ranks_drawn(
    live_server: Callable[..., Server], page: Page, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/qrels/preview")
    # Nine rules and, since the runs are scored piece by piece, what follows from all scores at last.
    expect(page.locator("#settled > .scroll tbody tr")).to_have_count(9)
    expect(page.locator("#changes")).to_be_visible()
    lines = page.locator("#ranks svg [aria-label=line] path")
    expect(lines).to_have_count(RUNS)
    # Every run is named at both ends, tied ones below one another, and whole where the pointer rests.
    ends = page.locator("#ranks svg text:has(> title)")
    expect(ends).to_have_count(2 * RUNS)
    assert page.evaluate(OVERLAPPING) == []

    # Only what the ticked rules have to be told is shown.
    page.locator("details.choosing > summary").click()
    expect(page.get_by_label("Ties of the majority")).to_be_visible()
    for rule in ("Majority", "Adjudicated first"):
        page.get_by_role("checkbox", name=rule).uncheck()
    expect(page.get_by_label("Ties of the majority")).to_be_hidden()
    page.get_by_role("checkbox", name="Dawid and Skene").check()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#settled > .scroll tbody tr")).to_have_count(8)
    expect(page.locator("#settled")).to_contain_text("Dawid and Skene")
    expect(lines).to_have_count(RUNS)
    assert "rule=dawid-skene" in page.url
