"""Many assessors take from one queue at once, each in a thread with transactions of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select

from tests.workflow.judging.queued import POOL, Queued, grades, most_places_ever_taken, queued_pool
from workbench.errors import Conflict
from workbench.storage.engine import Database
from workbench.storage.tables import JudgmentEventRow
from workbench.workflow.judging.adaptive_states import AdaptiveStates
from workbench.workflow.judging.queues import queue_report, take_back
from workbench.workflow.judging.task import prepare_next

pytestmark = pytest.mark.engines

PEOPLE = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn")
DOCUMENTS, PER_PAIR = 8, 2


def judge_all(database: Database, queued: Queued, name: str) -> tuple[int, int]:
    """Go on as the desk does until nothing comes: how many were counted, how many found no room."""
    counted = refused = 0
    while True:
        with database.writing() as db:
            queued.take(db, name)
        with database.reading() as db:
            docno = queued.coming(db, name)
            more = prepare_next(db, AdaptiveStates(), queued.tasks[name], queued.made.accounts[name])
        if docno is None and not more:
            return counted, refused
        if docno is None:
            continue
        try:
            with database.writing() as db:
                queued.say(db, name, docno)
            counted += 1
        except Conflict:
            refused += 1


def test_every_pair_gets_exactly_as_many_grades_as_asked(database: Database) -> None:
    with database.writing() as db:
        queued = queued_pool(db, documents=DOCUMENTS, per_pair=PER_PAIR, assessors=PEOPLE)
    with ThreadPoolExecutor(len(PEOPLE)) as threads:
        working = [threads.submit(judge_all, database, queued, name) for name in PEOPLE]
        done = [one.result(timeout=120) for one in working]
    # Nobody went away, so nothing was taken back and every answer found its place.
    assert sum(counted for counted, _ in done) == DOCUMENTS * PER_PAIR
    assert sum(refused for _, refused in done) == 0
    with database.reading() as db:
        assert set(grades(db).values()) == {PER_PAIR}
        assert len(grades(db)) == DOCUMENTS
        assert most_places_ever_taken(db, queued) == PER_PAIR
        report = queue_report(db, queued.campaign_id, POOL)
        assert (report.done, report.out, report.waiting) == (DOCUMENTS, (), 0)


def test_no_pair_gets_too_many_though_leases_end_under_peoples_hands(database: Database) -> None:
    """Somebody takes back all that is out, again and again, while six judge."""
    with database.writing() as db:
        queued = queued_pool(db, documents=DOCUMENTS, per_pair=PER_PAIR, assessors=PEOPLE)

    def disturb() -> None:
        for _ in range(8):
            with database.writing() as db:
                take_back(db, queued.campaign_id, POOL)

    with ThreadPoolExecutor(len(PEOPLE) + 1) as threads:
        working = [threads.submit(judge_all, database, queued, name) for name in PEOPLE]
        threads.submit(disturb).result(timeout=120)
        done = [one.result(timeout=120) for one in working]
    assert sum(counted for counted, _ in done) == DOCUMENTS * PER_PAIR
    with database.reading() as db:
        assert set(grades(db).values()) == {PER_PAIR}
        assert most_places_ever_taken(db, queued) <= PER_PAIR
        assert db.scalar(select(func.count()).select_from(JudgmentEventRow)) == DOCUMENTS * PER_PAIR
