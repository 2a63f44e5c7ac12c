"""Migrations bring any database to exactly the tables that the code knows; on both databases."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from sqlalchemy.exc import IntegrityError

from tests.databases import opened
from workbench.errors import WorkbenchError
from workbench.storage.engine import Database
from workbench.storage.migrate import MIGRATIONS, configuration, migrate
from workbench.storage.tables import Base

pytestmark = pytest.mark.engines

TABLES = set(Base.metadata.tables) | {"alembic_version"}


def head() -> str | None:
    return ScriptDirectory(str(MIGRATIONS)).get_current_head()


def revision(database: Database) -> str | None:
    with database.engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


def tables(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names())


def test_an_empty_database_is_brought_to_the_newest_revision(unmigrated_database: Database) -> None:
    assert revision(unmigrated_database) is None
    migrate(unmigrated_database)
    assert revision(unmigrated_database) == head()
    assert tables(unmigrated_database) == TABLES


def test_the_newest_revision_is_what_the_tables_say(own_database: Database) -> None:
    with own_database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_what_a_list_of_runs_needs_stands_before_their_files(own_database: Database) -> None:
    stored = [column["name"] for column in inspect(own_database.engine).get_columns("run")]
    # PostgreSQL stores large values apart.
    assert stored[-1] == "content_gzip" or not own_database.embedded
    assert set(stored) == {column.name for column in Base.metadata.tables["run"].columns}
    checks = {check["name"] for check in inspect(own_database.engine).get_check_constraints("run")}
    assert checks == {
        "ck_run_kind", "ck_run_priority", "ck_run_verdict", "ck_run_seconds_per_query", "ck_run_index_bytes"
    }  # fmt: skip


def test_the_first_revision_is_written_out_before_there_is_a_second() -> None:
    scripts = list(ScriptDirectory(str(MIGRATIONS)).walk_revisions())
    assert len(scripts) == 1 or "create_all" not in Path(scripts[-1].path).read_text(encoding="utf-8")


def test_a_difference_from_the_tables_would_be_noticed(own_database: Database) -> None:
    with own_database.writing() as db:
        db.execute(text("alter table campaign add column colour varchar(7)"))
    with own_database.engine.connect() as connection:
        differences = compare_metadata(MigrationContext.configure(connection), Base.metadata)
    assert [difference[0] for difference in differences] == ["remove_column"]


def test_migrating_again_changes_nothing(own_database: Database) -> None:
    with own_database.writing() as db:
        db.execute(
            text(
                "insert into account (login, name, password_hash, administrator, created_at, desk)"
                " values ('ada', 'Ada', '-', false, '2026-01-02 03:04:05', '{}')"
            )
        )
    migrate(own_database)
    with own_database.reading() as db:
        assert db.scalar(text("select login from account")) == "ada"
    assert revision(own_database) == head()


def test_the_migrations_are_one_line_from_the_first_to_the_newest() -> None:
    newest_first = list(ScriptDirectory(str(MIGRATIONS)).walk_revisions())
    before = [script.down_revision for script in newest_first]
    assert before == [*(script.revision for script in newest_first[1:]), None]


def test_every_migration_can_be_undone(own_database: Database) -> None:
    with own_database.engine.execution_options(begin="IMMEDIATE").begin() as connection:
        command.downgrade(configuration(connection), "base")
    assert tables(own_database) == {"alembic_version"}
    migrate(own_database)
    assert tables(own_database) == TABLES


REFUSED = (
    "update member set role = 'guest'",
    "update run set verdict = 'liked'",
    "update run set priority = 0",
    "insert into run (id, campaign_id, tag, file_name, content_gzip, sha256, topics, lines, warnings,"
    " added_at, verdict, verdict_reason, description) select 2, campaign_id, tag, file_name, content_gzip,"
    " sha256, topics, lines, warnings, added_at, verdict, verdict_reason, description from run",
    "update run set seconds_per_query = 0",
    "update run set index_bytes = -1",
    "update pool_entry set best_rank = null",
    "update pool set per_pair = 0",
    "update judgment_event set purpose = 'guessing'",
    "update judgment_event set answer = 'perhaps'",
)


def test_a_migrated_database_refuses_what_a_new_one_would(own_database: Database) -> None:
    at = "2026-01-01 00:00:00"
    with own_database.writing() as db:
        for made in (
            "insert into account (id, login, name, password_hash, administrator, created_at, desk)"
            " values (1, 'ada', 'Ada', '-', :no, :at, '{}')",
            "insert into campaign (id, slug, name, scale, guidelines, illustrative, created_at, run_rules,"
            " desk_rules, adjudication_rules, documents, instructions)"
            " values (1, 'c', 'C', '{}', '', :no, :at, '{}', '{}', '{}', 0, 1)",
            "insert into member values (1, 1, 'participant')",
            "insert into run (id, campaign_id, tag, file_name, content_gzip, sha256, topics, lines, warnings,"
            " added_at, verdict, verdict_reason, description)"
            " values (1, 1, 'r', 'r.txt', '', 'f', 1, 1, '[]', :at, 'accepted', '', '')",
            "insert into pool (id, campaign_id, name, recipe, pairs, largest_possible, created_at)"
            " values (1, 1, 'p', '{}', 1, 1, :at)",
            "insert into pool_entry (pool_id, topic, docno, brought_by, best_rank, run_count)"
            " values (1, '1', 'd', '[]', 3, 1)",
            "insert into assessor (id, campaign_id, name, machine, organiser) values (1, 1, 'ada', :no, :no)",
            "insert into judgment_event (id, campaign_id, assessor_id, topic, docno, answer, reason, purpose,"
            " comment, client_id, source, recorded_at) values (1, 1, 1, '1', 'd', 'later', '', 'judging', '',"
            " 'x', 'screen', :at)",
        ):
            db.execute(text(made), {"no": False, "at": at})
    for statement in REFUSED:
        with pytest.raises(IntegrityError), own_database.writing() as db:
            db.execute(text(statement))


def test_a_database_of_a_newer_version_is_refused_and_left_as_it_is(own_database: Database) -> None:
    with own_database.writing() as db:
        db.execute(text("update alembic_version set version_num = '9999'"))
    with pytest.raises(WorkbenchError, match=rf"revision 9999; .* up to {head()}") as refusal:
        migrate(own_database)
    assert "newer" in refusal.value.remedy
    assert revision(own_database) == "9999"


def test_a_migration_that_fails_leaves_nothing_behind(unmigrated_database: Database) -> None:
    # `judgment_event` is among the last tables made, so that most of the migration is done when it fails.
    with unmigrated_database.writing() as db:
        db.execute(text("create table judgment_event (id integer)"))
    with pytest.raises(Exception, match="already exists"):
        migrate(unmigrated_database)
    assert tables(unmigrated_database) == {"judgment_event"}


def test_a_database_of_the_newest_revision_is_opened_while_somebody_writes(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        db.execute(text("update account set name = login"))
        with opened(sqlite_database.url) as another:
            migrate(another)
            assert revision(another) == head()


# Migrates when its input ends; by then everything is imported, so that all of them go at once.
STARTER = """
import sys
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate

print("ready", flush=True)
sys.stdin.read()
migrate(Database(sys.argv[1]))
"""


def a_starter(url: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", STARTER, url], stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT, text=True
    )


def test_processes_that_start_at_the_same_time_wait_for_one_another(unmigrated_database: Database) -> None:
    with ExitStack() as stack:
        started = [stack.enter_context(a_starter(unmigrated_database.url)) for _ in range(2)]
        ready = [process.stdout.readline() for process in started if process.stdout]
        assert ready == ["ready\n"] * 2
        for process in started:
            if process.stdin:
                process.stdin.close()
        said = [process.stdout.read() for process in started if process.stdout]
    assert [process.returncode for process in started] == [0] * 2, said
    assert revision(unmigrated_database) == head()
    assert tables(unmigrated_database) == TABLES


def test_migrations_are_found_whatever_the_current_folder_is(
    unmigrated_database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    migrate(unmigrated_database)
    assert revision(unmigrated_database) == head()
