"""The run desk in a browser: forty runs dropped, five bad in five ways; one is repaired; a pool is made."""

from __future__ import annotations

import base64
import gzip
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Complaints, Server
from tests.browser.interception import intercept
from tests.browser.people import demo_instance, sign_in
from workbench.demo.collection import demo_documents, demo_topics

LiveServer = Callable[..., Server]

# What is wrong with which, and in which line: (file, line, what the page says).
BAD = {
    "sys04": ("11", "expected 6 columns, found 5"),
    "sys11": ("21", 'topic "T999" is not among the topics'),
    "sys19": ("32", "document"),
    "sys27": ("6", 'the score "nan" is not a finite decimal number'),
    "sys33": ("8", 'the tag "sys3x" differs from "sys33" in line 1'),
}
DROP = """async (input, files) => {
  const carried = new DataTransfer();
  for (const [name, content] of files) {
    carried.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name));
  }
  input.files = carried.files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}"""


def forty_runs() -> dict[str, bytes]:
    """Forty runs by file name, every third one gzip."""
    chance = random.Random(7)
    docnos = sorted(document.docno for document in demo_documents())
    runs = {}
    for number in range(1, 41):
        tag = f"sys{number:02d}"
        lines = [
            f"{topic.id} Q0 {docno} {rank} {60 - rank} {tag}"
            for topic in demo_topics()
            for rank, docno in enumerate(chance.sample(docnos, 40), 1)
        ]
        spoil(lines, tag)
        content = ("\n".join(lines) + "\n").encode()
        runs[f"{tag}.gz" if number % 3 == 0 else f"{tag}.txt"] = (
            gzip.compress(content) if number % 3 == 0 else content
        )
    return runs


def spoil(lines: list[str], tag: str) -> None:
    """Make a run bad in its own way, if it is one of the five."""
    if tag == "sys04":
        lines[10] = lines[10].rsplit(" ", 1)[0]
    elif tag == "sys11":
        lines[20] = "T999 " + lines[20].split(" ", 1)[1]
    elif tag == "sys19":
        lines[31] = lines[31].replace(lines[31].split()[2], lines[30].split()[2])
    elif tag == "sys27":
        lines[5] = re.sub(r" \S+ sys27$", " nan sys27", lines[5])
    elif tag == "sys33":
        lines[7] = lines[7].replace("sys33", "sys3x")


def open_runs(page: Page, server: Server) -> None:
    sign_in(page, server.address, "organiser")
    page.goto(f"{server.address}/c/harbour/runs")
    page.get_by_text("Add more runs").click()


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop files onto the field, as the browser itself puts them there."""
    carried = [[name, base64.b64encode(content).decode()] for name, content in files.items()]
    page.get_by_label("Run files").evaluate(DROP, carried)


def card_of(page: Page, name: str) -> Locator:
    """What the page says of one checked file."""
    return page.locator("details.checked", has=page.get_by_role("heading", name=name))


@pytest.mark.slow
def test_forty_runs_are_dropped_five_are_bad_one_is_repaired_and_a_pool_is_made(
    page: Page, live_server: LiveServer, tmp_path: Path
) -> None:
    server = live_server(demo_instance(tmp_path / "demo"))
    runs = forty_runs()
    open_runs(page, server)
    drop(page, runs)
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_role("heading", name="40 files checked")).to_be_visible(timeout=60_000)
    rows = page.get_by_role("region", name="Files").get_by_role("row")
    for at, (name, (line, words)) in enumerate(BAD.items(), 1):
        expect(rows.nth(at)).to_contain_text(name)
        error = card_of(page, name).locator("tr.error").filter(has_text=words)
        expect(error.get_by_role("cell").first).to_have_text(line)
        expect(rows.nth(at).get_by_role("checkbox")).to_have_count(0)
    expect(page.get_by_role("checkbox", name=re.compile("^Add sys"))).to_have_count(35)

    # One is repaired automatically, one by its maker.
    page.get_by_role("button", name="Use the repaired file instead of sys33.gz").click()
    expect(page.get_by_text("sys33 was checked: good.")).to_be_visible()
    repaired = tmp_path / "sys04.txt"
    lines = runs["sys04.txt"].decode().splitlines()
    repaired.write_text("\n".join([*lines[:10], f"{lines[10]} sys04", *lines[11:]]) + "\n", encoding="utf-8")
    card = card_of(page, "sys04.txt")
    card.get_by_label("Upload a corrected file").set_input_files(repaired)
    card.get_by_role("button", name="Check it instead").click()
    expect(page.get_by_role("checkbox", name=re.compile("^Add sys"))).to_have_count(37)
    page.get_by_role("button", name=re.compile("^Add the selected runs .37")).click()
    expect(page.get_by_text("37 runs added.")).to_be_visible()
    page.get_by_role("button", name="Discard files that were not added").click()
    # The demo has six runs of its own.
    expect(page.get_by_text("43 runs")).to_be_visible()

    page.goto(f"{server.address}/c/harbour/pools")
    page.get_by_text("New pool", exact=True).click()
    page.locator("#depth").fill("5")
    page.get_by_role("button", name="Save as draft").click()
    expect(page.get_by_role("main")).to_contain_text("43")


def test_a_lost_connection_loses_one_file_that_can_be_sent_again(
    page: Page, live_server: LiveServer, tmp_path: Path, complaints: Complaints
) -> None:
    complaints.expect("ERR_FAILED")
    server = live_server(demo_instance(tmp_path / "demo"))
    open_runs(page, server)
    seen: list[int] = []

    def lose_the_second(route: Route) -> None:
        seen.append(len(seen))
        if len(seen) == 2:
            route.abort()
        else:
            route.continue_()

    intercept(page, "**/runs/checked", lose_the_second)
    drop(page, dict(list(forty_runs().items())[:3]))
    page.get_by_role("button", name="Check the files").click()
    expect(page.get_by_text("Not uploaded: 1")).to_be_visible()
    expect(page.get_by_text("sys02.txt: the connection was lost")).to_be_visible()
    page.get_by_role("button", name="Upload it again").click()
    expect(page.get_by_role("heading", name="3 files checked")).to_be_visible()
    page.wait_for_load_state("networkidle")  # lest the server goes before the page has all of it
