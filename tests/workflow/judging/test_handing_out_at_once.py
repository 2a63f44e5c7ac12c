"""Several assessors at once, each in a thread and on one of two hosts, as threads of a server are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest
from sqlalchemy import select

from tests.builders import Made, campaign_with_people, send_runs
from tests.workflow.judging.handed_out import Live, live_pool
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow, PoolEventRow
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.assignments import revoke
from workbench.workflow.judging.task import prepare_next
from workbench.workflow.pools.drafts import close_pool

pytestmark = pytest.mark.engines

PEOPLE = ("Ada", "Ben", "Cleo", "Dan")
DOCUMENTS = 24


def crowd(database: Database, strategy: str) -> Live:
    """A pool of 24 documents in one topic, given to four."""
    docnos = [f"doc{number:03}" for number in range(DOCUMENTS)]

    def run(tag: str) -> dict[str, list[str]]:
        return {"T1": sorted(docnos, key=lambda docno: sha256(f"{tag} {docno}".encode()).digest())}

    with database.writing() as db:
        made: Made = campaign_with_people(db, assessors=PEOPLE)
        send_runs(db, made.campaign.id, **{tag: run(tag) for tag in ("one", "two", "three", "four", "five")})
        return live_pool(db, strategy, made=made)


def judge_all(database: Database, live: Live, name: str) -> list[str]:
    """Go on as the judging page does until nothing comes any more; every third document is relevant."""
    seen: list[str] = []
    while True:
        with database.reading() as db:
            ready = prepare_next(db, live.states, live.tasks[name], live.made.accounts[name])
        with database.writing() as db:
            docno = live.next(db, name)
        assert ready == (docno is not None) or docno is None
        if docno is None:
            return seen
        seen.append(docno)
        with database.writing() as db:
            live.say(db, name, docno, int(int(docno[3:]) % 3 == 0))


@pytest.mark.parametrize("strategy", ["thompson", pytest.param("move-to-front", marks=pytest.mark.slow)])
def test_four_at_once_get_every_document_once_and_it_can_be_replayed(
    strategy: str, database: Database
) -> None:
    live = crowd(database, strategy)
    elsewhere = Live(live.made, live.pool_id, live.name, live.tasks, AdaptiveStates())
    with ThreadPoolExecutor(len(PEOPLE)) as threads:
        hosts = (live, elsewhere, live, elsewhere)
        working = [
            threads.submit(judge_all, database, host, name) for host, name in zip(hosts, PEOPLE, strict=True)
        ]
        seen = [docno for one in working for docno in one.result(timeout=120)]
    assert sorted(seen) == [f"doc{number:03}" for number in range(DOCUMENTS)]
    with database.reading() as db:
        assert len(db.scalars(select(JudgmentEventRow.id)).all()) == DOCUMENTS
        numbers = db.scalars(select(PoolEventRow.number).order_by(PoolEventRow.number)).all()
        assert list(numbers) == list(range(1, 2 * DOCUMENTS + 1))
        assert live.replay(db).differences == ()


def test_a_pool_may_be_closed_and_a_topic_taken_back_while_people_judge(database: Database) -> None:
    live = crowd(database, "hedge")

    def end() -> None:
        for name in ("Ada", "Ben"):
            with database.writing() as db:
                revoke(db, live.made.campaign.id, live.tasks[name])
        with database.writing() as db:
            close_pool(db, live.made.campaign.id, live.name)

    def judge(name: str) -> None:
        for _ in range(10):
            with database.writing() as db:
                docno = live.next(db, name)
            if docno is None:
                return
            with database.writing() as db:
                live.say(db, name, docno, 1)

    with ThreadPoolExecutor(len(PEOPLE) + 1) as threads:
        working = [threads.submit(judge, name) for name in PEOPLE]
        ending = threads.submit(end)
        ending.result(timeout=120)
        # Those whose topic or pool went away are told so, in a word; nothing else goes wrong.
        wrong = [one.exception(timeout=120) for one in working]
    assert {type(error).__name__ for error in wrong if error is not None} <= {
        "NotFound",
        "Conflict",
        "Ended",
        "TooLate",
    }
    with database.reading() as db:
        assert live.replay(db).differences == ()
