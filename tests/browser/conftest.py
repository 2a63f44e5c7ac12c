"""A real browser before a real server; whatever the browser complains of on the way fails the test."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect, sync_playwright

from tests.browser.desks import DeskOf, DeskServer, open_desk
from tests.browser.scripts import open_scripts
from tests.browsers import find_browser
from tests.cast import CHEAP
from tests.databases import lasting
from tests.servers import WholeAnswers, running_server, served_here
from tests.support import share_compiled_templates
from tests.tree import ROOT
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.web.app import create_app
from workbench.web.context import KEY, Context, init_app

share_compiled_templates()
HERE = Path(__file__).parent
WIDTH, HEIGHT = 1280, 800
# How long a test waits for what it expects. What is there sooner costs nothing; where all cores are busy the
# process of long requests, at its low priority, may take seconds.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)

# Chromium reports what the content-security policy refused only to the page; this makes it say so aloud.
TELL_VIOLATIONS = """
document.addEventListener("securitypolicyviolation", (violation) => {
  console.error(`content-security policy: ${violation.violatedDirective} refused ${violation.blockedURI}`);
});
"""


@dataclass
class Complaints:
    """What the pages of a test complained of: console errors, uncaught errors, refusals of the policy."""

    heard: list[str] = field(default_factory=list)
    expected: list[re.Pattern[str]] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """Let complaints that hold this pattern pass, such as the status of a refusal that is tested."""
        self.expected.append(re.compile(pattern))

    def listen(self, page: Page) -> None:
        """Hear what this page complains of from now on."""
        page.on("console", self._hear_console)
        page.on("pageerror", self._hear_error)

    def unexpected(self) -> list[str]:
        """The complaints that the test did not expect."""
        return [said for said in self.heard if not any(pattern.search(said) for pattern in self.expected)]

    def _hear_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.heard.append(f"{message.text} ({message.location.get('url', '')})")

    def _hear_error(self, error: Error) -> None:
        self.heard.append(str(error))


@dataclass(frozen=True, slots=True)
class Site:
    """The application in the process of the tests, and where it is served."""

    app: Flask
    answers: WholeAnswers
    address: str


@dataclass(frozen=True, slots=True)
class Server:
    """A running copy of the site, and the folder that holds its data."""

    address: str
    instance: Path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m "not browser"` leaves it out."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window, one for all tests of a worker."""
    # Small containers have too little shared memory for Chromium, and its sandbox refuses root.
    options = ["--disable-dev-shm-usage"]
    # One process for all pages of a person, who sees one site: each further one costs a third of a second.
    options.append("--renderer-process-limit=1")
    # What a key scrolls has moved at once, however busy the machine is.
    options.append("--disable-smooth-scrolling")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=find_browser(), args=options, chromium_sandbox=False
        )
        yield started
        started.close()


@pytest.fixture
def complaints() -> Iterator[Complaints]:
    """Collects what every page of the test complains of, and fails the test for what it did not expect."""
    collected = Complaints()
    yield collected
    assert collected.unexpected() == []


@pytest.fixture
def new_context(
    browser: Browser, complaints: Complaints, live_server: Callable[..., Server]
) -> Iterator[Callable[..., BrowserContext]]:
    """Makes a person's browser: cookies of its own; takes Playwright's options of a context.

    After `live_server`, so that pages close before their site loses its data: some fetch what comes next.
    """
    with ExitStack() as stack:

        def make(**options: Any) -> BrowserContext:
            settings = {"viewport": {"width": WIDTH, "height": HEIGHT}, "locale": "en-GB"} | options
            context = stack.enter_context(browser.new_context(**settings))
            context.set_default_timeout(PATIENCE_MS)
            context.add_init_script(TELL_VIOLATIONS)
            context.on("page", complaints.listen)
            return context

        yield make


@pytest.fixture
def desk_of(new_context: Callable[..., BrowserContext], server: DeskServer) -> DeskOf:
    """Opens somebody's desk in a browser of its own, on the server of the file of tests."""

    def open_(name: str, **options: Any) -> Page:
        context = new_context(**options)
        server.let_in(context, name)
        page = context.new_page()
        if options.get("java_script_enabled", True):
            open_desk(page, server, name)
        else:
            page.goto(server.desk(name))
        return page

    return open_


@pytest.fixture
def new_page(new_context: Callable[..., BrowserContext]) -> Callable[..., Page]:
    """Makes a page in a browser of its own, as another person has; takes the same options."""

    def make(**options: Any) -> Page:
        return new_context(**options).new_page()

    return make


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """A page of 1280 by 800 in a browser of its own."""
    return new_page()


@pytest.fixture(scope="session")
def sites() -> Iterator[Callable[[int], Site]]:
    """The sites in the process of the tests, by number; each is started when it is asked for first."""
    with ExitStack() as stack:
        started: list[Site] = []

        def site(number: int) -> Site:
            while len(started) <= number:
                nowhere = read_settings({}, instance=Path("nowhere"))
                app = create_app(nowhere, Database("sqlite://"), passwords=CHEAP)
                answers = WholeAnswers(app)
                started.append(Site(app, answers, stack.enter_context(served_here(answers))))
            return started[number]

        yield site


@pytest.fixture(scope="module")
def serve_here(sites: Callable[[int], Site]) -> Iterator[Callable[[DeskServer], DeskServer]]:
    """Serves desks in the process of the tests: starting a server takes 4 s of processor."""
    with ExitStack() as stack:

        def serve(made: DeskServer) -> DeskServer:
            stack.close()
            made.site = stack.enter_context(opened_to(sites(0), made.instance))
            return made

        yield serve


@pytest.fixture
def live_server(tmp_path: Path, sites: Callable[[int], Site]) -> Iterator[Callable[..., Server]]:
    """Serves a data folder, a new one unless one is given.

    The server is in this process, since a new one needs seconds for its start. With `process=True` or with
    settings, as in `live_server(WORKBENCH_DATABASE_URL=...)`, it is `workbench serve` in its own.
    """
    with ExitStack() as stack:
        started: list[Server] = []

        def start(instance: Path | None = None, *, process: bool = False, **environment: str) -> Server:
            folder = instance or tmp_path / f"instance-{len(started) + 1}"
            if process or environment:
                log = tmp_path / f"server-{len(started) + 1}.log"
                command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--instance"]
                serving = running_server(
                    [*command, str(folder)], log=log, folder=ROOT, environment=environment
                )
            else:
                serving = opened_to(sites(len(started)), folder)
            started.append(Server(stack.enter_context(serving), folder))
            return started[-1]

        yield start


@contextmanager
def opened_to(site: Site, instance: Path) -> Iterator[str]:
    """Have a site serve this data folder for a while; gives its address."""
    settings = read_settings({}, instance=instance)
    with lasting(settings.database_url) as database:
        migrate(database)
        init_app(site.app, Context(settings, database, CHEAP))
        site.answers.go_on()
        try:
            yield site.address
        finally:
            # What an open page still asks for is not to reach the database of the next test.
            site.answers.pause()
            del site.app.extensions[KEY]


@pytest.fixture(scope="module")
def modules(browser: Browser) -> Iterator[Page]:
    """A page that can import the scripts; one for all tests of a file."""
    context = browser.new_context()
    yield open_scripts(context.new_page())
    context.close()
