"""The queue after every kind of change is the one that is made of all judgments and runs anew."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from statistics import median_low
from uuid import uuid4

import numpy as np
import pytest
from sqlalchemy import delete

from tests.workflow.adjudication.disputed import AGREED, FAR, LINE, NEAR, Disputed, disputed_campaign
from workbench.records import FOUR_GRADES, Judgment
from workbench.scoring.own_measures import gain_measure
from workbench.scoring.relevance import Floats
from workbench.settings import read_settings
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import JobRow
from workbench.workflow.adjudication import influence
from workbench.workflow.adjudication.decisions import Decision, undo
from workbench.workflow.adjudication.disputes import (
    Waiting,
    dispute_queue,
    influence_arguments,
)
from workbench.workflow.adjudication.opinions import Person
from workbench.workflow.adjudication.queue import Order, State, queue_export
from workbench.workflow.adjudication.rules import AdjudicationRules, save_adjudication_rules
from workbench.workflow.jobs import ask
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.people.membership import assessors_of
from workbench.workflow.runs.packed_store import tops_of
from workbench.workflow.runs.run_records import listed_runs
from workbench.workflow.worker import do_waiting

PEOPLE = {number: Person(f"p{9 - number}", number == 3, None, False) for number in range(5)}


def rows(database: Database, one: Disputed, waiting: Waiting = Waiting.EXACT) -> list[tuple[object, ...]]:
    with database.reading() as db:
        found = dispute_queue(db, one.id, influence=True, waiting=waiting)
        return [tuple(row) for row in queue_export(found, tuple(found.lines), names=True).rows()]


def anew(database: Database, one: Disputed) -> list[tuple[object, ...]]:
    """The same by a process that knows nothing, of a database that keeps nothing."""
    other = Database(database.url)
    with other.writing() as db:
        db.execute(delete(JobRow))
    return rows(other, one)


def test_every_change_is_in_the_queue_as_if_all_were_computed_anew(sqlite_database: Database) -> None:
    database = sqlite_database
    with database.writing() as db:
        one = disputed_campaign(db)
    seen = [rows(database, one)]

    def changes(db: Session) -> list[Callable[[], object]]:
        return [
            lambda: one.say(db, "Ada", NEAR, 0),
            lambda: one.say(db, "Ben", AGREED, 2),
            lambda: one.decide(db, FAR, 2),
            lambda: one.decide(db, AGREED, 3, by=one.jonas),
            lambda: undo(db, one.id, one.jonas, client_id=str(uuid4())),
            lambda: one.decide(db, LINE, Decision.BACK),
            lambda: one.discuss(db, "Ada", LINE, 2),
            lambda: one.discuss(db, "Ben", LINE, None),
            lambda: one.say(db, "Ada", NEAR, None, answer="unsure"),
            lambda: one.say(db, "Ben", AGREED, 1),
            lambda: import_judgments(db, one.id, [Judgment("Cleo", *NEAR, 1)], source="more"),
            lambda: save_adjudication_rules(db, one.id, AdjudicationRules(machines=True)),
            lambda: save_adjudication_rules(db, one.id, AdjudicationRules(measure="AP", beside_grades=True)),
        ]

    for number in range(13):
        other = Database(database.url) if number % 2 else database
        with other.writing() as db:
            changes(db)[number]()
        found = rows(database, one)
        assert found == rows(database, one) == anew(database, one), number
        assert found != seen[-1] or number in {9}, number
        seen.append(found)


@pytest.mark.parametrize("most", [0, influence.MOST_IN_MEMORY])
@pytest.mark.parametrize("measure", ["nDCG@100", "AP", "RBP(p=0.8)"])
def test_the_influence_is_what_the_measure_says_of_both_outcomes(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, measure: str, most: int
) -> None:
    monkeypatch.setattr(influence, "MOST_IN_MEMORY", most)
    with sqlite_database.writing() as db:
        one = disputed_campaign(db)
        save_adjudication_rules(db, one.id, AdjudicationRules(measure=measure))
        one.decide(db, NEAR, 3)
    # The pool's runs, as `pooled_campaign` makes them, by topic; alpha first.
    with sqlite_database.reading() as db:
        ranks = ranks_of_runs(db, one)
        lines = {line.pair: line.influence for line in dispute_queue(db, one.id).lines}
        people = {it.name for it in assessors_of(db, one.id) if not it.machine}
        given: dict[tuple[str, str], list[int]] = {}
        for it in current_judgments(db, one.id):
            if it.assessor in people and it.grade is not None:
                given.setdefault((it.topic, it.docno), []).append(it.grade)
        grades = {pair: median_low(several) for pair, several in given.items()} | {NEAR: 3}
    chosen = gain_measure(measure, relevant_from=FOUR_GRADES.relevant_from)

    def means(changed: dict[tuple[str, str], int]) -> Floats:
        scores: list[Floats] = []
        for topic in ("T1", "T2"):
            mine = {docno: grade for (of, docno), grade in (grades | changed).items() if of == topic}
            table = np.array([[of_run.get((topic, docno), 0) for docno in mine] for of_run in ranks])
            scores.append(chosen.topic(table, list(mine.values()), np.arange(0)).scores)
        found: Floats = np.sum(scores, axis=0) / len(scores)
        return found

    for pair, outcomes in ((FAR, (0, 3)), (NEAR, (2, 3)), (LINE, (1, 2))):
        low, high = (means({pair: grade}) for grade in outcomes)
        found = lines[pair]
        assert found is not None
        assert found.shift == pytest.approx(np.abs(high - low).sum())
        pairs = list(combinations(range(len(low)), 2))
        before, after = ([np.sign(np.round(some[a] - some[b], 12)) for a, b in pairs] for some in (low, high))
        assert found.swaps == sum(abs(x - y) / 2 for x, y in zip(before, after, strict=True))


def ranks_of_runs(db: Session, one: Disputed) -> list[dict[tuple[str, str], int]]:
    tags = [run.tag for run in listed_runs(db, one.id)]
    found = []
    for tops in tops_of(db, one.id, tags, depth=1000):
        docnos = [docno.decode() for docno in tops.docnos.tolist()]
        topics = [tops.topics[number] for number in tops.numbers.tolist()]
        found.append(dict(zip(zip(topics, docnos, strict=True), tops.ranks.tolist(), strict=True)))
    return found


def test_a_large_campaign_shows_the_influence_that_was_computed_last(
    sqlite_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(influence, "SMALL_LINES", 0)
    database = sqlite_database
    with database.writing() as db:
        one = disputed_campaign(db)
    with database.reading() as db:
        nothing = dispute_queue(db, one.id, waiting=Waiting.PAGE)
        assert (nothing.influence_at, nothing.influence_behind) == (None, True)
        assert [line.pair for line in nothing.lines] == [
            line.pair for line in dispute_queue(db, one.id, order=Order.DISTANCE).lines
        ]
    with database.writing() as db:
        ask(db, one.id, influence.JOB, influence_arguments(db, one.id))
    do_waiting(read_settings({}, instance=tmp_path), database)
    exact = rows(database, one)
    with database.writing() as db:
        one.decide(db, FAR, 0)
        one.say(db, "Ada", AGREED, 3)
    for waiting in (Waiting.PAGE, Waiting.DESK):
        # By another process, too: what was computed last, with the decision that has been made since.
        found = rows(Database(database.url), one, waiting)
        known = {row[:2]: row[7:10] for row in exact}
        assert all(row[7:10] == known.get(row[:2], (0.0, 0.0, 0.0)) for row in found)
        assert [row[2] for row in found if row[:2] == FAR] == [State.DECIDED]
        assert AGREED in {row[:2] for row in found}
    with database.reading() as db:
        assert dispute_queue(db, one.id, waiting=Waiting.PAGE).influence_behind
        assert not dispute_queue(db, one.id, waiting=Waiting.DESK).influence_behind
    assert rows(database, one) == anew(database, one) != exact
