"""Reading at the desk in a real browser: hits by key, the best passages, own words, and hostile documents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from sqlalchemy import select, update

from tests.browser.conftest import Server
from tests.browser.interception import intercept
from tests.browser.people import stored
from tests.cast import Cast, assemble
from workbench.storage.tables import AssessorNoteRow, DocumentRow
from workbench.workflow.people.signing_in import open_session

FILLER = "The ferry leaves at nine and comes back at noon. Nobody waits for the mail. "
PASSAGE = "Before it. The highest water of the tide comes in spring! After it."
LONG = "\n\n".join(
    [*[FILLER * 4] * 12, f"{FILLER}{PASSAGE} {FILLER}", *[FILLER * 4] * 12, "One more tide here."]
)
HOSTILE = """<p>dose of the tide 10&#x202e;01 mg</p><script>alert(1)</script>
<img src="https://evil.example/x.png">
<div id="desk" class="grade button" style="position:fixed;inset:0">cover</div>
<p id="document" onclick="alert(2)">x</p>
<meta http-equiv="refresh" content="0;url=https://evil.example"><base href="https://evil.example/">
<iframe src="https://evil.example"></iframe>
<form action="https://evil.example"><input name="answer" autofocus></form>
<svg><script>alert(3)</script></svg><a href="javascript:alert(4)">away</a>
<math><mi xlink:href="javascript:alert(5)" onclick="alert(6)">x</mi>
<mtext><table><mglyph><style><img src=x onerror=alert(7)></style></table></mtext></math>
<a href="https://example.org/tide-table">the table</a>
<table><tr>{cells}</tr></table>""".replace("{cells}", "<td>a wide cell of the tide</td>" * 30)
# The disk answers when `openOutbox` is called.
LATE_OUTBOX = """
const open = IDBFactory.prototype.open;
IDBFactory.prototype.open = function (...given) {
  const real = open.apply(this, given);
  return {
    get result() { return real.result; },
    set onupgradeneeded(listener) { real.onupgradeneeded = listener; },
    set onsuccess(listener) { real.onsuccess = () => { window.openOutbox = listener; }; },
  };
};
"""
SELECTED = """() => {
  const detail = { passage: null };
  document.getElementById("desk").dispatchEvent(new CustomEvent("desk:selection", { detail }));
  return detail.passage;
}"""
BIG = "\n\n".join(f"{FILLER * 5}{'A tide.' if number % 20 == 0 else ''}" for number in range(12_000))


@pytest.fixture
def open_desk(
    live_server: Callable[..., Server], new_context: Callable[..., BrowserContext], tmp_path: Path
) -> Callable[[dict[str, str]], tuple[Page, str, Server]]:
    """Ada's desk of topic T1, with other texts of its documents: a page, the desk's address, the server."""

    def make(texts: dict[str, str]) -> tuple[Page, str, Server]:
        folder = tmp_path / "instance"
        with stored(folder) as database:
            cast: Cast = assemble(database)
            with database.writing() as db:
                token = open_session(db, cast.accounts["Ada"]).token
                for docno, text in texts.items():
                    db.execute(update(DocumentRow).where(DocumentRow.docno == docno).values(text=text))
        server = live_server(folder)
        context = new_context()
        context.add_cookies([{"name": "workbench", "value": token, "url": server.address}])
        return context.new_page(), f"{server.address}/c/harbour/judge/{cast.assignments['Ada', 'T1']}", server

    return make


def painted(page: Page) -> dict[str, int]:
    """How many pieces of text have each highlight, those with none left out."""
    found: dict[str, int] = page.evaluate(
        "Object.fromEntries([...CSS.highlights].map(([name, all]) => [name, all.size]))"
    )
    return {name: count for name, count in found.items() if count}


def words_painted(page: Page, name: str) -> list[str]:
    found: list[str] = page.evaluate(
        """(name) => [...CSS.highlights.get(name)].map((one) => {
          const range = document.createRange();
          range.setStart(one.startContainer, one.startOffset);
          range.setEnd(one.endContainer, one.endOffset);
          return range.toString();
        })""",
        name,
    )
    return found


def in_sight(page: Page, name: str = "reading-current") -> bool:
    found: bool = page.evaluate(
        """(name) => {
          const [one] = CSS.highlights.get(name);
          const range = document.createRange();
          range.setStart(one.startContainer, one.startOffset);
          range.setEnd(one.endContainer, one.endOffset);
          const rect = range.getBoundingClientRect();
          const box = document.getElementById('document').getBoundingClientRect();
          return rect.height > 0 && rect.top >= box.top && rect.bottom <= box.bottom;
        }""",
        name,
    )
    return found


@pytest.mark.slow
def test_who_reads_before_the_desk_is_ready_goes_on_reading(open_desk: Any) -> None:
    page, desk, _ = open_desk({"d1": LONG})
    page.add_init_script(LATE_OUTBOX)
    page.goto(f"{desk}?docno=d1")
    expect(page.locator(".excerpt")).to_have_count(2)
    page.keyboard.press("a")
    expect(page.locator(".excerpts")).to_have_count(0)
    page.evaluate("window.openOutbox()")
    expect(page.locator("#keep-comment")).to_be_enabled()
    expect(page.locator("#status")).to_contain_text("of")
    expect(page.locator(".reading-bar .hits")).to_have_text("3 hits")
    expect(page.locator(".excerpts")).to_have_count(0)


@pytest.mark.slow
def test_a_long_document_begins_at_its_best_passage_and_keys_walk_through_it(open_desk: Any) -> None:
    page, desk, server = open_desk({"d1": LONG, "d2": "\n\n".join([FILLER * 4] * 24)})
    page.goto(f"{desk}?docno=d1")
    hits = page.locator(".reading-bar .hits")
    # Of the topic "tides. When is high water?": water, tide, tide.
    expect(hits).to_have_text("3 hits")
    expect(page.locator(".excerpt p")).to_have_text(
        ["The highest water of the tide comes in spring!", "One more tide here."]
    )
    expect(page.locator(".gap")).to_have_text(["⋯ 12 paragraphs before", "⋯ 12 paragraphs left out"])
    expect(page.locator(".text")).to_be_hidden()
    assert painted(page) == {"reading-topic": 3}

    page.keyboard.press("n")
    expect(hits).to_have_text("1 of 3 hits")
    assert words_painted(page, "reading-current") == ["water"]
    page.keyboard.press("p")
    expect(hits).to_have_text("3 of 3 hits")
    expect(page.locator("#reading-status")).to_have_text("Hit 3 of 3: tides")

    # The whole text at the same place, and back; a held key does not flicker.
    page.keyboard.press("a")
    expect(page.locator(".text")).to_be_visible()
    expect(page.locator(".excerpts")).to_have_count(0)
    assert page.locator("#document").evaluate("box => box.scrollTop") > 500
    page.keyboard.down("a")
    page.keyboard.down("a")
    page.keyboard.up("a")
    expect(page.locator(".excerpt")).to_have_count(2)
    page.locator(".excerpt").last.click()
    expect(page.locator(".text")).to_be_visible()
    page.keyboard.press("n")
    assert in_sight(page)

    # Own words: typed letters are no keys of the desk; a selection is proposed; kept for the next time.
    page.keyboard.press("h")
    page.keyboard.type("nob*")
    page.keyboard.press("Enter")
    # 24 paragraphs of four times the filler, and twice around the passage.
    expect(page.locator(".need .chip")).to_have_text("nob* 98 ×")
    page.keyboard.type("ferry leaves")
    page.keyboard.press("Enter")
    expect(page.locator(".need .chip")).to_have_count(2)
    page.keyboard.press("Escape")
    assert set(words_painted(page, "reading-own-2")) == {"ferry leaves"}
    page.reload()
    expect(page.locator(".need .chip")).to_have_count(2)
    with stored(server.instance) as database, database.reading() as db:
        assert db.scalars(select(AssessorNoteRow.words)).all() == [["nob*", "ferry leaves"]]

    # A passage that is selected is told by its place in the document's text, in either view.
    page.keyboard.press("h")
    page.locator("#words .chip").last.click()
    page.locator("#words .chip").last.click()
    expect(page.locator("#words .chip")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".excerpt")).to_have_count(2)
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.excerpt p'))")
    chosen = page.evaluate(SELECTED)
    text = page.locator(".text").evaluate("box => box.textContent")
    assert chosen["quote"] == "The highest water of the tide comes in spring!"
    assert text[chosen["start"] : chosen["end"]] == chosen["quote"]

    # How the text looks holds at once, and on the next machine.
    article = page.locator("#document article")
    before = article.evaluate("one => getComputedStyle(one).fontSize")
    page.get_by_role("button", name="How the text looks").click()
    # On a slow machine each choice is sent by itself; the last one is waited for.
    with page.expect_response(lambda answer: "dark" in (answer.request.post_data or "")):
        page.get_by_role("radio", name="Largest").check(force=True)
        page.get_by_role("radio", name="At the top").check(force=True)
        page.get_by_role("radio", name="Dark").check(force=True)
    assert article.evaluate("one => getComputedStyle(one).fontSize") != before
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-text-size", "5")
    expect(hits).to_have_text("3 hits")
    expect(page.locator(".text")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    # No line is longer than 75 characters.
    longest = page.evaluate(
        """() => {
          const node = document.querySelector('.text p').firstChild;
          const range = document.createRange();
          let [longest, start, top] = [0, 0, null];
          for (let at = 0; at < node.length; at += 1) {
            range.setStart(node, at);
            range.setEnd(node, at + 1);
            const y = range.getBoundingClientRect().top;
            if (top !== null && y > top + 5) [longest, start] = [Math.max(longest, at - start), at];
            top = y;
          }
          return longest;
        }"""
    )
    assert 40 < longest <= 75

    # Best passages by an own word only: when the word is taken away the document stands there whole.
    page.goto(f"{desk}?docno=d2")
    page.keyboard.press("h")
    page.keyboard.type("noon")
    page.keyboard.press("Enter")
    expect(hits).to_have_text("96 hits")  # 24 paragraphs of four times the filler
    page.keyboard.press("Escape")
    page.keyboard.press("a")  # at once: the box is closed by then
    expect(page.locator(".text")).to_be_hidden()
    page.locator(".need .chip").click()
    expect(hits).to_have_text("0 hits")
    expect(page.locator(".text")).to_be_visible()
    expect(page.locator(".excerpts")).to_have_count(0)


def test_the_same_answer_is_proposed_for_a_near_duplicate_before_the_answer_is_saved(
    open_desk: Any,
) -> None:
    story = " ".join(f"word{number}" for number in range(150))
    page, desk, _ = open_desk(
        {"d1": story, "d2": f"{story} of the tide", "d/4": "Something else altogether."}
    )
    page.goto(f"{desk}?docno=d1")
    fetched = (
        "() => performance.getEntriesByType('resource').some(one => one.name.includes('documents?docno')"
    )
    page.wait_for_function(f"{fetched} && one.responseEnd > 0)")
    held: list[Route] = []
    intercept(page, "**/desk/events", lambda route: held.append(route))
    shown = page.locator("#document .strip .mono")
    page.keyboard.press("2")
    if shown.inner_text() == "d/4":
        expect(page.locator("article .near")).to_have_count(0)
        page.keyboard.press("0")
    expect(shown).to_have_text("d2")
    line = page.locator("article .near")
    expect(line).to_have_text("You gave Relevant to a nearly identical document. Compare")
    expect(page.locator("#verdicts [data-near]")).to_have_attribute("value", "2")
    for route in held:
        route.continue_()
    page.unroute("**/desk/events")
    expect(page.locator("#light-text")).to_have_text("saved", timeout=20_000)
    page.goto(f"{desk}?docno=d2")
    expect(line).to_contain_text("You gave Relevant")
    # Hits were looked for ahead, and are there.
    assert words_painted(page, "reading-topic") == ["tide"]
    line.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Two documents")).to_be_visible()


def test_a_hostile_document_does_nothing_but_show_its_text(open_desk: Any) -> None:
    page, desk, server = open_desk({"d1": HOSTILE})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    page.goto(f"{desk}?docno=d1")
    expect(page.locator(".reading-bar .hits")).to_have_text("31 hits")
    assert [url for url in asked if not url.startswith(server.address)] == []
    shown = page.locator("#document article")
    assert (
        shown.locator(
            "script, style, iframe, form, input, button:not(.link), img, svg, [id], [style], [onclick]"
        ).count()
        == 0
    )
    assert page.locator("#document, #desk").count() == 2
    link = shown.get_by_role("link", name="the table")
    assert link.evaluate("one => [one.target, one.rel, one.dataset.to]") == [
        "_blank", "noopener noreferrer nofollow", "example.org/tide-table"
    ]  # fmt: skip
    expect(shown.locator(".control")).to_have_text("U+202E")
    # A formula is one, and what is not shown left a mark that is seen and read, but is none of the text.
    assert shown.locator("math mi").evaluate("one => [one.namespaceURI, one.attributes.length]") == [
        "http://www.w3.org/1998/Math/MathML", 0
    ]  # fmt: skip
    for name in ("Script left out", "Embedded page left out", "Form, shown as text", "Drawing left out"):
        mark = shown.get_by_role("img", name=name)
        expect(mark).to_be_visible()
        assert mark.evaluate("one => [one.textContent, getComputedStyle(one, '::before').content]") == [
            "", f'"{name}"'
        ]  # fmt: skip
    # The wide table scrolls in its own box, and a hit at its end is brought into sight.
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for _ in range(31):
        page.keyboard.press("n")
    assert in_sight(page)


@pytest.mark.slow
def test_five_megabytes_are_laid_out_only_where_they_are_read(open_desk: Any) -> None:
    page, desk, _ = open_desk({"d2": BIG})
    page.goto(f"{desk}?docno=d2")
    # Waiting for an element only: what else an assertion looks at of so large a page takes long.
    page.wait_for_selector(".excerpt", timeout=30_000)
    assert page.locator(".reading-bar .hits").text_content() == "600 hits"
    page.keyboard.press("a")
    page.wait_for_selector(".excerpt", state="detached")
    laid_out = page.locator(".part > :first-child").evaluate_all(
        "all => all.filter((one) => one.checkVisibility({ contentVisibilityAuto: true })).length"
    )
    assert page.locator(".part").count() > 150
    assert laid_out < 10
    page.keyboard.press("p")
    assert (page.locator(".reading-bar .hits").text_content() or "").endswith(" of 600 hits")
    assert in_sight(page)
