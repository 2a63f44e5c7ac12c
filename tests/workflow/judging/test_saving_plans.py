"""Saving an answer reads what it needs by an index, however much its assessor has said before."""

from __future__ import annotations

from collections.abc import Hashable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event, insert, select
from sqlalchemy.orm import Session

from tests.workflow.judging.desk_days import Day, day
from workbench.records import Document
from workbench.storage.engine import Database
from workbench.storage.events import JUDGING, append_events
from workbench.storage.tables import DocumentRow, JudgmentEventRow
from workbench.workflow.caching import Cache
from workbench.workflow.judging import handout
from workbench.workflow.judging.desk_view import documents_of, next_topic, titles_of, work_of
from workbench.workflow.pools.additions import Additions, add_documents, remove_addition

pytestmark = pytest.mark.engines

Statement = tuple[str, Any]


class Statements:
    """What a session has the database execute, with the parameters."""

    def __init__(self, db: Session) -> None:
        self._connection = db.connection()
        self.seen: list[Statement] = []

    def __enter__(self) -> list[Statement]:
        event.listen(self._connection, "before_cursor_execute", self._note)
        return self.seen

    def __exit__(self, *_: object) -> None:
        event.remove(self._connection, "before_cursor_execute", self._note)

    def _note(self, _conn: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if isinstance(parameters, list):
            parameters = parameters[0]
        self.seen.append((statement, parameters))


def reads_of(db: Session, table: str, statements: list[Statement]) -> list[str]:
    """How a table is read by these statements: the conditions by which rows are found in an index."""
    found: list[str] = []
    for statement, parameters in statements:
        if statement.split()[0] not in {"SELECT", "INSERT"}:
            continue
        connection = db.connection()
        if connection.dialect.name == "sqlite":
            plan = connection.exec_driver_sql(f"explain query plan {statement}", parameters).all()
            # SEARCH judgment_event USING INDEX name (campaign_id=? AND …), or SCAN judgment_event
            lines = [str(line[3]) for line in plan if table in str(line[3]).split()]
            found += [line[line.find("(") :] if line.startswith("SEARCH") else line for line in lines]
        else:
            # A table of a few rows would be read whole otherwise.
            for kind in ("seqscan", "bitmapscan"):
                connection.exec_driver_sql(f"set local enable_{kind} = off")
            explained = connection.exec_driver_sql(f"explain (format json) {statement}", parameters).scalar()
            found += _nodes(explained[0]["Plan"], table) if explained else []
    return found


def explained(db: Session, statements: list[Statement]) -> list[Any]:
    """The plans of statements as the database prints them."""
    how = "explain query plan" if db.connection().dialect.name == "sqlite" else "explain"
    return [db.connection().exec_driver_sql(f"{how} {one}", given).all() for one, given in statements]


def places(db: Session) -> list[tuple[str, int | None]]:
    """Every event with the place of its document, in order."""
    row = JudgmentEventRow
    return [(docno, at) for docno, at in db.execute(select(row.docno, row.position).order_by(row.id))]


def _nodes(plan: dict[str, Any], table: str) -> list[str]:
    here = []
    if plan.get("Relation Name") == table and plan["Node Type"] != "ModifyTable":
        here = [plan.get("Index Cond", f"SCAN {table}")]
    return [*here, *(one for part in plan.get("Plans", ()) for one in _nodes(part, table))]


def experienced(db: Session, ada: Day, name: str = "Ada") -> None:
    """Somebody has given 1,000 answers elsewhere, and the database knows how many rows there are."""
    place = {"campaign_id": ada.made.campaign.id, "assessor_id": ada.made.assessors[name], "topic": "T2"}
    answer = {"answer": "grade", "grade": 1, "reason": "", "comment": "", "source": "screen"}
    now = {"recorded_at": datetime.now(UTC), "purpose": JUDGING}
    append_events(
        db,
        [
            {**place, **answer, **now, "docno": f"e{number}", "client_id": f"elsewhere-{number}"}
            for number in range(1000)
        ],
    )
    db.connection().exec_driver_sql("analyze")


def test_a_pair_that_is_added_meanwhile_has_its_place(database: Database) -> None:
    """By docno the order is d/4, d1, d2; with d#3 (# sorts before /) it is d#3, d/4, d1, d2."""
    with database.writing() as db:
        ada = day(db)
        ada.send(db, ada.event("event-01", "d1", grade=1))
        add_documents(
            db,
            ada.made.campaign.id,
            ada.pool,
            "T1",
            Additions({"d#3": 1}, "found by hand"),
            added_by=ada.made.organiser,
        )
        assert ada.outcomes(
            db, ada.event("event-02", "d#3", grade=1), ada.event("event-03", "d1", grade=2)
        ) == [
            "recorded",
            "recorded",
        ]
        assert places(db) == [("d1", 2), ("d#3", 1), ("d1", 3)]
        # One more goes and another comes: as many as before, and not the same.
        add_documents(
            db, ada.made.campaign.id, ada.pool, "T1", Additions({"d6": 1}, "by hand"), added_by=None
        )
        ada.send(db, ada.event("event-04", "d2", grade=1))
        remove_addition(db, ada.made.campaign.id, ada.pool, topic="T1", docno="d6")
        add_documents(
            db, ada.made.campaign.id, ada.pool, "T1", Additions({"é5": 1}, "by hand"), added_by=None
        )
        assert ada.outcomes(
            db, ada.event("event-05", "é5", grade=1), ada.event("event-06", "d6", grade=1)
        ) == [
            "recorded",
            "kept_aside",
        ]


GROWING = (
    "assignment",
    "document",
    "judgment_event",
    "kept_aside",
    "pool_entry",
    "pool_event",
)
"""Tables that have a row for each document, pair or answer."""


def test_nothing_on_an_assessors_way_reads_a_growing_table_whole(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The page of a topic, its documents and their titles, an answer, and the next topic.
    with database.writing() as db:
        ada = day(db)
        campaign_id, account, docnos = ada.made.campaign.id, ada.ada, ["d/4", "d1", "d2"]
        ada.send(db, ada.event("event-01", "d1", grade=1))
        # Of a few rows, and of events that are nearly all hers, a database may rightly go through all.
        others = {"campaign_id": campaign_id, "title": "", "text": "", "sha256": Document("d", "", "").sha256}
        db.execute(insert(DocumentRow), [others | {"docno": f"other-{number}"} for number in range(500)])
        experienced(db, ada, "Ben")
        # As in a process that does not know the order of the topic.
        monkeypatch.setattr(handout, "_KNOWN", Cache[Hashable, handout.KnownOrder](1))
        with Statements(db) as seen:
            work_of(db, ada.assignment, account)
            assert len(documents_of(db, ada.assignment, account, docnos)) == 3
            titles_of(db, ada.assignment, account)
            ada.send(db, ada.event("event-02", "d2", grade=2))
            next_topic(db, campaign_id, ada.assignment, account)
        read = {table: reads_of(db, table, seen) for table in GROWING}
    assert {"assignment", "document", "judgment_event", "pool_entry"} <= {one for one in read if read[one]}
    assert {table: [one for one in ways if "SCAN" in one] for table, ways in read.items()} == {
        table: [] for table in GROWING
    }
