"""axe-core finds nothing serious on any page, and no label is cut, in light and dark, wide and narrow.

In the suite the first page of every second tab is looked at, in turn light and wide, and dark and narrow. All
others, empty pages, long names and other people's looks at the same page are `-m slow`; `WALK=whole` looks at
each in both colours and at both widths, and as everybody to whom it opens.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import BrowserContext, Error, Page, expect

from tests.browser.conftest import Complaints, Server, Site
from tests.browser.full_campaign import HALFWAY, NOBODY, FullCampaign, full_campaign
from tests.browser.people import PASSWORD
from tests.browser.test_openid import offer
from tests.browser.walking import Look, everybodys, looks
from tests.openid import RunningProvider
from workbench.workflow.people.signing_in import WRONG

WHOLE = os.environ.get("WALK") == "whole"
PARTS = 2  # of which the suite has one
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RULES = {"target-size": {"enabled": True}, "color-contrast": {"enabled": False}}
OPTIONS = {"runOnly": LEVELS, "resultTypes": ["violations"], "rules": RULES, "preload": False}
# Contrast takes axe-core ten times as long as all other rules, and depends on nothing but colours and sizes:
# each combination of these is examined where the walk meets it first.
CONTRAST = {"runOnly": ["color-contrast"], "resultTypes": ["violations"], "preload": False}
OFTEN_ENOUGH = 3 if WHOLE else 1
# [colours, width, height]
Mode = tuple[Literal["light", "dark"], int, int]
LIGHT_WIDE: Mode = ("light", 1280, 800)
DARK_NARROW: Mode = ("dark", 390, 844)
MODES: tuple[Mode, ...] = (LIGHT_WIDE, ("light", 390, 844), DARK_NARROW, ("dark", 1280, 800))

FOUND = """async ([options, asked]) =>
  (await axe.run(asked ? { include: window.asked } : document, options)).violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .flatMap(({ id, impact, nodes }) => nodes.map(({ target, html, failureSummary: why }) =>
    `${id} (${impact}) at ${target.join(" ")}: ${html.slice(0, 160)}: ${why.split("\\n").at(-1).trim()}`))
"""
# Texts in combinations of colours and sizes that are not known: one element for each, kept for FOUND.
UNKNOWN = """(known) => {
  const met = new Set(known), behind = new Map();
  const ground = (one) => {
    if (!one) return "";
    if (!behind.has(one)) {
      const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(one);
      const own = [backgroundColor, backgroundImage, opacity, filter].join(" ");
      behind.set(one, ground(one.parentElement) + (own === "rgba(0, 0, 0, 0) none 1 none" ? "" : `/${own}`));
    }
    return behind.get(one);
  };
  const says = (one) => one.matches("input, select, textarea") ||
    [...one.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
  const texts = [...document.body.querySelectorAll("*")].filter((one) => one.checkVisibility() && says(one));
  window.asked = [];
  return texts.flatMap((one) => {
    const { color, fontSize, fontWeight, textShadow, position } = getComputedStyle(one);
    const own = [color, fontSize, fontWeight, textShadow, position, one.matches(":disabled")];
    const look = `${own.join(" ")} on ${ground(one)}`;
    if (met.has(look)) return [];
    met.add(look);
    window.asked.push(one);
    return [look];
  });
}"""
# Elements that reach beyond the right edge and are in nothing that scrolls.
TOO_WIDE = """() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const out = [...document.body.querySelectorAll("*")]
    .filter((one) => one.getBoundingClientRect().right > clientWidth + 1)
    .map((one) => one.outerHTML.slice(0, 120));
  return [`the page is ${scrollWidth - clientWidth} px too wide: ${out.slice(0, 3)}`];
}"""
# Labels that do not fit: cut off by their box, or longer than the field that shows them. The desk's keys, and
# the names in the bar, which are given in full elsewhere, may be cut.
CUT = """() => {
  const ruler = document.createElement("canvas").getContext("2d");
  const tight = "button, .button, .pill, label, legend, summary, h1, h2, h3";
  const all = [...document.querySelectorAll("body:not(.at-desk) *:not(.unseen, .where, .who, textarea)")];
  return all.filter((one) => {
    if (!one.clientWidth || !one.textContent.trim() || one.closest(".unseen, svg")) return false;
    const style = getComputedStyle(one);
    if (one.matches("select:not([multiple])")) {
      ruler.font = style.font;
      const room = one.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
      return ruler.measureText(one.selectedOptions[0]?.textContent.trim() ?? "").width > room + 1;
    }
    const hides = ["hidden", "clip"].includes(style.overflowX) || one.matches(tight);
    return hides && one.scrollWidth > one.clientWidth + 1;
  }).map((one) => `cut off: ${one.outerHTML.slice(0, 120)}`);
}"""


@pytest.fixture
def context(new_context: Callable[..., BrowserContext]) -> BrowserContext:
    """A browser with axe-core in each page, past the policy of the pages, which refuses strange scripts."""
    made = new_context(bypass_csp=True, reduced_motion="reduce")
    made.add_init_script(AXE_SCRIPT)
    return made


@pytest.fixture
def full(tmp_path: Path, live_server: Callable[..., Server]) -> tuple[Server, FullCampaign]:
    """A campaign with something on every page, served."""
    made = full_campaign()
    return live_server(made.write(tmp_path / "full")), made


def enter(context: BrowserContext, address: str, made: FullCampaign, who: str) -> None:
    """Be somebody by the cookie from now on; nobody for an empty login."""
    context.clear_cookies()
    if who:
        name, value = made.cookie(who)
        context.add_cookies([{"name": name, "value": value, "url": address}])


def findings(page: Page, modes: tuple[Mode, ...], met: Counter[str]) -> list[str]:
    """What is wrong with the page that is shown, in each of these modes; `met` counts colours and sizes."""
    said: list[str] = []
    for colours, width, height in modes:
        page.emulate_media(color_scheme=colours)
        page.set_viewport_size({"width": width, "height": height})
        heard = [*page.evaluate(FOUND, [OPTIONS, False]), *page.evaluate(TOO_WIDE), *page.evaluate(CUT)]
        unknown = page.evaluate(UNKNOWN, [look for look, often in met.items() if often >= OFTEN_ENOUGH])
        if unknown:
            heard += page.evaluate(FOUND, [CONTRAST, True])
            met.update(unknown)
        said += [f"{page.url}, {colours}, {width} px: {one}" for one in heard]
    return said


def shows(page: Page, address: str, look: Look) -> bool:
    """Go there; whether it is a page rather than a file. Fails where it is neither, lest a page be missed."""
    try:
        answer = page.goto(address)
    except Error as error:
        assert "Download is starting" in error.message, f"{look}: {error.message}"  # noqa: PT017  # all else is raised
        return False
    assert answer is not None
    assert answer.status == 200, f"give the walk a question that {look} answers: {answer.status}"
    return answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("again", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["first", "again"])
# Of the first looks the suite has the desks and the pages that organisers open most.
@pytest.mark.parametrize("part", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_no_page_has_a_serious_finding_or_scrolls_sideways(
    part: int,
    sites: Callable[[int], Site],
    full: tuple[Server, FullCampaign],
    context: BrowserContext,
    complaints: Complaints,
    *,
    again: bool,
) -> None:
    complaints.expect("422.*/scores")  # the long campaign has no judgments to score by
    server, made = full
    every = (everybodys if WHOLE else looks)(sites(0).app, made)
    every = [look for look in every if look.again is again]
    page, who, said = context.new_page(), None, []
    met: Counter[str] = Counter()
    for number, look in enumerate(every):
        if number % PARTS != part:
            continue
        if look.who != who:
            who = look.who
            page.goto("about:blank")  # lest a desk fetch ahead as somebody else
            enter(context, server.address, made, who)
        modes = MODES if WHOLE else ((LIGHT_WIDE, DARK_NARROW)[number // PARTS % 2],)
        colours, width, height = modes[0]
        page.emulate_media(color_scheme=colours)
        page.set_viewport_size({"width": width, "height": height})
        if shows(page, f"{server.address}{look.path}", look):
            said += findings(page, modes, met)
    assert said == []


def test_neither_have_the_welcome_of_an_empty_server_and_a_refusal(
    context: BrowserContext,
    tmp_path: Path,
    live_server: Callable[..., Server],
    full: tuple[Server, FullCampaign],
    complaints: Complaints,
) -> None:
    complaints.expect("404|403")
    server, made = full
    page = context.new_page()
    page.goto(f"{live_server(tmp_path / 'empty').address}/welcome")
    met: Counter[str] = Counter()
    said = findings(page, (LIGHT_WIDE, DARK_NARROW), met)
    enter(context, server.address, made, "wick")
    for path in ("/c/nowhere/", "/c/harbour/people"):
        page.goto(f"{server.address}{path}")
        said += findings(page, (LIGHT_WIDE, DARK_NARROW), met)
    assert said == []


@pytest.mark.slow
def test_neither_have_the_pages_on_the_way_to_a_provider_and_back(
    context: BrowserContext,
    sites: Callable[[int], Site],
    full: tuple[Server, FullCampaign],
    running: RunningProvider,
    complaints: Complaints,
) -> None:
    complaints.expect("422.*/openid/callback")  # nobody comes back
    server, made = full
    offer(sites(0).app, server.address, running)
    page, met, both = context.new_page(), Counter[str](), (LIGHT_WIDE, DARK_NARROW)
    # The page that goes on to the provider stays: the provider has nothing to show.
    page.route(re.compile("/oauth2/authorize"), lambda route: route.fulfill(status=204))
    said: list[str] = []
    for who in (NOBODY, "marlow", "organiser"):
        enter(context, server.address, made, who)
        for path in ("/openid/callback", "/account/openid" if who else "/sign-in"):
            page.goto(f"{server.address}{path}")
            said += findings(page, both, met)
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_role("button", name="Link with").click()
    expect(page.get_by_role("link", name="Continue to")).to_be_visible()
    said += findings(page, both, met)
    assert said == []


@pytest.mark.slow
def test_the_form_for_a_code_is_for_keyboards_and_telephones_and_says_what_is_wrong(
    context: BrowserContext, full: tuple[Server, FullCampaign], complaints: Complaints
) -> None:
    complaints.expect("422.*/sign-in/code")
    server, made = full
    enter(context, server.address, made, HALFWAY)
    page = context.new_page()
    page.goto(f"{server.address}/sign-in/code")
    code = page.get_by_label("Code", exact=True)
    expect(code).to_be_focused()
    # WCAG 2.2, 1.3.5: telephones offer the code of a message or an app, and keys for digits.
    expect(code).to_have_attribute("autocomplete", "one-time-code")
    expect(code).to_have_attribute("inputmode", "numeric")
    page.keyboard.type("000000")
    page.keyboard.press("Enter")
    expect(code).to_have_attribute("aria-invalid", "true")
    # 3.3.1: read out with the field, which has the focus.
    expect(code).to_be_focused()
    expect(code).to_have_accessible_description(f"{WRONG} Six digits, from your authenticator app")
    said = findings(page, (LIGHT_WIDE, DARK_NARROW), Counter())
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Recovery code")).to_be_visible()
    assert said == []
