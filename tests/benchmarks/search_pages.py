"""Searching at the desk in a browser: from the key to the hits being painted, and keys a judgment.

`python -m tests.benchmarks.search_pages` serves a campaign with `--documents` documents, made as `searching`
makes them, by the server of `workbench serve` over SQLite. A robot in Chromium searches them for a topic,
with 40 queries of 12 words of which every one ranks, and judges `--judged` of what the last one found, one
after the other.

Told are, as median and ninth decile, the milliseconds from the key that sends a query to the paint of the
hits, and from the key that judges to the paint of the next document; of these the milliseconds until the
answer had arrived; what the server's processes used of the processor for each; how long the page's main
thread was at work, and what of the processor it used, which tells more where others use it too, with what
scripts, styles and layout took; and how many keys the robot pressed for each judgment: a search is sent,
opened and left by a key each besides. Paints and answers are those of the browser's own timeline, so leave
the machine alone meanwhile.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from playwright.sync_api import CDPSession, Page, expect, sync_playwright
from sqlalchemy import func, select

from tests.benchmarks.searching import QUERY_WORDS, Zipf, documents
from tests.browser.desks import DeskServer, desk_server
from tests.browser.people import stored
from tests.browsers import find_browser
from workbench.storage.tables import CampaignRow, SearchEventRow
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.desk_rules import save_allows_search

QUERIES, WARMING, WORDS = 40, 5, 150
POOLED, AT_ONCE = 10, 5_000
INDEXED_MS = 600_000
PAGE_TIMES = ("TaskDuration", "ThreadTime", "ScriptDuration", "RecalcStyleDuration", "LayoutDuration")
# The moments of the last key and of the paints of hits and documents, by the clock that a tab's pages share.
WATCH = """addEventListener("keydown", (event) => {
  sessionStorage.keyed = performance.timeOrigin + event.timeStamp;
  sessionStorage.keys = 1 + Number(sessionStorage.keys ?? 0);
}, true);
window.painted = {};
new PerformanceObserver((list) => {
  for (const { identifier, renderTime } of list.getEntries()) {
    window.painted[identifier] = performance.timeOrigin + renderTime;
  }
}).observe({ type: "element", buffered: true });
const WATCHED = { hits: ".hits li:first-child p", document: "#opened-document h2" };
new MutationObserver(() => {
  for (const [name, chosen] of Object.entries(WATCHED)) {
    document.querySelector(chosen)?.setAttribute("elementtiming", name);
  }
}).observe(document, { childList: true, subtree: true });"""
SEEN = """(what) => new Promise((resolve) => {
  const keyed = Number(sessionStorage.keyed);
  const tell = () => {
    if (!(window.painted[what] > keyed)) { requestAnimationFrame(tell); return; }
    const sent = performance.getEntriesByType("resource").filter((one) => one.initiatorType === "fetch");
    const [page] = performance.getEntriesByType("navigation");
    const answered = Math.max(page.responseEnd, ...sent.map((one) => one.responseEnd));
    resolve([window.painted[what] - keyed, performance.timeOrigin + answered - keyed]);
  };
  tell();
})"""


@dataclass(frozen=True, slots=True)
class Took:
    """Milliseconds after a key until a paint and an answer, of the server's processes, and of the page.

    The page's are by the names that Chromium has for them.
    """

    painted: float
    answered: float
    used: float
    page: dict[str, float]


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=114_000)
    parser.add_argument("--judged", type=int, default=20, help="at most 200, which a search keeps")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="workbench-search-pages-") as folder, sync_playwright() as robot:
        zipf = Zipf()
        server = _server(Path(folder), zipf, given.documents)
        server.start()
        try:
            options = ["--disable-dev-shm-usage", "--no-sandbox"]
            browser = robot.chromium.launch(executable_path=find_browser(), args=options)
            context = browser.new_context(viewport={"width": 1280, "height": 800})
            context.add_init_script(WATCH)
            server.let_in(context, "Robot")
            page = context.new_page()
            _wait_for_index(page, server, given.documents)
            queries = [" ".join(row) for row in zipf.words(WARMING + QUERIES, QUERY_WORDS)]
            found = [_search(page, server, query) for query in queries][WARMING:]
            print(f"{given.documents:,} documents of {WORDS} words, queries of {QUERY_WORDS} words")
            _say("key to painted hits", found)
            keys, judged = _judge(page, server, given.judged)
            _say("key to the next document", judged)
            print(f"{keys / given.judged:.2f} keys for each of {given.judged} judgments")
            browser.close()
        finally:
            server.kill()
        _check(Path(folder), given.judged)


def _server(folder: Path, zipf: Zipf, count: int) -> DeskServer:
    source = documents(zipf, count, WORDS)
    server = desk_server(folder, ["Robot"], list(islice(source, POOLED)))
    with stored(folder) as database:
        with database.writing() as db:
            campaign_id = db.scalars(select(CampaignRow.id)).one()
            save_allows_search(db, campaign_id, True)
        while some := list(islice(source, AT_ONCE)):
            with database.writing() as db:
                load_documents(db, campaign_id, some, source="made")
    return server


def _wait_for_index(page: Page, server: DeskServer, count: int) -> None:
    page.goto(f"{server.desk('Robot')}/search")
    expect(page.locator("#query")).to_be_visible()
    while page.locator("p.notice.fair").count():
        page.wait_for_timeout(1000)
        page.reload()
    _search(page, server, "w1 OR w2")
    expect(page.locator(".understood")).to_contain_text(f"{count:,}")


def _search(page: Page, server: DeskServer, query: str) -> Took:
    """Send a query and wait for its hits."""
    page.goto(f"{server.desk('Robot')}/search")
    page.locator("#query").fill(query)
    return _pressed(page, server, "Enter", "hits")


def _pressed(page: Page, server: DeskServer, key: str, what: str) -> Took:
    """Press a key and wait for what it shows."""
    meter = page.context.new_cdp_session(page)
    meter.send("Performance.enable")
    before, busy = _used_ms(server), _page_ms(meter)
    page.keyboard.press(key)
    painted, answered = page.evaluate(SEEN, what)
    after = _page_ms(meter)
    took = Took(
        painted, answered, _used_ms(server) - before, {name: after[name] - busy[name] for name in PAGE_TIMES}
    )
    meter.detach()
    return took


def _judge(page: Page, server: DeskServer, count: int) -> tuple[int, list[Took]]:
    """Judge so many documents: how many keys that took, and what passed until each next one."""
    while (shown := page.locator("[data-hit]").count()) < count:
        page.locator("[data-key=m]").click()
        expect(page.locator(f"#hit-{shown + 1}")).to_be_visible()
    page.locator("[data-hit]").first.click()
    expect(page.locator("#opened-document")).to_be_focused()
    page.evaluate("sessionStorage.keys = 0")
    found = []
    for number in range(count):
        # The page hears keys as soon as the document has the focus.
        expect(page.locator("#opened-document")).to_be_focused()
        if number < count - 1 or page.locator("[data-hit]").count() > count:
            found.append(_pressed(page, server, "0123"[number % 4], "document"))
        else:
            page.keyboard.press("0")
    expect(page.locator(".hits li.done")).to_have_count(count)
    return int(page.evaluate("Number(sessionStorage.keys)")), found


def _page_ms(meter: CDPSession) -> dict[str, float]:
    """What the main thread of the page has worked so far."""
    metrics = {one["name"]: one["value"] for one in meter.send("Performance.getMetrics")["metrics"]}
    return {name: 1000 * float(metrics[name]) for name in PAGE_TIMES}


def _used_ms(server: DeskServer) -> float:
    """What the processes of the server have used of the processor so far."""
    used = 0
    for process in Path("/proc").iterdir():
        # A process may end meanwhile.
        with suppress(OSError):
            if (
                process.name.isdigit()
                and server.process
                and os.getpgid(int(process.name)) == server.process.pid
            ):
                times = (process / "stat").read_text().rpartition(")")[2].split()
                used += int(times[11]) + int(times[12])
    return 1000 * used / os.sysconf("SC_CLK_TCK")


def _say(what: str, found: Sequence[Took]) -> None:
    painted = sorted(one.painted for one in found)
    answered = statistics.median(one.answered for one in found)
    used = statistics.mean(one.used for one in found)
    page = {name: statistics.median(one.page[name] for one in found) for name in PAGE_TIMES}
    decile = painted[len(painted) * 9 // 10]
    print(
        f"{what}: {statistics.median(painted):.0f} ms, one in ten more than {decile:.0f} ms;"
        f" of these {answered:.0f} ms until the answer has arrived;"
        f" {used:.0f} ms of the server's processor, {page['TaskDuration']:.0f} ms of the page's main thread"
        f" ({page['ThreadTime']:.0f} ms of the processor; scripts {page['ScriptDuration']:.1f} ms,"
        f" styles {page['RecalcStyleDuration']:.1f} ms, layout {page['LayoutDuration']:.1f} ms)"
    )


def _check(folder: Path, judged: int) -> None:
    event = SearchEventRow
    with stored(folder) as database, database.reading() as db:
        number = db.scalar(select(func.count(event.id)).where(event.happening == "judged"))
    if number != judged:
        raise SystemExit(f"{number} judgments are stored, and the robot made {judged}")


if __name__ == "__main__":
    main()
