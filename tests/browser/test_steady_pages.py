"""What stays the same from page to page: where things stand, how refusals look, and that buttons are seen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Complaints, Server
from tests.browser.full_campaign import full_campaign
from workbench.demo.campaign import SLUG

PLACES = """() => [...document.querySelectorAll(".topbar a, main h1")].map((one) => {
  const { x, width } = one.getBoundingClientRect();
  return one.matches("h1") ? x : [one.textContent.trim(), x, width];
})"""
# Of the border that shows where a button is, against what it lies on (WCAG 1.4.11).
CONTRAST = """(button) => {
  const light = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map((part) => {
      const value = part / 255;
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const under = getComputedStyle(button.closest(".card")).backgroundColor;
  const [one, other] = [light(getComputedStyle(button).borderTopColor), light(under)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}"""
LOOK = """(one) => {
  const { backgroundColor, borderInlineStart, borderRadius } = getComputedStyle(one);
  return [backgroundColor, borderInlineStart, borderRadius];
}"""


def test_nothing_moves_refusals_look_alike_and_buttons_have_edges(
    tmp_path: Path,
    live_server: Callable[..., Server],
    new_context: Callable[..., BrowserContext],
    complaints: Complaints,
) -> None:
    complaints.expect("404|403|422")
    made = full_campaign()
    server = live_server(made.write(tmp_path / "full"))
    context = new_context()
    context.add_cookies([{"name": "workbench", "value": made.cookies["organiser"], "url": server.address}])
    page = context.new_page()
    campaign = f"{server.address}/c/{SLUG}"
    seen = []
    # A long page, a short one and one of a wide table, of one phase.
    for path in ("documents", "topics", "groups", "runs"):
        page.goto(f"{campaign}/{path}")
        seen.append(page.evaluate(PLACES))
    assert all(places == seen[0] for places in seen), seen
    page.goto(f"{campaign}/settings/archive")
    for colours in ("light", "dark"):
        page.emulate_media(color_scheme=colours)
        assert page.locator("main .card .button").first.evaluate(CONTRAST) >= 3
    # Of an archived campaign only what can still be read is shown: no card whose form is gone.
    page.goto(f"{campaign}/assignments?pool=1")
    expect(page.get_by_text("Distribute all topics automatically")).to_be_visible()
    page.evaluate("document.body.dataset.archived = ''")
    expect(page.get_by_text("Distribute all topics automatically")).to_be_hidden()
    page.goto(f"{campaign}/settings/archive")
    looks = []
    page.fill("#name", "another name")
    page.click("text=Delete the campaign >> nth=-1")
    assert page.locator("#name-error-1").is_visible()
    for path in ("/c/nowhere/", f"/c/{SLUG}/scores?asked=1&measures=Nonsense"):
        page.goto(f"{server.address}{path}")
        looks.append(page.locator(".failure").first.evaluate(LOOK))
    assert looks[0] == looks[1]
    # What is wrong is told once.
    assert page.locator("main").inner_text().count("Nonsense") == 1
