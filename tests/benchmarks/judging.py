"""A robot judge at the desk: actions a judgment, and milliseconds from the key to the next document.

`python -m tests.benchmarks.judging DOCS.jsonl` serves a campaign with the first 200 documents of the file
from a real server over SQLite and judges them in Chromium, one key each, with 0, 50 and 300 ms added to every
request. The robot thinks for a moment between two keys, far less than anybody reads. Told are the
milliseconds from the keydown event (its own time stamp) to the moment at which the next document stands in
the page, and to the frame after that having been painted; how long a request took that saved; and whether
the events in the database equal the keys. `--json` prints the same as JSON.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import statistics
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.desks import DeskServer, desk_server, light, open_desk
from tests.browsers import find_browser
from workbench.formats.documents import read_documents
from workbench.records import Document

LATENCIES = (0, 50, 300)
SEED = 20
# Times every key: to the swap, and to the frame that shows it.
WATCH = """() => {
  window.robot = { keyed: 0, swapped: [], painted: [] };
  addEventListener("keydown", (event) => { robot.keyed = event.timeStamp; }, true);
  const swapped = () => {
    const { keyed } = robot;
    robot.swapped.push(performance.now() - keyed);
    requestAnimationFrame(() => {
      // A message comes after the frame has been drawn.
      const channel = new MessageChannel();
      channel.port1.onmessage = () => robot.painted.push(performance.now() - keyed);
      channel.port2.postMessage(null);
    });
  };
  document.getElementById("desk").addEventListener("desk:shown", swapped);
  window.saves = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
      if (one.name.endsWith("/desk/events")) saves.push(one.duration);
    }
  }).observe({ type: "resource" });
}"""


@dataclass(frozen=True, slots=True)
class Judged:
    """One run of the robot: milliseconds as (median, 99th percentile, most), and whether all arrived."""

    latency_ms: int
    judgments: int
    actions_each: float
    clicks: int
    to_swap_ms: tuple[float, float, float]
    to_paint_ms: tuple[float, float, float]
    saving_ms: tuple[float, float, float]
    events_equal_keys: bool


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("documents", type=Path, help="documents as JSON lines")
    parser.add_argument("--count", type=int, default=200, help="how many are judged")
    parser.add_argument("--think", type=int, default=150, help="milliseconds between two keys")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    documents = _first(given.documents, given.count)
    names = [f"Robot {latency}" for latency in LATENCIES]
    with tempfile.TemporaryDirectory(prefix="workbench-judging-") as folder, sync_playwright() as playwright:
        server = desk_server(Path(folder), names, documents)
        server.start()
        try:
            options = ["--disable-dev-shm-usage", "--no-sandbox"]
            browser = playwright.chromium.launch(executable_path=find_browser(), args=options)
            found = [
                _judge(browser, server, name, latency, len(documents), given.think)
                for name, latency in zip(names, LATENCIES, strict=True)
            ]
            browser.close()
        finally:
            server.kill()
    print(json.dumps([asdict(one) for one in found], indent=2) if given.json else _table(found))


def _first(path: Path, count: int) -> list[Document]:
    with path.open("rb") as stream:
        return list(itertools.islice(read_documents(stream, source=path.name), count))


def _judge(browser: Browser, server: DeskServer, name: str, latency: int, count: int, think: int) -> Judged:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    server.let_in(context, name)
    page = context.new_page()
    open_desk(page, server, name)
    _slow_down(page, latency)
    page.evaluate(WATCH)
    keys = random.Random(SEED).choices("0123", k=count)  # which grades matters to nobody
    page.wait_for_timeout(2000)
    order: list[str] = page.evaluate("JSON.parse(document.getElementById('desk').dataset.work).order")
    for number, key in enumerate(keys, start=1):
        page.keyboard.press(key)
        page.wait_for_timeout(think)
        if number < count:
            page.wait_for_function("number => robot.painted.length >= number", arg=number)
    light(page, "saved")
    swapped, painted, saving = page.evaluate("[robot.swapped, robot.painted, saves]")
    context.close()
    expected = [(docno, "grade", int(key)) for docno, key in zip(order, keys, strict=True)]
    return Judged(
        latency_ms=latency,
        judgments=count,
        actions_each=len(keys) / count,
        clicks=0,
        to_swap_ms=_three(swapped),
        to_paint_ms=_three(painted),
        saving_ms=_three(saving),
        events_equal_keys=server.said(name) == expected,
    )


def _slow_down(page: Page, latency: int) -> None:
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": latency, "downloadThroughput": -1, "uploadThroughput": -1},
    )


def _three(values: Sequence[float]) -> tuple[float, float, float]:
    ordered = sorted(values)
    ninety_ninth = ordered[min(len(ordered) - 1, int(0.99 * len(ordered)))]
    return round(statistics.median(ordered), 1), round(ninety_ninth, 1), round(ordered[-1], 1)


def _table(found: Sequence[Judged]) -> str:
    lines = [
        f"{found[0].judgments} documents, {found[0].actions_each:.1f} keys and {found[0].clicks} clicks each;"
        " milliseconds as median / 99th percentile / most",
        f"{'added':>6}  {'key to swap':>20}  {'key to paint':>20}  {'saving request':>22}  events = keys",
    ]
    for one in found:
        swap, paint, saving = (
            " / ".join(f"{value:.1f}" for value in three)
            for three in (one.to_swap_ms, one.to_paint_ms, one.saving_ms)
        )
        equal = "yes" if one.events_equal_keys else "NO"
        lines.append(f"{one.latency_ms:>6}  {swap:>20}  {paint:>20}  {saving:>22}  {equal}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
