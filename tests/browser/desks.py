"""A campaign whose desk is tried hard: one topic of many documents, and an assessor for every test."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, Route, expect
from sqlalchemy import select

from tests.assigned import assign
from tests.browser.people import CHEAP, stored
from tests.builders import send_runs
from tests.tree import ROOT
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Document, Topic
from workbench.storage.engine import Database
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.handout import OrderRule
from workbench.workflow.people.accounts import Account, NewAccount, create_account
from workbench.workflow.people.membership import Role, add_role, assessors_of
from workbench.workflow.people.signing_in import open_session
from workbench.workflow.pools.making import make_pool

DOCUMENTS = 60
PASSWORD = "a sentence that is long enough"
SOON_MS = 20_000  # the machine may be busy; nothing is measured here

DOCNO = "#document .strip .mono"
LATER = """(milliseconds) => {
  if (window.passed === undefined) {
    window.passed = 0;
    const { get } = Object.getOwnPropertyDescriptor(Event.prototype, "timeStamp");
    Object.defineProperty(Event.prototype, "timeStamp", { get() { return get.call(this) + window.passed; } });
    const now = performance.now.bind(performance);
    performance.now = () => now() + window.passed;
  }
  window.passed += milliseconds;
}"""

# A database that is there opens when `openNow()` is called.
OPENED_BY_HAND = """
const open = indexedDB.open.bind(indexedDB);
IDBFactory.prototype.open = (...given) => {
  const later = {};
  const opened = ({ target }) => later.onsuccess(Object.assign(later, { result: target.result }));
  window.openNow = () => Object.assign(open(...given), { onsuccess: opened });
  return later;
};
"""

# How many answers the account's outbox holds on the disk.
STORED = """number => indexedDB.databases().then((all) => new Promise((resolve) => {
  const { name } = all.find((one) => one.name.startsWith("workbench-outbox-"));
  indexedDB.open(name).onsuccess = ({ target: { result: database } }) => {
    database.transaction("events").objectStore("events").count().onsuccess = ({ target }) => {
      database.close();
      resolve(target.result === number);
    };
  };
}))"""
Said = tuple[str, str, int | None]
DeskOf = Callable[..., Page]
"""The fixture `desk_of`: opens somebody's desk in a browser of its own; takes the options of a context."""


def docno(number: int) -> str:
    """The docno of the document with this number (from 1) in the order on the desk."""
    return f"D{number:03}"


@dataclass
class DeskServer:
    """A server of a campaign: of its own, which can be killed and started again, or a site of the tests."""

    instance: Path
    port: int
    accounts: dict[str, Account]
    assignments: dict[str, int]
    process: subprocess.Popen[bytes] | None = field(default=None)
    site: str = ""  # the address of the site that serves it, without a process of its own

    @property
    def address(self) -> str:
        """Where it answers."""
        return self.site or f"http://127.0.0.1:{self.port}"

    def desk(self, name: str) -> str:
        """The address of somebody's desk."""
        return f"{self.address}/c/trial/judge/{self.assignments[name]}"

    def start(self) -> None:
        """Start it and wait until it answers."""
        command = [sys.executable, "-m", "workbench", "serve", "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, "--instance", str(self.instance)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                urllib.request.urlopen(f"{self.address}/healthz", timeout=5).close()
                return
            except OSError:
                time.sleep(0.05)
        raise RuntimeError("the server did not start")

    def kill(self) -> None:
        """End it at once, with its workers, as a power cut would."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(20)
            self.process = None

    def let_in(self, context: BrowserContext, name: str) -> None:
        """Sign somebody in by the cookie."""
        with stored(self.instance) as database, database.writing() as db:
            token = open_session(db, self.accounts[name]).token
        context.add_cookies([{"name": "workbench", "value": token, "url": self.address}])

    def said(self, name: str) -> list[Said]:
        """What the database holds of somebody: docno, answer and grade, in order."""
        event = JudgmentEventRow
        with stored(self.instance) as database, database.reading() as db:
            rows = db.execute(
                select(event.docno, event.answer, event.grade)
                .join(AssessorRow, AssessorRow.id == event.assessor_id)
                .where(AssessorRow.name == name)
                .order_by(event.id)
            )
            return [(docno, answer, grade) for docno, answer, grade in rows]


def desk_server(
    folder: Path, names: Sequence[str], documents: Sequence[Document] | None = None
) -> DeskServer:
    """Make the campaign, with an assessor of each name and "Olga" who organises; not started yet.

    Topic T1 has all documents, sixty unless others are given, T2 the first three of them.
    """
    if documents is None:
        docnos = [docno(number) for number in range(1, DOCUMENTS + 1)]
        documents = [Document(one, f"About {one}", f"Text of {one}. " * 40) for one in docnos]
    with stored(folder) as database:
        accounts, assignments = _campaign(database, names, documents)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    return DeskServer(folder, port, accounts, assignments)


@contextmanager
def served_desks(
    folder: Path, names: Sequence[str], documents: Sequence[Document] | None = None
) -> Iterator[DeskServer]:
    """The server of `desk_server`, started; killed at the end."""
    made = desk_server(folder, names, documents)
    made.start()
    try:
        yield made
    finally:
        made.kill()


def open_desk(page: Page, server: DeskServer, name: str) -> None:
    """Open somebody's desk and wait until it listens to keys."""
    page.goto(server.desk(name))
    ready(page)


def ready(page: Page) -> None:
    """Wait until the desk listens to keys."""
    expect(page.locator("#document")).to_be_focused(timeout=SOON_MS)


def press(page: Page, keys: Sequence[str]) -> list[str]:
    """Press keys one after the other, each on the document that stands there; gives the docnos."""
    seen = []
    for key in keys:
        seen.append(shown(page))
        page.keyboard.press(key)
    return seen


def shown(page: Page) -> str:
    """The docno on the desk."""
    return page.locator(DOCNO).inner_text()


def on_desk(page: Page, docno: str) -> None:
    """Wait until this document is on the desk."""
    expect(page.locator(DOCNO)).to_have_text(docno, timeout=SOON_MS)


def light(page: Page, text: str) -> None:
    """Wait until the light says so."""
    expect(page.locator("#light-text")).to_have_text(text, timeout=SOON_MS)


def unsent(page: Page, number: int) -> None:
    """Wait until the account's outbox in this browser holds so many answers."""
    page.wait_for_function(STORED, arg=number, timeout=SOON_MS)


def lost(route: Route) -> None:
    """Let a request arrive, and its answer not."""
    route.fetch()
    route.abort()


def pass_time(page: Page, milliseconds: int) -> None:
    """Let the page's clock and its events be so much later from now on, without waiting for it."""
    page.evaluate(LATER, milliseconds)


def round_trip(page: Page) -> None:
    """Have the page ask its server something: what it asked before has gone out, and come if answered."""
    page.evaluate("fetch('/healthz').then((answer) => answer.text())")


def fetched_ahead(page: Page, number: int) -> None:
    """Wait until the document with this number has been fetched, as the quiet moments allow."""
    page.wait_for_function(
        "docno => performance.getEntriesByType('resource').some(one => one.name.includes(`docno=${docno}`)"
        " && one.responseEnd > 0)",
        arg=docno(number),
        timeout=SOON_MS,
    )


def _campaign(
    database: Database, names: Sequence[str], documents: Sequence[Document]
) -> tuple[dict[str, Account], dict[str, int]]:
    docnos = [document.docno for document in documents]
    with database.writing() as db:
        accounts = {
            name: create_account(db, NewAccount(name.casefold(), name, CHEAP.hash(PASSWORD)))
            for name in ("Olga", *names)
        }
        campaign = create_campaign(
            db, name="Trial", scale=FOUR_GRADES, organiser=accounts["Olga"].id, guidelines="Read it."
        )
        load_topics(db, campaign.id, [Topic("T1", "tides"), Topic("T2", "nets")], source="topics")
        load_documents(db, campaign.id, documents, source="documents")
        for name in names:
            add_role(db, campaign.id, accounts[name].id, Role.ASSESSOR)
        send_runs(db, campaign.id, alpha={"T1": docnos, "T2": docnos[:3]})
        pool = make_pool(db, campaign.id, PoolRecipe(parameters={"depth": len(docnos)})).pool
        ids = [line.id for line in assessors_of(db, campaign.id)]
        assign(db, pool.id, topics=["T1", "T2"], assessor_ids=ids, order=OrderRule.DOCNO)
        lines = assignments_of(db, campaign.id)
    return accounts, {line.assessor: line.id for line in lines if line.topic == "T1"}
