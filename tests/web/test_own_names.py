"""Two people save at once by every way there is: each answer stands in the name of whoever gave it."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from sqlalchemy import select

from tests.api import API, program
from tests.cast import CHEAP, assemble, signed_in_client
from tests.web.test_desk_api import Desk
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.storage.tables import AssessorRow, JudgmentEventRow
from workbench.web.context import Context, init_app

pytestmark = pytest.mark.engines

DOCNOS = ("d1", "d2", "d/4")
SAVES = 20
# Gives a client id and a docno; whether the answer was acknowledged as recorded.
Save = Callable[[str, str], bool]


class Person:
    """Somebody's ways of saving to an assignment, which may be somebody else's; a client a way."""

    def __init__(self, app: Flask, database: Database, account: Any, own: int, assignment: int) -> None:
        self.account = account
        self.assignment = assignment
        self._desk = Desk(signed_in_client(app, database, account), f"/c/harbour/judge/{own}")
        self._form = signed_in_client(app, database, account)
        self._program = program(app, database, account)

    def ways(self) -> list[Save]:
        return [self.by_the_desk, self.by_the_form, self.by_the_api]

    def event(self, client_id: str, docno: str) -> dict[str, Any]:
        sent = {"client_id": client_id, "assignment": self.assignment, "docno": docno}
        return sent | {"kind": "answer", "answer": "grade", "grade": 1}

    def by_the_desk(self, client_id: str, docno: str) -> bool:
        answer = self._desk.send(self.event(client_id, docno))
        return bool(answer.get_json()["receipts"][0]["outcome"] == "recorded")

    def by_the_form(self, client_id: str, docno: str) -> bool:
        form = {"client_id": client_id, "docno": docno, "answer": "1"}
        answer = self._form.post(f"/c/harbour/judge/{self.assignment}/answer", data=form)
        return answer.status_code == 303

    def by_the_api(self, client_id: str, docno: str) -> bool:
        sent = {"events": [self.event(client_id, docno)]}
        answer = self._program.post(f"{API}/campaigns/harbour/judging/judgments", json=sent)
        found = answer.get_json()
        return answer.status_code == 200 and bool(found["receipts"][0]["outcome"] == "recorded")


def test_every_answer_stands_in_the_name_of_whoever_gave_it(shared_app: Flask, database: Database) -> None:
    cast = assemble(database)
    init_app(shared_app, Context(read_settings({}), database, CHEAP))
    ada, ben = (cast.assignments[name, "T1"] for name in ("Ada", "Ben"))

    def person(name: str, own: int, assignment: int) -> Person:
        return Person(shared_app, database, cast.accounts[name], own, assignment)

    sent: dict[str, list[str]] = {"Ada": [], "Ben": [], "forged": []}
    everybody = [
        ("Ada", person("Ada", ada, ada)),
        ("Ben", person("Ben", ben, ben)),
        ("forged", person("Ben", ben, ada)),
    ]
    lock = threading.Lock()
    trouble: list[BaseException] = []

    def flood(label: str, save: Save) -> None:
        try:
            for number in range(SAVES):
                client_id = str(uuid4())
                if save(client_id, DOCNOS[number % len(DOCNOS)]):
                    with lock:
                        sent[label].append(client_id)
        except BaseException as error:
            trouble.append(error)
            raise

    threads = [
        threading.Thread(target=flood, args=(label, way)) for label, one in everybody for way in one.ways()
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert trouble == []
    with database.reading() as db:
        named = select(JudgmentEventRow.client_id, AssessorRow.name).join(
            AssessorRow, AssessorRow.id == JudgmentEventRow.assessor_id
        )
        rows = {row.client_id: row.name for row in db.execute(named)}
    assert sent["forged"] == []
    assert {label: Counter(rows.get(one) for one in sent[label]) for label in ("Ada", "Ben")} == {
        "Ada": Counter(Ada=3 * SAVES), "Ben": Counter(Ben=3 * SAVES)
    }  # fmt: skip
    assert len(rows) == 6 * SAVES
