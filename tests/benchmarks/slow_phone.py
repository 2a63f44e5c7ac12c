"""How long each page takes on a slow phone over a slow network, and whether it keeps still.

`python -m tests.benchmarks.slow_phone` serves a campaign that has something on every page, by the server of
`workbench serve`, and opens each page as somebody to whom it opens. The browser is Chromium of 390 x 844 px
whose network adds 200 ms to every request and carries 1.6 Mbit/s down and 0.75 up, and whose processor is
slowed down four times (the phone of Lighthouse's mobile test, with its 150 ms raised to 200). Styles and
scripts are in its cache after the first page, as they are for anybody who works; `--cold` empties the cache
before each page.

It prints, for the slowest pages and the median, the milliseconds until the largest part of the page is
painted (good up to 2,500) and until everything is loaded, the time that scripts block taps (Total Blocking
Time), the layout shift (good up to 0.1), requests and kilobytes. Thresholds: web.dev, Core Web Vitals.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import (
    Browser,
    BrowserContext,
    CDPSession,
    Error,
    Page,
    TimeoutError,
    sync_playwright,
)

from tests.browser.full_campaign import FullCampaign, full_campaign
from tests.browser.walking import Look, looks
from tests.browsers import find_browser
from tests.servers import running_server
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.app import create_app

WIDTH, HEIGHT = 390, 844
LATENCY_MS = 200
DOWN, UP = 1_600_000 / 8, 750_000 / 8  # bytes a second
SLOWER = 4
SETTLE_MS, IDLE_MS = 500, 10_000
GOOD_PAINT_MS, GOOD_SHIFT = 2500, 0.1
SHOWN = 12
WATCH = """
window.watched = { paint: 0, shift: 0, blocked: 0 };
const watch = (type, see) => new PerformanceObserver((list) => list.getEntries().forEach(see))
  .observe({ type, buffered: true });
watch("largest-contentful-paint", (one) => { watched.paint = one.startTime; });
watch("layout-shift", (one) => { if (!one.hadRecentInput) watched.shift += one.value; });
watch("longtask", (one) => { watched.blocked += Math.max(0, one.duration - 50); });
"""
SEEN = """() => {
  const [page] = performance.getEntriesByType("navigation");
  const all = [page, ...performance.getEntriesByType("resource")];
  const fetched = all.filter((one) => one.transferSize > 0);
  return { ...watched, loaded: page.loadEventEnd, requests: fetched.length,
    bytes: fetched.reduce((sum, one) => sum + one.transferSize, 0),
    wide: Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth) };
}"""


@dataclass(frozen=True, slots=True)
class SlowLook:
    """What one look at a page took: milliseconds, layout shift, requests, bytes, px that it is too wide."""

    endpoint: str
    paint: float
    loaded: float
    blocked: float
    shift: float
    requests: int
    bytes: int
    wide: int


def main() -> None:
    """Walk, and print the slowest pages and how many are good."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cold", action="store_true", help="empty the browser's cache before each page")
    parser.add_argument("--only", metavar="ENDPOINT", help="pages whose endpoint contains this")
    given = parser.parse_args()
    made = full_campaign()
    with tempfile.TemporaryDirectory(prefix="workbench-slow-phone-") as name, sync_playwright() as playwright:
        folder = made.write(Path(name) / "instance")
        asked = [one for one in _looks(folder, made) if not given.only or given.only in one.endpoint]
        command = [str(Path(sys.executable).with_name("workbench")), "serve", "--instance", str(folder)]
        with running_server([*command, "--port", "0"], log=Path(name) / "log", folder=Path(name)) as address:
            options = ["--disable-dev-shm-usage", "--no-sandbox"]
            browser = playwright.chromium.launch(executable_path=find_browser(), args=options)
            found = list(_walk(browser, address, made, asked, given.cold))
            browser.close()
    print(_table(found))


def _looks(folder: Path, made: FullCampaign) -> list[Look]:
    settings = read_settings({"WORKBENCH_INSTANCE": str(folder)})
    database = Database(settings.database_url)
    try:
        return looks(create_app(settings, database), made)
    finally:
        database.close()


def _walk(
    browser: Browser, address: str, made: FullCampaign, asked: Sequence[Look], cold: bool
) -> list[SlowLook]:
    context = browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}, is_mobile=True, has_touch=True)
    context.add_init_script(WATCH)
    page = context.new_page()
    tools = context.new_cdp_session(page)
    _slow_down(tools)
    found, who = [], None
    for look in asked:
        if look.who != who:
            who = look.who
            _enter(context, address, made, who)
        if cold:
            tools.send("Network.clearBrowserCache")
        seen = _look(page, address, look)
        if seen is not None:
            found.append(seen)
    context.close()
    return found


def _look(page: Page, address: str, look: Look) -> SlowLook | None:
    """Open a page; None for a file."""
    try:
        answer = page.goto(f"{address}{look.path}")
    except Error:
        return None
    if answer is None or not answer.headers["content-type"].startswith("text/html"):
        return None
    # A page that shows how far something is asks again and again.
    with suppress(TimeoutError):
        page.wait_for_load_state("networkidle", timeout=IDLE_MS)
    page.wait_for_timeout(SETTLE_MS)
    return SlowLook(endpoint=look.endpoint, **page.evaluate(SEEN))


def _slow_down(tools: CDPSession) -> None:
    network = {"offline": False, "latency": LATENCY_MS, "downloadThroughput": DOWN, "uploadThroughput": UP}
    tools.send("Network.enable")
    tools.send("Network.emulateNetworkConditions", network)
    tools.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})


def _enter(context: BrowserContext, address: str, made: FullCampaign, who: str) -> None:
    context.clear_cookies()
    if who:
        name, value = made.cookie(who)
        context.add_cookies([{"name": name, "value": value, "url": address}])


def _table(found: Sequence[SlowLook]) -> str:
    good = sum(one.paint <= GOOD_PAINT_MS for one in found)
    still = sum(one.shift <= GOOD_SHIFT for one in found)
    wide = sorted({one.endpoint for one in found if one.wide})
    lines = [
        f"{len(found)} looks at {len({one.endpoint for one in found})} pages",
        f"painted within {GOOD_PAINT_MS:,} ms: {good}; layout shift up to {GOOD_SHIFT}: {still}; "
        f"wider than the phone: {', '.join(wide) or 'none'}",
        f"{'page':36} {'painted':>8} {'loaded':>8} {'blocked':>8} {'shift':>6} {'requests':>8} {'kB':>6}",
        _line("median", *(statistics.median(getattr(one, name) for one in found) for name in FIGURES)),
    ]
    slowest = sorted(found, key=lambda one: one.paint, reverse=True)[:SHOWN]
    moving = [one for one in found if one.shift > GOOD_SHIFT and one not in slowest]
    for one in [*slowest, *moving]:
        lines.append(_line(one.endpoint, *(getattr(one, name) for name in FIGURES)))
    return "\n".join(lines)


FIGURES = ("paint", "loaded", "blocked", "shift", "requests", "bytes")


def _line(name: str, *figures: float) -> str:
    paint, loaded, blocked, shift, requests, sent = figures
    return (
        f"{name:36} {paint:8.0f} {loaded:8.0f} {blocked:8.0f} {shift:6.3f} {requests:8.0f} {sent / 1000:6.1f}"
    )


if __name__ == "__main__":
    main()
