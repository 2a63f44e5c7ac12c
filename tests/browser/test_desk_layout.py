"""The desk on every screen: on low ones and telephones; its boxes, its colours, its light."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import update

from tests.browser.desks import (
    PASSWORD,
    DeskOf,
    DeskServer,
    desk_server,
    docno,
    fetched_ahead,
    light,
    on_desk,
    press,
)
from tests.browser.people import stored
from tests.tree import ROOT
from workbench.storage.tables import TopicRow

NAMES = ("Ada", "Ben", "Cleo", "Dan")
LOW = ((640, 400, 0.7), (844, 390, 0.7), (320, 256, 0.55))
FAULTS = """() => {
  const { innerWidth: wide, innerHeight: high } = window;
  const all = [...document.querySelectorAll(".verdicts .answers button")];
  const buttons = all.filter((one) => one.checkVisibility());
  const faults = buttons.flatMap((one) => {
    const { left, top, right, bottom } = one.getBoundingClientRect();
    const isOut = left < 0 || top < 0 || right > wide || bottom > high;
    const isSmall = bottom - top < 24 || right - left < 24;
    return isOut || isSmall ? [[one.textContent.trim(), left, top, right, bottom]] : [];
  });
  if (document.documentElement.scrollWidth > wide) faults.push("scrolls sideways");
  return buttons.length === 10 ? faults : [`${buttons.length} buttons`];
}"""


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, serve_here: Callable[[DeskServer], DeskServer]
) -> DeskServer:
    """One server for all tests of this file."""
    made = desk_server(tmp_path_factory.mktemp("layout"), NAMES)
    with stored(made.instance) as database, database.writing() as db:
        db.execute(
            update(TopicRow).values(title="a long title of a topic " * 12, narrative="It counts. " * 90)
        )
    return serve_here(made)


def height(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box is not None
    return box["height"]


def test_a_low_screen_leaves_room_for_the_document(desk_of: DeskOf, server: DeskServer) -> None:
    # WCAG 2.2, 1.4.10: 640 by 400 is 1280 by 800 at 200 %; 320 by 256 is 1280 by 1024 at 400 %.
    page = desk_of("Ada")
    fetched_ahead(page, 6)
    for width, high, share in LOW:
        page.set_viewport_size({"width": width, "height": high})
        assert height(page, "#document") >= share * high, (width, high)
        assert height(page, "#need") <= 32
        assert page.evaluate(FAULTS) == []
        # The topic is looked up over the document, and leaves with it.
        page.keyboard.press("t")
        expect(page.locator("#statement")).to_be_visible()
        assert height(page, "#need") >= share * high
        page.keyboard.press("1")
        expect(page.locator("#statement")).to_be_hidden()
    on_desk(page, docno(4))
    light(page, "saved")
    assert [grade for _, _, grade in server.said("Ada")] == [1, 1, 1]


@pytest.mark.slow
def test_the_topic_folds_to_a_line_and_stays_so_with_the_account(desk_of: DeskOf) -> None:
    page = desk_of("Ben")
    fold = page.locator("#fold")
    expect(fold).to_have_attribute("aria-expanded", "true")
    with page.expect_response("**/account/text"):
        page.keyboard.press("t")
    expect(page.locator("#statement")).to_be_hidden()
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(page.locator("#status")).to_have_text("The topic is folded to a line")
    assert height(page, "#need") < 50
    # Guidelines are asked for: the topic unfolds for this document.
    again = desk_of("Ben")
    expect(again.locator("#statement")).to_be_hidden()
    again.keyboard.press("g")
    expect(again.get_by_text("Read it.", exact=True)).to_be_in_viewport()
    again.keyboard.press("1")
    expect(again.locator("#statement")).to_be_hidden()
    with again.expect_response("**/account/text"):
        again.locator("#fold").click()
    expect(again.locator("#statement")).to_be_visible()


def test_the_card_of_keys_is_a_dialog(desk_of: DeskOf) -> None:
    page = desk_of("Cleo")
    page.keyboard.press("?")
    card = page.get_by_role("dialog", name="Keys")
    expect(card).to_be_focused()
    for key in ("Tab", "Tab", "Tab", "Shift+Tab", "Shift+Tab", "Shift+Tab"):
        page.keyboard.press(key)
        assert card.evaluate("one => one.contains(document.activeElement)")
    page.keyboard.press("1")  # nothing is judged behind it
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator("#document")).to_be_focused()
    on_desk(page, docno(1))


def test_a_finger_finds_no_keys_and_a_way_out_of_every_box(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Cleo", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert page.locator(".key:visible").count() == 0
    boxes = {"#cannot": "Why can it not be judged?", "#remark": "Comment", ".looks": "How the text looks"}
    for opener, name in boxes.items():
        page.locator(f"{opener}:visible").tap()
        box = page.get_by_role("dialog", name=name)
        expect(box).to_be_visible()
        box.get_by_role("button", name="Close").tap()
        expect(box).to_be_hidden()
    assert page.locator("#next").evaluate("one => getComputedStyle(one, '::before').content") == '"→"'
    page.locator("button.grade").nth(1).tap()
    light(page, "saved")
    # My answers: the way to change one is within reach of a thumb.
    page.goto(f"{server.desk('Cleo')}/answers")
    expect(page.get_by_role("link", name="Change")).to_be_in_viewport(ratio=1)


def test_signed_out_elsewhere_is_one_line_and_no_green_light(desk_of: DeskOf, server: DeskServer) -> None:
    page = desk_of("Dan")
    fetched_ahead(page, 6)
    press(page, "1")
    light(page, "saved")
    other = page.context.new_page()
    other.goto(f"{server.address}/account/sessions")
    other.locator("#everywhere").fill(PASSWORD)
    other.get_by_role("button", name="Sign out everywhere").click()
    other.wait_for_url("**/sign-in?why=everywhere")
    light(page, "signed out")
    expect(page.locator("#light")).to_have_attribute("data-state", "failed")
    page.keyboard.press("2")
    expect(page.locator("#status")).to_have_text("Not recorded: sign in again first.")
    expect(page.locator("#trouble p")).to_have_count(1)
    expect(page.locator("#trouble p")).to_contain_text("You signed out in another tab")
    on_desk(page, docno(2))
    # Signed in again it goes on where it was.
    server.let_in(page.context, "Dan")
    other.goto(f"{server.address}/c/trial/judge")
    light(page, "saved")
    expect(page.locator("#trouble")).to_be_empty()
    page.keyboard.press("3")
    light(page, "saved")
    assert [grade for _, _, grade in server.said("Dan")] == [1, 3]


def test_a_grade_has_one_colour_everywhere_and_what_is_not_judged_has_none(page: Page) -> None:
    grades = "".join(
        f'<i class="swatch w{one}"></i><svg class="bar"><rect class="g{one}"></rect></svg>'
        for one in range(4)
    )
    page.set_content(f'<main>{grades}<i class="swatch unjudged"></i></main>')
    page.add_style_tag(path=ROOT / "static" / "workbench.css")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        swatches, bars, tracks, not_judged, lines = (
            page.eval_on_selector_all(selector, f"all => all.map((one) => getComputedStyle(one).{what})")
            for selector, what in (
                ("i[class*=w]:not(.unjudged)", "backgroundColor"),
                ("rect", "fill"),
                ("svg", "backgroundColor"),
                (".unjudged", "backgroundColor"),
                ("svg", "borderTopColor"),
            )
        )
        assert swatches == bars
        assert len(set(bars)) == 4
        assert {*tracks, *not_judged} == {"rgba(0, 0, 0, 0)"}
        assert not {*lines} & {*bars}
