"""Verification finds what was broken behind the program's back, and names the row."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from tests.cast import assemble
from tests.databases import opened_copy
from tests.workflow.releases.filled import filled_campaign, filled_release
from workbench.errors import Severity, WorkbenchError
from workbench.records import Document, Original
from workbench.storage.engine import Database
from workbench.storage.events import current_events
from workbench.storage.integrity import check_constraints
from workbench.storage.migrate import migrate
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.people.trail import Act, add_entry
from workbench.workflow.upkeep import checks
from workbench.workflow.upkeep.checks import (
    check_clock,
    check_current,
    check_documents,
    check_originals,
    verify,
)


@pytest.fixture
def instance(migrated_sqlite: Path, tmp_path: Path) -> Iterator[Database]:
    """An instance with records of every kind."""
    with opened_copy(migrated_sqlite, tmp_path) as database:
        with database.writing() as db:
            campaign_id = filled_campaign(db)
        filled_release(database, campaign_id)
        yield database


def break_(database: Database, *statements: str) -> None:
    """Change rows as nobody can through the program: without constraints, references and triggers."""
    connection = database.engine.raw_connection()
    try:
        for statement in (
            "pragma foreign_keys = off",
            "pragma ignore_check_constraints = on",
            "drop trigger release_part_is_final",
            *statements,
        ):
            connection.cursor().execute(statement)
    finally:
        connection.invalidate()
        connection.close()


# What is broken, under which code it is found, and where.
BROKEN = (
    ("update document set text = x'004f' where docno = 'd1'", "document-hash", "document 1, d1"),
    ("replace into original values (1, 'd2', 'text/html', '', '', 'f', 1, 0, x'00', null, null, null)",
     "original-hash", "original 1, d2"),
    # As if its bytes had been shown, of which the hash of the document knows nothing.
    ("replace into original values (1, 'd6', 'application/pdf', '', '', 'f', 1, 0, null, null, null, null)",
     "document-hash", "document 1, d6"),
    ("update judgment_event set document_sha256 = 'f' where id = 2", "shown-text", "judgment_event 2"),
    (f"update run set content_gzip = x'{gzip.compress(b'1 Q0 d 1 1 t').hex()}' where id = 1", "run-hash",
     "run 1, alpha"),
    ("update run set content_gzip = x'00' where id = 2", "run-hash", "run 2, beta"),
    ("update packed_run set topics = '[[\"T1\", 1]]' where run_id = 1", "packed-run", "run 1, alpha"),
    ("insert into collection_list values (1, 'l', x'00', 'f', 3, null, '2026-01-01')", "list-hash",
     "collection_list 1"),
    ("update release_part set content = x'00'", "release-hash", "collection_release 1, 1.0"),
    ("update judgment_event set answer = 'perhaps' where id = 3", "constraint", "judgment_event 3"),
    ("update judgment_event set assessor_id = 77 where id = 5", "orphan", "judgment_event 5"),
    ("update judgment_event set topic = 'T9' where id = 7", "event", "judgment_event 7"),
    ("update judgment_event set grade = 9 where id = 8", "grade", "judgment_event 8"),
    ("update pool set pairs = 5 where id = 1", "pool-pairs", "pool 1, depth"),
    ("update run set sha256 = 'e' where id = 2", "pool-runs", "pool 1, depth"),
    ("update pool_entry set topic = 'T9' where pool_id = 2 and docno = 'd2'", "pool-topic",
     "pool_entry 2, T9, d2"),
    ("insert into pool_event values (1, 'T1', 1, 'judged', 'd2', null, null, 1, '2026-01-01',"
     " null, null, null, null)",
     "pool-events", "pool_event 1, T1, 1"),
    ("insert into pool_event values (1, 'T2', 3, 'handed_out', 'd', null, null, null, '2026-01-01',"
     " null, null, null, null)",
     "pool-events", "pool_event 1, T2"),
    ("update adjudication_event set said = '[[99, 1, \"grade\", 1]]' where id = 1", "decision",
     "adjudication_event 1"),
    ("update preference_event set first = 'd6'", "decision", "preference_event 1"),
    ("alter table campaign add column colour varchar(7)", "schema", "campaign colour"),
)  # fmt: skip


def test_whatever_is_broken_is_named(instance: Database) -> None:
    break_(instance, *(statement for statement, _, _ in BROKEN))
    found = verify(instance)
    assert not found.sound
    named = {(finding.code, finding.source) for finding in found.findings}
    assert {(code, place) for _, code, place in BROKEN} - named == set()
    assert ("schema", "release_part") in named  # the trigger
    assert all(finding.remedy for finding in found.findings)
    assert {one.code for one in found.findings if one.severity is Severity.WARNING} == {
        "shown-text",
        "pool-runs",
    }


def test_what_is_twice_is_found(instance: Database) -> None:
    break_(
        instance,
        "drop index uq_run_tag_that_holds",
        "update run set tag = 'alpha'",
    )
    with instance.reading() as db:
        places = {one.source for one in check_constraints(db.connection())}
    assert places == {"run 1, alpha"}  # in campaign 1


def test_the_current_judgment_is_recounted(instance: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    # Cara's first answer of d#3 in T1 is event 3, her later one event 13.
    def without_the_last(db: Session, *args: Any, **options: Any) -> tuple[object, ...]:
        found = current_events(db, *args, **options)
        return tuple(one for one in found if one.id != 13)

    monkeypatch.setattr(checks, "current_events", without_the_last)
    with instance.reading() as db:
        assert [(one.code, one.source) for one in check_current(db)] == [("current", "judgment_event 13")]


def test_a_clock_that_went_back_is_a_warning(instance: Database) -> None:
    earlier = datetime(2026, 1, 1, tzinfo=UTC)
    with instance.writing() as db:
        db.execute(
            text(
                "insert into judgment_event (campaign_id, assessor_id, topic, docno, answer, grade, reason,"
                " client_id, source, recorded_at, purpose, comment) select campaign_id, assessor_id, topic,"
                " docno, answer, 0, '', 'back', 'screen', :at, purpose, '' from judgment_event where id = 1"
            ),
            {"at": earlier.strftime("%Y-%m-%d %H:%M:%S.%f")},
        )
    with instance.reading() as db:
        (finding,) = check_clock(db)
    assert (finding.code, finding.severity, finding.source) == ("clock", Severity.WARNING, "assessor 1")


def test_another_schema_is_refused(instance: Database) -> None:
    with instance.writing() as db:
        db.execute(text("update alembic_version set version_num = '0008'"))
    with pytest.raises(WorkbenchError, match="0008"):
        verify(instance)


def test_a_pdf_whose_bytes_are_shown_is_in_order(instance: Database) -> None:
    content = b"%PDF-1.7"
    original = Original("application/pdf", content, hashlib.sha256(content).hexdigest())
    with instance.writing() as db:
        load_documents(db, 1, [Document("p1", "A table", "of tides", original)], source="documents")
    with instance.reading() as db:
        assert [*check_documents(db), *check_originals(db)] == []


@pytest.mark.engines
def test_a_database_in_order_has_no_finding(unmigrated_database: Database) -> None:
    migrate(unmigrated_database)
    assemble(unmigrated_database)
    with unmigrated_database.writing() as db:
        add_entry(db, Act("account.rename"))
    assert verify(unmigrated_database).findings == ()
