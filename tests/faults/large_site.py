"""A server over a large campaign, and the people at it, who judge, read and ask for health."""

from __future__ import annotations

import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import func, select

from tests.benchmarks.large_campaign import ORGANISER, SLUG
from tests.databases import opened
from tests.faults.judges import DOCUMENTS, PersistentJudge, Seat
from tests.faults.servers import KillablePostgresql, ServedSite
from tests.postgresql import AS_INSTALLED, kept_folder
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    AssignmentRow,
    CampaignRow,
    JudgmentEventRow,
    PoolEntryRow,
)
from workbench.workflow.people.accounts import account_by_login, account_from
from workbench.workflow.people.signing_in import open_session

AGAIN_SECONDS = 0.25
READ_EVERY = 0.25
READ_SECONDS = 125
"""Longer than any page may take."""


@dataclass(frozen=True, slots=True)
class LargeSite:
    """The server, its database, the cookie of an organiser, and the seats; PostgreSQL if it is one."""

    url: str
    served: ServedSite
    organiser: str
    seats: Sequence[Seat]
    postgresql: KillablePostgresql | None

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.served.port}"

    @property
    def supervisor(self) -> int:
        """The first process of the server."""
        if self.served.process is None:
            raise RuntimeError("the server was not started")
        return self.served.process.pid


@dataclass(slots=True)
class Read:
    """What somebody who reads saw: statuses, or errors, and the seconds of each answer."""

    statuses: Counter[str] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)


@contextmanager
def large_site(where: Path, folder: Path, people: int) -> Iterator[LargeSite]:
    """Serve the campaign of a file of SQLite, or of a folder of `tests.postgresql`, which is started."""
    killable = KillablePostgresql(kept_folder(where), AS_INSTALLED) if where.is_dir() else None
    url = killable.url if killable else f"sqlite:///{where.resolve()}"
    with _running(killable):
        with opened(url) as database:
            migrate(database)
            seats = large_seats(database, people)
            with database.writing() as db:
                organiser = open_session(db, account_by_login(db, ORGANISER)).token
        served = ServedSite(url, folder)
        served.start()
        try:
            yield LargeSite(url, served, organiser, seats, killable)
        finally:
            served.close()


@contextmanager
def _running(server: KillablePostgresql | None) -> Iterator[None]:
    if server is None:
        yield
        return
    server.start()
    try:
        yield
    finally:
        server.stop()


def large_seats(database: Database, people: int) -> list[Seat]:
    """A seat for each of so many assessors of the campaign, with the first documents of a topic of theirs."""
    seats = []
    with database.writing() as db:
        given = db.execute(
            select(func.min(AssignmentRow.id), AssessorRow.account_id)
            .join(AssessorRow, AssessorRow.id == AssignmentRow.assessor_id)
            .join(CampaignRow, CampaignRow.id == AssessorRow.campaign_id)
            .where(CampaignRow.slug == SLUG, AssignmentRow.revoked_at.is_(None))
            .group_by(AssessorRow.account_id)
            .order_by(AssessorRow.account_id)
            .limit(people)
        ).all()
        for number, account_id in given:
            account = account_from(db.get_one(AccountRow, account_id))
            assignment = db.get_one(AssignmentRow, number)
            pairs = (
                select(PoolEntryRow.docno)
                .where(PoolEntryRow.pool_id == assignment.pool_id, PoolEntryRow.topic == assignment.topic)
                .order_by(PoolEntryRow.docno)
                .limit(DOCUMENTS)
            )
            docnos = tuple(db.scalars(pairs))
            seats.append(Seat(account.name, open_session(db, account).token, account.key, number, docnos))
    return seats


def newest_event(database: Database) -> int:
    """The number of the newest event of the database."""
    with database.reading() as db:
        return db.scalar(select(func.max(JudgmentEventRow.id))) or 0


@contextmanager
def judging(site: LargeSite, *, seed: int, pause: float) -> Iterator[list[PersistentJudge]]:
    """Everybody judges; complete at the end, when the answers on their way have been acknowledged."""
    port = site.served.port
    judges = [PersistentJudge(port, seat, seed=seed, pause=pause, again=AGAIN_SECONDS) for seat in site.seats]
    for judge in judges:
        judge.start()
    try:
        yield judges
    except BaseException:
        # What happened could not be ended: nobody will ever acknowledge the answers on their way.
        for judge in judges:
            judge.given_up.set()
        raise
    finally:
        for judge in judges:
            judge.ended.set()
        for judge in judges:
            judge.join()


@contextmanager
def reading(site: LargeSite) -> Iterator[dict[str, Read]]:
    """Somebody asks for the health, an assessor for a desk, an organiser for two pages, again and again."""
    seat = site.seats[-1]
    asked = {
        "health": ("", ("/healthz",)),
        "desk": (seat.token, (f"/c/{SLUG}/judge/{seat.assignment}",)),
        "organiser": (site.organiser, (f"/c/{SLUG}/", f"/c/{SLUG}/judgments")),
    }
    found = {name: Read() for name in asked}
    ended = threading.Event()
    threads = [
        threading.Thread(target=_read, args=(site.served.port, *asked[name], found[name], ended))
        for name in asked
    ]
    for thread in threads:
        thread.start()
    try:
        yield found
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _read(port: int, token: str, paths: Sequence[str], read: Read, ended: threading.Event) -> None:
    while True:
        for path in paths:
            if ended.is_set():
                return
            begun = time.monotonic()
            read.statuses[status_of(port, path, token)] += 1
            read.waits.append(time.monotonic() - begun)
            ended.wait(READ_EVERY)


def status_of(port: int, path: str, token: str) -> str:
    """The status by which a page is answered; a refusal that does not say when to come back is told so."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=READ_SECONDS)
    try:
        connection.request("GET", path, headers={"Cookie": f"workbench={token}"})
        answer = connection.getresponse()
        answer.read()
    except (OSError, http.client.HTTPException) as error:
        return type(error).__name__
    finally:
        connection.close()
    bare = answer.status == 503 and answer.getheader("Retry-After") is None
    return f"{answer.status}{' without Retry-After' if bare else ''}"
