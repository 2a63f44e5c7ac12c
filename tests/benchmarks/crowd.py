"""A crowd at the desk of a real server: assessors who judge, an organiser who scores, and bare inserts.

Every robot keeps one connection and speaks as the desk's script does: the page once for each topic, the
documents ahead in tens, and one request for each answer.
"""

from __future__ import annotations

import http.client
import io
import json
import random
import re
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any
from urllib.parse import quote, urlsplit

from sqlalchemy import select, text

from tests.assigned import assign_in_turn
from workbench.pooling.strategies import PoolRecipe
from workbench.records import FOUR_GRADES, Document, Judgment, Topic
from workbench.storage.engine import Database
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.web.ids import read_id
from workbench.workflow.campaigns.campaigns import create_campaign
from workbench.workflow.campaigns.collection import load_documents, load_topics
from workbench.workflow.judging.assignments import assignments_of
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.people.accounts import NewAccount, create_account
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.people.membership import add_role
from workbench.workflow.people.roles import Role
from workbench.workflow.people.signing_in import open_session
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.store import add_runs

SLUG = "trial"
ORGANISER = "Olga"
# What the organiser asks for again and again: pages that compute, and files.
ORGANISER_ASKS = (
    f"/c/{SLUG}/scores?measures=AP%2C+nDCG%4010%2C+P%4010%2C+RR%2C+Rprec",
    f"/c/{SLUG}/scores/table.csv?measures=AP%2C+nDCG%4010",
    f"/c/{SLUG}/agreement",
    f"/c/{SLUG}/agreement/report.json",
    f"/c/{SLUG}/judgments/all.tsv",
    f"/c/{SLUG}/qrels/file",
    f"/c/{SLUG}/",
)
BARE_PER_SECOND = 5
AGAIN = " again "
"""What parts an assessor's name from the number of a further turn."""
# As static/desk/documents.js: so many ahead, and so many in one request.
AHEAD = 50
A_REQUEST = 10

Said = tuple[str, str, str, int | None]


@dataclass(frozen=True, slots=True)
class Material:
    """What a campaign is made of; a run is its file's name and content."""

    topics: Sequence[Topic]
    documents: Sequence[Document]
    runs: Sequence[tuple[str, bytes]]
    judgments: Sequence[Judgment] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """A campaign that waits for its crowd: cookies and assignments (id, topic) by name, the pool's pairs."""

    tokens: dict[str, str]
    assignments: dict[str, list[tuple[int, str]]]
    pairs: int


@dataclass(slots=True)
class Seen:
    """What a crowd saw: seconds of saving, of fetching ahead, of the organiser's requests and of inserts.

    `sent` is what each assessor said, in order; `wrong` is everything that should not have been.
    """

    saving: list[float] = field(default_factory=list)
    fetching: list[float] = field(default_factory=list)
    organising: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    bare: list[float] = field(default_factory=list)
    sent: dict[str, list[Said]] = field(default_factory=lambda: defaultdict(list))
    wrong: list[str] = field(default_factory=list)
    begin: float = 0.0
    judged: threading.Event = field(default_factory=threading.Event)
    seconds: float = 0.0

    def keep(self, durations: list[float], duration: float) -> None:
        """Keep a duration that has just ended, unless all this is still warming up."""
        if time.monotonic() - duration >= self.begin:
            durations.append(duration)


def make_trial(database: Database, material: Material, *, assessors: int, depth: int, each: int = 3) -> Trial:
    """A campaign over the material, each topic of its pool given to `each` assessors in turn."""
    names = [f"Assessor {number:02}" for number in range(1, assessors + 1)]
    with database.writing() as db:
        accounts = {
            name: create_account(db, NewAccount(name.replace(" ", "-").casefold(), name, "no hash"))
            for name in (ORGANISER, *names)
        }
        campaign = create_campaign(
            db, name="Trial", scale=FOUR_GRADES, organiser=accounts[ORGANISER].id, guidelines="Read it."
        )
        load_topics(db, campaign.id, material.topics, source="topics")
        load_documents(db, campaign.id, material.documents, source="documents")
        add_runs(db, campaign.id, [(name, io.BytesIO(content)) for name, content in material.runs])
        for name in names:
            add_role(db, campaign.id, accounts[name].id, Role.ASSESSOR)
        report = make_pool(db, campaign.id, PoolRecipe(parameters={"depth": depth}))
        ids = [line.id for line in assessors_of(db, campaign.id) if line.assignable]
        assign_in_turn(db, report.pool.id, assessor_ids=ids, per_topic=each)
        if material.judgments:
            import_judgments(db, campaign.id, material.judgments, source="judgments")
        tokens = {name: open_session(db, account).token for name, account in accounts.items()}
        assignments: dict[str, list[tuple[int, str]]] = defaultdict(list)
        pairs = 0
        for line in assignments_of(db, campaign.id):
            assignments[line.assessor].append((line.id, line.topic))
            pairs += line.pairs
    return Trial(tokens, dict(assignments), pairs // each)


def crowd_judges(
    address: str,
    trial: Trial,
    *,
    seconds: float,
    pause: float,
    warm: float = 0,
    most: int | None = None,
    asks: Sequence[str] = ORGANISER_ASKS,
    bare: Callable[[], None] | None = None,
) -> Seen:
    """Let everybody work for some seconds; `pause` is an assessor's mean time between two answers.

    It ends sooner where everybody has given `most` answers, or has no more to judge.
    For `warm` seconds before nothing is timed: a server that has just begun has everything to compile.

    A pause is drawn evenly between half and one and a half times the mean; at 0 the next answer follows the
    acknowledgement at once. An organiser asks for the addresses of `asks` one after the other, again and
    again; for nothing where there are none. `bare` is done a few times each second all the while, and timed.
    """
    seen = Seen(begin=time.monotonic() + warm)
    end = seen.begin + seconds
    work = [
        _Judge(address, trial.tokens[name], name, trial.assignments[name], seen, end, pause, most)
        for name in sorted(trial.assignments)
    ]
    beside: list[Callable[[], None]] = []
    if asks:
        beside.append(_Organiser(address, trial.tokens[ORGANISER], seen, asks).work)
    if bare is not None:
        beside.append(lambda: _insert(bare, seen))
    judging, others = (
        [threading.Thread(target=_careful, args=(act, seen)) for act in acts]
        for acts in ([one.work for one in work], beside)
    )
    for thread in judging + others:
        thread.start()
    for thread in judging:
        thread.join()
    seen.judged.set()
    for thread in others:
        thread.join()
    seen.seconds = time.monotonic() - seen.begin
    return seen


def renamed(trial: Trial, number: int) -> Trial:
    """The same people under other names, so that the ids of what they answer are others; then once more."""
    again = {name: f"{name}{AGAIN}{number}" for name in trial.assignments}
    return Trial(
        trial.tokens | {name: trial.tokens[before] for before, name in again.items()},
        {name: trial.assignments[before] for before, name in again.items()},
        trial.pairs,
    )


def differences(database: Database, seen: Seen) -> list[str]:
    """Whoever's events in the database are not those sent, each once and in order."""
    event = JudgmentEventRow
    stored: dict[str, list[Said]] = defaultdict(list)
    with database.reading() as db:
        rows = db.execute(
            select(AssessorRow.name, event.client_id, event.topic, event.docno, event.grade)
            .join(AssessorRow, AssessorRow.id == event.assessor_id)
            .where(event.source == "screen")
            .order_by(event.id)
        )
        for name, client_id, topic, docno, grade in rows:
            stored[name].append((client_id, topic, docno, grade))
    return [
        f"{name}: {len(seen.sent[name])} sent, {len(stored[name])} stored, or in another order"
        for name in sorted(seen.sent.keys() | stored.keys())
        if seen.sent[name] != stored[name]
    ]


class BareInsert:
    """Single rows of an event's size, each committed by itself over one connection that nobody else has."""

    def __init__(self, database: Database) -> None:
        kind = "integer" if database.embedded else "serial"
        with database.writing() as db:
            db.execute(text(f"create table if not exists bare_insert (id {kind} primary key, said text)"))
        self.embedded = database.embedded
        self.connection = database.engine.raw_connection()
        self.cursor = self.connection.cursor()
        mark = "?" if self.embedded else "%s"
        self.statement = f"insert into bare_insert (said) values ({mark})"  # a mark, no value

    def act(self) -> None:
        """Insert and commit one row: nothing but the driver, what a save costs at the very least."""
        if self.embedded:
            self.cursor.execute("begin immediate")
        self.cursor.execute(self.statement, ("x" * 400,))
        if self.embedded:
            self.cursor.execute("commit")
        else:
            self.connection.commit()

    def close(self) -> None:
        """Let go of the connection."""
        self.connection.close()


def timed(act: Callable[[], None], times: int) -> list[float]:
    """The seconds of each of so many times."""
    found = []
    for _ in range(times):
        begin = time.perf_counter()
        act()
        found.append(time.perf_counter() - begin)
    return found


class _Client(ABC):
    """Somebody's browser: one connection that stays, and the cookie."""

    def __init__(self, address: str, token: str, seen: Seen) -> None:
        parts = urlsplit(address)
        self.seen = seen
        self.headers = {"Cookie": f"workbench={token}", "Accept": "application/json, text/html"}
        self.connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=120)
        self.connection.connect()

    def work(self) -> None:
        """Do what there is to do, and let go of the connection."""
        try:
            self._work()
        finally:
            self.connection.close()

    @abstractmethod
    def _work(self) -> None:
        """Do what there is to do, over the open connection."""

    def ask(self, method: str, path: str, body: Any = None) -> tuple[float, bytes]:
        """Seconds to the whole answer, and the answer; what is no 2xx is told."""
        headers = self.headers | ({"Content-Type": "application/json"} if body is not None else {})
        content = json.dumps(body).encode() if body is not None else None
        begin = time.perf_counter()
        self.connection.request(method, path, content, headers)
        answer = self.connection.getresponse()
        found = answer.read()
        taken = time.perf_counter() - begin
        if not 200 <= answer.status < 300:
            self.seen.wrong.append(f"{method} {path}: {answer.status} {found[:200]!r}")
        return taken, found


class _Judge(_Client):
    """An assessor who judges topic after topic."""

    def __init__(
        self,
        address: str,
        token: str,
        name: str,
        assignments: Sequence[tuple[int, str]],
        seen: Seen,
        end: float,
        pause: float,
        most: int | None,
    ) -> None:
        super().__init__(address, token, seen)
        self.name, self.assignments, self.end, self.pause, self.most = name, assignments, end, pause, most
        # Who does what is the same in every run; nothing here is a secret.
        self.lot = random.Random(name)

    def _work(self) -> None:
        """Judge until the time is up or nothing is left."""
        time.sleep(self.lot.uniform(0, self.pause))
        for number, topic in self.assignments:
            page = self.ask("GET", f"/c/{SLUG}/judge/{number}")[1].decode()
            match = re.search(r"data-work='(.*?)'", page, re.DOTALL)
            work = json.loads(unescape(match[1])) if match else {}
            order = work["order"]
            for begin in range(0, AHEAD, A_REQUEST):
                self._fetch(number, order[begin : begin + A_REQUEST])
            for place, docno in enumerate(order):
                if time.monotonic() > self.end or len(self.seen.sent[self.name]) == self.most:
                    return
                self._say(number, work["account"], topic, docno)
                if place % A_REQUEST == 0:
                    self._fetch(number, order[place + AHEAD : place + AHEAD + A_REQUEST])
                time.sleep(self.lot.uniform(0.5, 1.5) * self.pause)

    def _fetch(self, number: int, docnos: Sequence[str]) -> None:
        if docnos:
            query = "&".join(f"docno={quote(docno, safe='')}" for docno in docnos)
            taken, _ = self.ask("GET", f"/c/{SLUG}/judge/{number}/documents?{query}")
            self.seen.keep(self.seen.fetching, taken)

    def _say(self, number: int, account: str, topic: str, docno: str) -> None:
        client_id, grade = str(uuid.UUID(int=self.lot.getrandbits(128))), self.lot.randrange(4)
        event = {"kind": "answer", "assignment": number, "docno": docno, "client_id": client_id}
        event |= {"answer": "grade", "grade": grade, "active_ms": 900}
        taken, found = self.ask("POST", "/desk/events", {"account": account, "events": [event]})
        self.seen.keep(self.seen.saving, taken)
        receipts = json.loads(found).get("receipts")
        if not receipts or receipts[0]["outcome"] != "recorded":
            self.seen.wrong.append(f"{self.name}: {found[:200]!r}")
        self.seen.sent[self.name].append((client_id, topic, read_id(docno), grade))


class _Organiser(_Client):
    """Who scores, looks at agreement and exports, in a loop."""

    def __init__(self, address: str, token: str, seen: Seen, asks: Sequence[str]) -> None:
        super().__init__(address, token, seen)
        self.asks = asks

    def _work(self) -> None:
        """Ask for one thing after the other, all of them at least once."""
        first = True
        while first or not self.seen.judged.is_set():
            for path in self.asks:
                if not first and self.seen.judged.is_set():
                    return
                self.seen.keep(self.seen.organising[path], self.ask("GET", path)[0])
            first = False


def _insert(bare: Callable[[], None], seen: Seen) -> None:
    while not seen.judged.is_set():
        seen.keep(seen.bare, timed(bare, 1)[0])
        time.sleep(1 / BARE_PER_SECOND)


def _careful(act: Callable[[], None], seen: Seen) -> None:
    # A thread that ends by an exception must not be mistaken for one that had nothing left to do.
    try:
        act()
    except Exception as error:  # noqa: BLE001 - whatever it was is told at the end
        seen.wrong.append(f"{type(error).__name__}: {error}")
