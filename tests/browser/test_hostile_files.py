"""Hostile documents of every form on the judging desk: nothing runs, and nothing is fetched."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.conftest import Complaints, Server
from tests.browser.people import stored
from tests.cast import Cast, assemble
from tests.formats.image_files import image_document, png_file
from tests.formats.pdf_files import acting
from tests.web.hostile_pages import PAGES
from workbench.formats.documents import read_documents
from workbench.records import Document
from workbench.web.rendering import render_document
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.people.signing_in import open_session

# An image that is a page as well, for whoever does not believe its type.
POLYGLOT = png_file(4, 4) + b"<script>alert(1)</script><img src=http://evil.test/p.png>"
# As the desk puts a document into its page, and then once more, as an editor or a copy would.
SHOW = """(html) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  const shown = document.adoptNode(template.content.firstElementChild);
  const article = document.querySelector("#document article");
  article.replaceChildren();
  article.append(shown);
  const again = document.createElement("div");
  again.innerHTML = article.innerHTML;
  article.append(again);
  const bad = "script, style, link, meta, base, iframe, frame, object, embed, form, input, button, select,"
    + "textarea, svg, video, audio, img, image, template, noscript, [id], [name], [style], [srcdoc], [ping]";
  const names = [...article.querySelectorAll("*")].flatMap((one) => one.getAttributeNames());
  const protocols = [...article.querySelectorAll("a[href]")].map((one) => one.protocol);
  return [
    [...article.querySelectorAll(bad)].map((one) => one.outerHTML),
    names.filter((name) => name.startsWith("on")),
    protocols.filter((one) => !/^https?:$/.test(one)),
    document.getElementById("desk").matches("main.desk") && typeof document.getElementById,
  ];
}"""


@pytest.mark.slow
def test_nothing_runs_and_nothing_is_fetched(
    live_server: Callable[..., Server],
    new_context: Callable[..., BrowserContext],
    complaints: Complaints,
    tmp_path: Path,
) -> None:
    pytest.importorskip("pypdf", reason="the extra pdf is not installed")
    (report,) = read_documents(io.BytesIO(acting()), source="d2.pdf")
    documents = [
        Document("d1", "Attacks", "\n".join(PAGES.values())),
        report,
        Document("d/4", "", "", image_document("d4", POLYGLOT).original),
    ]
    folder = tmp_path / "instance"
    with stored(folder) as database:
        cast: Cast = assemble(database)
        with database.writing() as db:
            load_documents(db, cast.campaign_id, documents, source="hostile")
            token = open_session(db, cast.accounts["Ada"]).token
    server = live_server(folder)
    context = new_context()
    context.add_cookies([{"name": "workbench", "value": token, "url": server.address}])
    page = context.new_page()
    # How Chromium itself sets an image, which the sandbox of files refuses as everything else.
    complaints.expect("inline style|Blocked script execution in .*/files/")
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("page", lambda _: pytest.fail("a window was opened"))
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog: {dialog.message}"))
    desk = f"{server.address}/c/harbour/judge/{cast.assignments['Ada', 'T1']}"

    page.goto(f"{desk}?docno=d1")
    expect(page.locator("#keep-comment")).to_be_enabled()
    for name, hostile in PAGES.items():
        assert page.evaluate(SHOW, str(render_document(hostile))) == [[], [], [], "function"], name
    page.goto(f"{desk}?docno=d2")
    frame = page.locator("#document iframe")
    expect(frame).to_be_visible()
    page.keyboard.press("v")
    expect(frame).to_be_hidden()
    expect(page.locator("#document .text")).to_have_text("Low tide")
    page.keyboard.press("v")
    expect(frame).to_be_visible()
    page.goto(f"{desk}?docno=d%2F4")
    image = page.locator("#document figure img")
    expect(image).to_be_visible()
    assert image.evaluate("one => [one.naturalWidth, one.naturalHeight]") == [4, 4]
    # Opened by itself it stays an image, in a page that may do nothing.
    page.goto(f"{server.address}{image.get_attribute('src')}")
    assert page.evaluate("[document.contentType, origin, document.scripts.length]") == [
        "image/png",
        "null",
        0,
    ]
    assert [url for url in asked if not url.startswith((server.address, "data:"))] == []
