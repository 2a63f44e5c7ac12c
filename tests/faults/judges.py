"""People who judge whatever happens: each sends an answer until it is acknowledged, and remembers it."""

from __future__ import annotations

import http.client
import itertools
import json
import random
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from tests.benchmarks.crowd import Material, make_trial
from workbench.records import Document, Topic
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, AssessorRow, JudgmentEventRow
from workbench.workflow.people.accounts import account_by_login

DOCUMENTS = 20
ACKNOWLEDGED = frozenset({"recorded", "repeated"})
TRY_AGAIN_SECONDS = 0.02
# Longer than the server lets a save take.
ANSWER_SECONDS = 40

Answered = tuple[str, str, int | None]
"""Client id, docno and grade of an answer."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Where somebody judges: the assessor's name, cookie, account key, assignment and documents."""

    name: str
    token: str
    account: str
    assignment: int
    docnos: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """What became of the acknowledged answers; each should be there once, in the order of acknowledging."""

    acknowledged: int
    lost: int
    doubled: int
    misplaced: int

    @property
    def none(self) -> bool:
        """Whether the promise was kept."""
        return (self.lost, self.doubled, self.misplaced) == (0, 0, 0)


def make_seats(database: Database, people: int) -> list[Seat]:
    """A campaign of one topic, and a seat for each of so many assessors."""
    docnos = tuple(f"D{number:03}" for number in range(DOCUMENTS))
    lines = [f"T1 Q0 {docno} {rank} {-rank} one\n" for rank, docno in enumerate(docnos, 1)]
    documents = [Document(docno, f"Title of {docno}", f"Text of {docno}") for docno in docnos]
    material = Material([Topic("T1", "tides")], documents, [("one.txt", "".join(lines).encode())])
    trial = make_trial(database, material, assessors=people, depth=DOCUMENTS, each=people)
    seats = []
    with database.reading() as db:
        for name, assignments in sorted(trial.assignments.items()):
            account = account_by_login(db, name.replace(" ", "-").casefold())
            ((number, _),) = assignments
            seats.append(Seat(name, trial.tokens[name], account.key, number, docnos))
    return seats


class PersistentJudge(threading.Thread):
    """Sends one answer after the other, each again and again until it is acknowledged, as the desk does.

    It pauses for so many seconds between two answers, and before one is sent `again`. `waits` are the seconds
    from the first sending of each answer until it was acknowledged.
    """

    def __init__(
        self, port: int, seat: Seat, *, seed: int, pause: float = 0, again: float = TRY_AGAIN_SECONDS
    ) -> None:
        super().__init__(name=seat.name)
        self.seat = seat
        self.acknowledged: list[Answered] = []
        self.waits: list[float] = []
        self.pending: Answered | None = None
        self.failures: Counter[str] = Counter()
        self.refused: list[str] = []
        self.ended = threading.Event()
        self.given_up = threading.Event()
        self._port, self._pause, self._again = port, pause, again
        self._choice = random.Random(f"{seed} {seat.name}")
        self._connection: http.client.HTTPConnection | None = None

    def run(self) -> None:
        """Judge until told to end; the answer on its way is sent to its end, unless that is given up."""
        for docno in itertools.cycle(self.seat.docnos):
            if self.ended.is_set():
                break
            client_id = str(uuid.UUID(int=self._choice.getrandbits(128)))
            self.pending = client_id, docno, self._choice.randrange(4)
            begun = time.monotonic()
            while not self._sent(self.pending):
                time.sleep(self._again)
                if self.refused or self.given_up.is_set():
                    return
            self.waits.append(time.monotonic() - begun)
            self.acknowledged.append(self.pending)
            self.pending = None
            if self._pause:
                self.ended.wait(self._choice.uniform(0.5, 1.5) * self._pause)
        self._close()

    def _sent(self, answer: Answered) -> bool:
        client_id, docno, grade = answer
        event = {"kind": "answer", "assignment": self.seat.assignment, "docno": docno, "client_id": client_id}
        event |= {"answer": "grade", "grade": grade, "active_ms": 900}
        try:
            status, answered = self._post({"account": self.seat.account, "events": [event]})
            if status != 200:
                self.failures[str(status)] += 1
                return False
            outcome = json.loads(answered)["receipts"][0]["outcome"]
        except (OSError, http.client.HTTPException, ValueError) as error:
            self.failures[type(error).__name__] += 1
            self._close()
            return False
        if outcome not in ACKNOWLEDGED:
            self.refused.append(answered.decode(errors="replace"))
        return outcome in ACKNOWLEDGED

    def _post(self, body: dict[str, Any]) -> tuple[int, bytes]:
        if self._connection is None:
            self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=ANSWER_SECONDS)
        headers = {"Cookie": f"workbench={self.seat.token}", "Content-Type": "application/json"}
        self._connection.request("POST", "/desk/events", json.dumps(body).encode(), headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read()

    def _close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def losses(database: Database, judges: Sequence[PersistentJudge], *, after: int = 0) -> Losses:
    """Compare what was acknowledged with the events stored after one of this number.

    An answer that was on its way may be there or not.
    """
    event = JudgmentEventRow
    stored: dict[str, list[Answered]] = defaultdict(list)
    with database.reading() as db:
        rows = db.execute(
            select(AccountRow.name, event.client_id, event.docno, event.grade)
            .join(AssessorRow, AssessorRow.id == event.assessor_id)
            .join(AccountRow, AccountRow.id == AssessorRow.account_id)
            .where(event.id > after)
            .order_by(event.id)
        )
        for name, client_id, docno, grade in rows:
            stored[name].append((client_id, docno, grade))
    lost = doubled = misplaced = 0
    for judge in judges:
        found = stored[judge.seat.name]
        if judge.pending is not None and judge.pending in found[-1:]:
            found = found[:-1]
        counted = Counter(found)
        lost += sum(1 for one in judge.acknowledged if one not in counted)
        doubled += sum(count - 1 for count in counted.values())
        known = set(judge.acknowledged)
        misplaced += [one for one in found if one in known] != judge.acknowledged and not lost
        misplaced += sum(1 for one in counted if one not in known)
    return Losses(sum(len(judge.acknowledged) for judge in judges), lost, doubled, misplaced)
