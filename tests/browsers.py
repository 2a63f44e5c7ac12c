"""The browser of the tests: the system's Chromium, else Playwright's own, else Debian's package.

Chromium without a window of its own (Debian's `chromium-headless-shell`) goes first: the windows that nobody
sees take half of the processor's time.

`python -m tests.browsers` finds one or installs one, and prints where it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

SYSTEM_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
INSTALL_SECONDS = 600
ADVICE = (
    "No browser was found and none could be installed. Install Chromium or Google Chrome and put it on PATH,"
    " or name its program in WORKBENCH_TEST_BROWSER, or run"
    " .venv/bin/playwright install --with-deps chromium"
)


class NoBrowser(Exception):
    """No browser that starts was found."""


def find_browser() -> str:
    """The program of a Chromium that starts; raises NoBrowser where there is none."""
    given = os.environ.get("WORKBENCH_TEST_BROWSER")
    candidates = [given] if given else [shutil.which(name) for name in SYSTEM_NAMES]
    for candidate in candidates:
        if candidate and _starts(candidate):
            return candidate
    own = None if given else _playwrights_own()
    if own and _starts(own):
        return own
    raise NoBrowser(ADVICE)


def ensure_browser() -> str:
    """The same, but installs one where there is none; raises NoBrowser where that fails too."""
    for attempt in ([], *_attempts()):
        for command in attempt:
            print("$", " ".join(command), flush=True)
            _run(command)
        try:
            return find_browser()
        except NoBrowser:
            continue
    raise NoBrowser(ADVICE)


def _attempts() -> list[list[list[str]]]:
    playwright = [sys.executable, "-m", "playwright"]
    ways = [[[*playwright, "install", "--no-shell", "chromium"]]]
    if os.geteuid() == 0 and shutil.which("apt-get"):
        install = ["apt-get", "-qq", "install", "-y"]
        ways.append([["apt-get", "-qq", "update"], [*install, "chromium-headless-shell"]])
        ways.append([[*install, "chromium"]])
        # Where `chromium` is no real package (Ubuntu), Playwright's own lacks only the libraries beneath it.
        ways.append([[*playwright, "install-deps", "chromium"]])
    return ways


def _run(command: list[str]) -> None:
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(command, check=False, stdin=subprocess.DEVNULL, env=quiet, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        print(f"gave up after {INSTALL_SECONDS} s", flush=True)


def _starts(program: str) -> bool:
    # A file by that name may be a stub (Ubuntu's snap) or lack libraries; asking its version tells.
    try:
        done = subprocess.run(
            [program, "--version"], check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _playwrights_own() -> str | None:
    from playwright.sync_api import sync_playwright  # slow to import, and only needed here

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def main() -> int:
    """Find or install a browser; 1 where there is none."""
    try:
        print(ensure_browser())
    except NoBrowser as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
